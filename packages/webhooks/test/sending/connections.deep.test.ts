import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RESPONSE_HEADER_BYTES_MAX } from '../../src/sending/connection.ts';
import { CONNECTION_AGE_MAX_MS } from '../../src/sending/connections.ts';
import { aReceiver } from './a-receiver.ts';
import { aSender, anEndpoint, MESSAGE } from './a-sender.ts';

const RULES = { allow: ['127.0.0.0/8'] };
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

let sender = aSender();
afterEach(() => {
  sender.close();
  vi.restoreAllMocks();
});

async function send(url: string): Promise<string> {
  const { status, error } = await sender.send('shop', anEndpoint(url), MESSAGE);
  return String(error ?? status);
}

describe('a connection', () => {
  it('has the next request of the same origin', async () => {
    // Node.js warns when the listeners of a socket become more with each request.
    const warned = vi.spyOn(process, 'emitWarning');
    const receiver = await aReceiver((socket) => socket.write(OK));
    sender = aSender({ rules: RULES });
    for (let path = 1; path <= 20; path++) expect(await send(`${receiver.url}&path=${path}`)).toBe('200');
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.match(/POST \/hook/g)).toHaveLength(20);
    expect(warned).not.toHaveBeenCalled();
  });

  it('has one request at a time', async () => {
    const receiver = await aReceiver((socket) => socket.write(OK));
    sender = aSender({ rules: RULES });
    expect(await Promise.all([send(receiver.url), send(receiver.url), send(receiver.url)])).toEqual(
      Array.from({ length: 3 }, () => '200'),
    );
    expect(receiver.received).toHaveLength(3);
  });

  it('bounds the bytes that it receives for each request, and not for all of them', async () => {
    const large = `x: ${'x'.repeat(RESPONSE_HEADER_BYTES_MAX - 1000)}`;
    const receiver = await aReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${large}\r\ncontent-length: 0\r\n\r\n`);
    });
    sender = aSender({ rules: RULES });
    for (let request = 1; request <= 3; request++) expect(await send(receiver.url)).toBe('200');
    expect(receiver.received).toHaveLength(1);
  });

  it('has no further request once it is old, so that DNS is followed', async () => {
    const receiver = await aReceiver((socket) => socket.write(OK));
    const lookup = vi.fn<() => Promise<readonly string[]>>().mockResolvedValue(['127.0.0.1']);
    sender = aSender({ rules: RULES }, { lookup });
    const url = `http://name.example:${receiver.port}/`;
    expect(await send(url)).toBe('200');
    expect(await send(url)).toBe('200');
    expect(lookup).toHaveBeenCalledTimes(1);
    const later = performance.now() + CONNECTION_AGE_MAX_MS + 1;
    vi.spyOn(performance, 'now').mockReturnValue(later);
    lookup.mockResolvedValue(['10.0.0.1']);
    expect(await send(url)).toBe('target_not_allowed');
    expect(lookup).toHaveBeenCalledTimes(2);
    await receiver.allClosed();
  });

  it('has one request at a time when an old one is closed in front of it', async () => {
    const { promise: held, resolve: hold } = Promise.withResolvers<Socket>();
    let requests = 0;
    const receiver = await aReceiver((socket) => {
      if (++requests === 1) hold(socket);
      else socket.write(OK);
    });
    sender = aSender({ rules: RULES });
    const began = performance.now();
    const old = send(receiver.url);
    const socket = await held;
    const now = vi.spyOn(performance, 'now').mockReturnValue(began + CONNECTION_AGE_MAX_MS);
    expect(await send(receiver.url)).toBe('200');
    socket.write(OK);
    expect(await old).toBe('200');
    now.mockReturnValue(began + 1.5 * CONNECTION_AGE_MAX_MS);
    expect(await Promise.all([send(receiver.url), send(receiver.url)])).toEqual(['200', '200']);
  });

  it('has no further request when the receiver says so', async () => {
    const receiver = await aReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    });
    sender = aSender({ rules: RULES });
    expect([await send(receiver.url), await send(receiver.url)]).toEqual(['200', '200']);
    expect(receiver.received).toHaveLength(2);
  });

  it('that the receiver closes at the moment of a further request is replaced', async () => {
    let requests = 0;
    const receiver = await aReceiver((socket) => (++requests === 2 ? socket.resetAndDestroy() : socket.write(OK)));
    sender = aSender({ rules: RULES });
    expect([await send(receiver.url), await send(receiver.url)]).toEqual(['200', '200']);
    expect(receiver.received).toHaveLength(2);
    expect(requests).toBe(3);
  });

  it('is replaced once for each attempt', async () => {
    let requests = 0;
    const receiver = await aReceiver((socket) => (++requests === 1 ? socket.write(OK) : socket.resetAndDestroy()));
    sender = aSender({ rules: RULES });
    expect([await send(receiver.url), await send(receiver.url)]).toEqual(['200', 'connection_failed']);
    expect(requests).toBe(3);
  });

  it('is closed when nothing is sent for a while', async () => {
    const receiver = await aReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=3\r\ncontent-length: 0\r\n\r\n');
    });
    sender = aSender({ rules: RULES });
    expect(await send(receiver.url)).toBe('200');
    await receiver.allClosed();
  });
});

describe('the maximum number of connections', () => {
  it('ends an attempt above it', async () => {
    const receiver = await aReceiver(() => undefined);
    const stop = new AbortController();
    sender = aSender({ rules: RULES, connectionsMax: 2 });
    const hanging = [1, 2].map(() => sender.send('shop', anEndpoint(receiver.url), MESSAGE, stop.signal));
    expect(await send(receiver.url)).toBe('interrupted');
    stop.abort();
    await Promise.all(hanging);
    const other = await aReceiver((socket) => socket.end(OK));
    expect(await send(other.url)).toBe('200');
    expect(receiver.received.length).toBeLessThanOrEqual(2);
  });

  it('is kept by closing the connection that is idle for longest', async () => {
    const receivers = await Promise.all([1, 2, 3].map(() => aReceiver((socket) => socket.write(OK))));
    const [first, second, third] = receivers.map(({ url }) => url);
    sender = aSender({ rules: RULES, connectionsMax: 2 });
    for (const url of [first, second, third, second]) expect(await send(url ?? '')).toBe('200');
    expect(receivers.map(({ received }) => received.length)).toEqual([1, 1, 1]);
    await receivers[0]?.allClosed();
    expect(receivers.map((receiver) => receiver.open())).toEqual([0, 1, 1]);
  });

  it('is not kept by closing a connection that has a request again', async () => {
    const used = await aReceiver((socket) => socket.write(OK));
    const other = await aReceiver((socket) => socket.write(OK));
    sender = aSender({ rules: RULES, connectionsMax: 1 });
    expect(await send(used.url)).toBe('200');
    expect(await Promise.all([send(used.url), send(other.url)])).toEqual(['200', 'interrupted']);
  });

  it('is kept by closing a connection whose body is being discarded', async () => {
    const endless = await aReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nfirst'));
    const other = await aReceiver((socket) => socket.write(OK));
    sender = aSender({ rules: RULES, connectionsMax: 1 });
    expect([await send(endless.url), await send(other.url)]).toEqual(['200', '200']);
    await endless.allClosed();
  });
});

describe('the addresses of a name', () => {
  it.each([
    [8, '200'],
    [9, 'connection_failed'],
  ])('are tried in turn, at most eight: the one that accepts is number %i', async (number, result) => {
    const receiver = await aReceiver((socket) => socket.end(OK));
    const refusing = Array.from({ length: number - 1 }, (_, index) => `127.0.1.${index + 1}`);
    sender = aSender({ rules: RULES }, { lookup: () => Promise.resolve([...refusing, '127.0.0.1']) });
    expect(await send(`http://name.example:${receiver.port}/`)).toBe(result);
  });
});
