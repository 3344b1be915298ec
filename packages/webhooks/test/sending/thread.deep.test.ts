import { Worker } from 'node:worker_threads';
import { systemTimer, type Timer } from '@orders/domain/events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FIRST_KEY } from '../secrets/signing-keys.ts';
import { aReceiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE, SECRETS } from './a-sender.ts';

const OPTIONS = { isolated: true, rules: { allow: ['127.0.0.1'] } };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

let sender = aSender();
afterEach(() => {
  sender.close();
  vi.restoreAllMocks();
});

async function send(url: string, message = MESSAGE, signal?: AbortSignal): Promise<string> {
  const { status, error } = await sender.send('shop', anEndpoint(url), message, signal);
  return String(error ?? status);
}

/** Returns the number of sockets of this thread. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

describe('the thread of a sender', () => {
  it('has the connections, and keeps them', async () => {
    const receiver = await aReceiver((socket) => socket.write(OK));
    sender = aSender(OPTIONS);
    expect([await send(receiver.url), await send(receiver.url)]).toEqual(['200', '200']);
    expect(receiver.received).toHaveLength(1);
    // That of the receiver.
    expect(sockets()).toBe(receiver.open());
  });

  it('gets no secret, whether in a message or in the environment', async () => {
    const post = vi.spyOn(Worker.prototype, 'postMessage');
    process.env['WEBHOOK_SIGNING_KEYS'] = FIRST_KEY;
    sender = aSender(OPTIONS, { script: new URL('thread.fixture.ts', import.meta.url) });
    const endpoint = anEndpoint('https://hooks.example/');
    const { retryAfterMs } = await sender.send('shop', endpoint, MESSAGE);
    delete process.env['WEBHOOK_SIGNING_KEYS'];
    expect(retryAfterMs).toBe(0);
    expect(post).toHaveBeenCalledOnce();
    const message = JSON.stringify(post.mock.calls);
    expect(message).toContain('v1,');
    for (const secret of endpoint.secrets) expect(message).not.toContain(SECRETS.derive('shop', endpoint.id, secret));
    expect(message).not.toContain(FIRST_KEY);
  });

  it('closes its connections when the sender is closed', async () => {
    const receiver = await aReceiver((socket) => socket.write(OK));
    sender = aSender(OPTIONS);
    expect(await send(receiver.url)).toBe('200');
    sender.close();
    await receiver.allClosed();
    expect(await send(receiver.url)).toBe('interrupted');
  });

  it('closes the connection of an attempt that is interrupted', async () => {
    const stop = new AbortController();
    const receiver = await aReceiver(() => stop.abort());
    sender = aSender(OPTIONS);
    expect(await send(receiver.url, MESSAGE, stop.signal)).toBe('interrupted');
    await receiver.allClosed();
  });
});

describe('a thread that ends', () => {
  it('interrupts its attempts, and is started again for the next ones', async () => {
    const warn = vi.fn<(message: string, cause: unknown) => void>();
    sender = aSender({ ...OPTIONS, warn }, { script: new URL('thread.fixture.ts', import.meta.url) });
    const results = ['hang', 'hang', 'end'].map((path) => send(`https://hooks.example/${path}`));
    expect(await Promise.all(results)).toEqual(['interrupted', 'interrupted', 'interrupted']);
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      'the thread that sends webhooks has ended',
      new Error('the thread has ended with the code 3'),
    );
    expect(await send('https://hooks.example/')).toBe('status_not_accepted');
  });

  it('waits longer before each start, and its attempts wait within their limit', async () => {
    const pauses: number[] = [];
    const timer: Timer = {
      ...systemTimer,
      random: () => 1,
      pause: async (ms, signal) => {
        pauses.push(ms);
        if (pauses.length === 8) await systemTimer.pause(600_000, signal);
      },
    };
    // As in a bundle that lacks the script.
    const script = new URL('missing.js', import.meta.url);
    sender = aSender({ ...OPTIONS, timeoutMs: 600_000 }, { script, timer });
    const sending = send('http://127.0.0.1:1/');
    await vi.waitFor(() => expect(pauses).toHaveLength(8));
    expect(pauses).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    sender.close();
    expect(await sending).toBe('interrupted');
  });

  it('after more than a minute counts as the first one again', async () => {
    const pauses: number[] = [];
    let now = 0;
    const timer: Timer = {
      ...systemTimer,
      // Read at the start and at the end of each thread.
      now: () => (now += 60_001),
      random: () => 1,
      pause: (ms) => {
        pauses.push(ms);
        return Promise.resolve();
      },
    };
    sender = aSender(OPTIONS, { script: new URL('thread.fixture.ts', import.meta.url), timer });
    for (let thread = 1; thread <= 3; thread++) expect(await send('https://hooks.example/end')).toBe('interrupted');
    expect(pauses).toEqual([100, 100]);
  });
});
