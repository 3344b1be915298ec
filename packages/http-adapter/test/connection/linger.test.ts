import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { lingeringWithin } from '../../src/connection/linger.ts';

const UNBOUNDED = { ms: 2 ** 31 - 1, bytes: Infinity, connections: Infinity };

/** Returns a function that opens a connection and its lingering end at the server, within `bounds`. */
async function lingering(bounds: Partial<typeof UNBOUNDED>) {
  const linger = lingeringWithin({ ...UNBOUNDED, ...bounds });
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return async (): Promise<{ readonly client: Socket; readonly socket: Socket }> => {
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server listens on no port');
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const client = connect({ host: '127.0.0.1', port: address.port, allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    client.on('error', () => undefined).resume();
    const socket = await accepted;
    linger(socket);
    await once(client, 'end');
    return { client, socket };
  };
}

describe('a lingering connection', () => {
  it('closes when the client closes it', async () => {
    const { client, socket } = await (await lingering({}))();
    client.end('further bytes');
    await once(socket, 'close');
    expect(socket.bytesRead).toBe(13);
  });

  it('is destroyed when the client sends more than the bound', async () => {
    const { client, socket } = await (await lingering({ bytes: 1_000_000 }))();
    client.write(Buffer.alloc(1_000_000));
    await vi.waitFor(() => expect(socket.bytesRead).toBe(1_000_000));
    expect(socket.destroyed).toBe(false);
    client.write('x');
    await once(socket, 'close');
  });

  it('is destroyed when the client does not close it in time', async () => {
    const { socket } = await (await lingering({ ms: 20 }))();
    expect(socket.destroyed).toBe(false);
    await once(socket, 'close');
  });

  it('is destroyed when too many others linger and it has done so longest', async () => {
    const open = await lingering({ connections: 2 });
    const [first, second] = [await open(), await open()];
    expect(first.socket.destroyed).toBe(false);
    const third = await open();
    expect([first, second, third].map(({ socket }) => socket.destroyed)).toEqual([true, false, false]);
    second.client.end();
    await once(second.socket, 'close');
    await open();
    expect(third.socket.destroyed).toBe(false);
  });
});
