import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAgreeableServer } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** Holds connections until the test ends, each with a request that never does. */
function holding(url: string) {
  const sockets = new Set<Socket>();
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
    for (const socket of sockets) socket.destroy();
  });
  const open = async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    await once(socket, 'connect');
    socket.resume().write('GET / HTTP/1.1\r\nHost:');
    if (isOver) socket.destroy();
    else sockets.add(socket);
  };
  return {
    /**
     * Opens as many as are missing. The balancer accepts connections on several threads: it may count a later one first,
     * and then closes one of these.
     */
    hold: async (count: number) => {
      await Promise.all(Array.from({ length: Math.max(0, count - sockets.size) }, open));
    },
    release: () => {
      const [first] = sockets;
      first?.destroy();
    },
  };
}

describe('an address with the maximum number of connections', () => {
  it('gets no further one until it closes one, without an effect on other addresses', async () => {
    const server = await anAgreeableServer();
    const limit = { CONNECTIONS_PER_ADDRESS: '5' };
    const { url, raw } = await startBalancer([server.address, server.address], limit);
    const { hold, release } = holding(url);
    await expect.poll(() => hold(5).then(() => raw(LAST))).toBe('');
    expect(await raw(LAST, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
    release();
    await expect.poll(() => raw(LAST)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('has 400 by default, a tenth of all', async () => {
    const server = await anAgreeableServer();
    const { url, raw } = await startBalancer([server.address, server.address]);
    const { hold } = holding(url);
    await hold(399);
    expect(await raw(LAST)).toMatch(/^HTTP\/1\.1 200 /);
    await expect.poll(() => hold(400).then(() => raw(LAST))).toBe('');
  });
});
