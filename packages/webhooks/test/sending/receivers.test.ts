import type { Socket } from 'node:net';
import { setImmediate as tick } from 'node:timers/promises';
import { signingKeyFingerprint, WEBHOOK_USER_AGENT, webhookSender } from '@orders/webhooks';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DISCARDED_BYTES_MAX, RESPONSE_HEADER_BYTES_MAX } from '../../src/sending/connection.ts';
import { SECOND_KEY } from '../secrets/signing-keys.ts';
import { aReceiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE, SECRETS } from './a-sender.ts';

const RULES = { allow: ['127.0.0.1'] };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
/** Time after which a receiver counts as hanging. */
const TIMEOUT_MS = 300;

let sender = aSender({ rules: RULES });
let timersBefore = 0;
beforeEach(() => {
  sender = aSender({ rules: RULES });
});
afterEach(() => sender.close());

/** Writes a text again and again, until the connection is closed. */
function stream(socket: Socket, text: string): void {
  const write = () => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on('drain', write);
  write();
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}

/** Waits until neither a socket nor a timer of the sender is left, although the sender is still open. */
async function nothingIsLeft(): Promise<void> {
  while (process.getActiveResourcesInfo().includes('TCPSocketWrap') || timers() > timersBefore) await tick();
}

async function attempt(url: string) {
  timersBefore = timers();
  return await sender.send('shop', anEndpoint(url), MESSAGE);
}

describe('a receiver that accepts a message', () => {
  it('gets a signed request', async () => {
    const receiver = await aReceiver((socket) => socket.end(OK));
    const result = await attempt(receiver.url);
    expect(result).toMatchObject({ status: 200, error: null, retryAfterMs: null });
    expect(result.duration_ms).toBeGreaterThan(0);
    const [head = '', body = ''] = receiver.received[0]?.split('\r\n\r\n') ?? [];
    const [line, ...fields] = head.split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => [field.replace(/:.*/, ''), field.replace(/^.*?: /, '')]),
    );
    expect(line).toBe('POST /hook?a=b HTTP/1.1');
    expect(Object.fromEntries(headers)).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      'webhook-id': MESSAGE.id,
    });
    const { id, secrets } = anEndpoint(receiver.url);
    const [secret = { serial: 0, key: '' }] = secrets;
    expect(new Webhook(SECRETS.derive('shop', id, secret)).verify(body, Object.fromEntries(headers))).toEqual(
      JSON.parse(MESSAGE.body),
    );
    await nothingIsLeft();
  });

  it.each([200, 201, 202, 204, 299])('may do so by the status %i', async (status) => {
    const receiver = await aReceiver((socket) => socket.end(`HTTP/1.1 ${status} Yes\r\ncontent-length: 0\r\n\r\n`));
    expect(await attempt(receiver.url)).toMatchObject({ status, error: null });
    await nothingIsLeft();
  });

  it.each(['100 Continue', '102 Processing', '103 Early Hints'])(
    'may send %s before, also repeatedly',
    async (first) => {
      const informational = `HTTP/1.1 ${first}\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n`;
      const receiver = await aReceiver((socket) => socket.write(`${informational}${OK}`));
      for (let request = 1; request <= 3; request++)
        expect(await attempt(receiver.url)).toMatchObject({ status: 200, error: null });
      expect(receiver.received).toHaveLength(1);
    },
  );

  it('has no further request on a connection on which it sends an unsolicited response', async () => {
    const receiver = await aReceiver((socket) => {
      socket.write(OK);
      setTimeout(() => socket.write('HTTP/1.1 500 Not This\r\n\r\n'), 20);
    });
    expect(await attempt(receiver.url)).toMatchObject({ status: 200 });
    await receiver.allClosed();
    expect(await attempt(receiver.url)).toMatchObject({ status: 200 });
  });

  it('is not waited for when its body never ends', async () => {
    const receiver = await aReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${10 * DISCARDED_BYTES_MAX}\r\n\r\nfirst`);
    });
    expect(await attempt(receiver.url)).toMatchObject({ status: 200, error: null });
    await nothingIsLeft();
  });

  it('is disconnected when its body is too long to discard', async () => {
    // The limit of the size alone ends it.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const receiver = await aReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(DISCARDED_BYTES_MAX + 1)}`);
    });
    expect(await attempt(receiver.url)).toMatchObject({ status: 200, error: null });
    await nothingIsLeft();
  });

  it('may send a body that is shorter than stated', async () => {
    const receiver = await aReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort'));
    expect(await attempt(receiver.url)).toMatchObject({ status: 200, error: null });
    await nothingIsLeft();
  });
});

describe('a receiver that does not accept a message', () => {
  it.each([304, 400, 404, 410, 429, 500, 503, 999])('fails the attempt by the status %i', async (status) => {
    const receiver = await aReceiver((socket) => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`));
    expect(await attempt(receiver.url)).toMatchObject({ status, error: 'status_not_accepted' });
    await nothingIsLeft();
  });

  it.each([300, 301, 302, 303, 307, 308])('cannot redirect the request by the status %i', async (status) => {
    const elsewhere = await aReceiver((socket) => socket.end(OK));
    const location = `location: ${elsewhere.url}\r\ncontent-length: 0`;
    const receiver = await aReceiver((socket) => socket.end(`HTTP/1.1 ${status} There\r\n${location}\r\n\r\n`));
    expect(await attempt(receiver.url)).toMatchObject({ status, error: 'status_not_accepted' });
    await nothingIsLeft();
    expect(elsewhere.received).toEqual([]);
  });

  it('may require a wait', async () => {
    const receiver = await aReceiver((socket) => {
      socket.end('HTTP/1.1 503 Later\r\nretry-after: 120\r\ncontent-length: 0\r\n\r\n');
    });
    expect(await attempt(receiver.url)).toMatchObject({ status: 503, retryAfterMs: 120_000 });
  });
});

describe('a receiver without a valid response', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n')],
    ['HTTP/0.9', (socket) => socket.end('<html>hello</html>')],
    ['HTTP/2', (socket) => socket.end(Buffer.from('000012040000000000000300000064', 'hex'))],
    ['another protocol', (socket) => socket.end('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
    [
      'informational responses without end',
      (socket) => stream(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)),
    ],
    ['100 Continue without end', (socket) => stream(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000))],
    ['two lengths', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx')],
    [
      'a header that is too large',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(RESPONSE_HEADER_BYTES_MAX)}`),
    ],
  ])('fails the attempt by invalid_response: %s', async (_, respond) => {
    const receiver = await aReceiver(respond);
    expect(await attempt(receiver.url)).toMatchObject({ status: null, error: 'invalid_response', retryAfterMs: null });
    await nothingIsLeft();
    expect(receiver.received).toHaveLength(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['closes the connection', (socket) => socket.end()],
    ['closes the connection in the header', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-')],
  ])('fails the attempt by connection_failed when it %s', async (_, respond) => {
    const receiver = await aReceiver(respond);
    expect(await attempt(receiver.url)).toMatchObject({ status: null, error: 'connection_failed' });
    await nothingIsLeft();
    expect(receiver.received).toHaveLength(1);
  });

  it('fails the attempt by connection_failed when it resets every connection at once', async () => {
    const receiver = await aReceiver(
      () => undefined,
      (socket) => socket.resetAndDestroy(),
    );
    expect(await attempt(receiver.url)).toMatchObject({ error: 'connection_failed' });
    await nothingIsLeft();
  });

  it('fails the attempt by connection_failed when nothing listens', async () => {
    expect(await attempt('http://127.0.0.1:1/')).toMatchObject({ error: 'connection_failed' });
    await nothingIsLeft();
  });
});

describe('a receiver that is slow', () => {
  beforeEach(() => {
    sender.close();
    sender = aSender({ rules: RULES, timeoutMs: TIMEOUT_MS });
  });

  it('fails the attempt when it hangs', async () => {
    const receiver = await aReceiver(() => undefined);
    const result = await attempt(receiver.url);
    expect(result).toMatchObject({ status: null, error: 'timed_out', retryAfterMs: null });
    // A timer counts from the begin of its turn of the event loop, which may be earlier than the attempt.
    expect(result.duration_ms).toBeGreaterThan(TIMEOUT_MS / 2);
    await nothingIsLeft();
  });

  it.each([
    ['the bytes of its header', 'HTTP/1.1 200 OK\r\nx-drip: ', 'x'],
    ['informational responses', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ])('fails the attempt when it drips %s', async (_, begin, drop) => {
    const receiver = await aReceiver((socket) => {
      socket.write(begin);
      const drip = setInterval(() => socket.write(drop), 10).unref();
      socket.on('close', () => clearInterval(drip));
    });
    expect(await attempt(receiver.url)).toMatchObject({ status: null, error: 'timed_out' });
    await receiver.allClosed();
  });
});

describe('an attempt', () => {
  it('is interrupted by its signal while it waits for the response', async () => {
    const stop = new AbortController();
    const receiver = await aReceiver(() => stop.abort());
    timersBefore = timers();
    const result = await sender.send('shop', anEndpoint(receiver.url), MESSAGE, stop.signal);
    expect(result).toMatchObject({ status: null, error: 'interrupted', retryAfterMs: null });
    await nothingIsLeft();
  });

  it('makes no connection when its signal is aborted before', async () => {
    const receiver = await aReceiver((socket) => socket.end(OK));
    const result = await sender.send('shop', anEndpoint(receiver.url), MESSAGE, AbortSignal.abort());
    expect(result).toMatchObject({ error: 'interrupted', duration_ms: 0 });
    expect(receiver.received).toEqual([]);
  });

  it('makes no connection when the server lacks the signing key', async () => {
    const receiver = await aReceiver((socket) => socket.end(OK));
    const warn = vi.fn<(message: string, cause: unknown) => void>();
    sender.close();
    sender = webhookSender({ secrets: SECRETS, clock: { now: () => new Date() }, rules: RULES, warn });
    const lacking = signingKeyFingerprint(SECOND_KEY);
    const secrets = [{ serial: 2, key: lacking, expires_at: null }];
    const result = await sender.send('shop', { ...anEndpoint(receiver.url), secrets }, MESSAGE);
    expect(result).toEqual({ status: null, error: 'interrupted', duration_ms: 0, retryAfterMs: null });
    const cause = new Error(`the server has no webhook signing key with the fingerprint ${lacking}`);
    expect(warn.mock.calls).toEqual([['a webhook cannot be signed', cause]]);
    expect(receiver.received).toEqual([]);
  });

  it('is interrupted when the sender is closed', async () => {
    const receiver = await aReceiver(() => sender.close());
    expect(await attempt(receiver.url)).toMatchObject({ error: 'interrupted' });
    await nothingIsLeft();
  });

  it('never rejects, whatever the message', async () => {
    const receiver = await aReceiver((socket) => socket.end(OK));
    const result = await sender.send('shop', anEndpoint(receiver.url), { id: 'a\r\nb: c', body: '' });
    expect(result).toMatchObject({ status: null, error: 'connection_failed' });
    expect(receiver.received).toEqual([]);
  });
});
