import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { anAgreeableServer } from './balanced-servers.ts';
import { startBalancer } from './running-balancer.ts';

const LAST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

/** The balancer accepts connections on several threads, so a later one may be counted before an earlier one. */
const ACCEPTED = { timeout: 10_000 };

async function hold(url: string, count: number): Promise<readonly Socket[]> {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      // A request that does not end.
      socket.write('GET / HTTP/1.1\r\nHost:');
      return socket;
    }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

describe('an address with the maximum number of connections', () => {
  it('gets no further one until it closes one, without an effect on other addresses', async () => {
    const server = await anAgreeableServer();
    const limit = { CONNECTIONS_PER_ADDRESS: '5' };
    const { url, raw } = await startBalancer([server.address, server.address], limit);
    const held = await hold(url, 5);
    await expect.poll(() => raw(LAST), ACCEPTED).toBe('');
    expect(await raw(LAST, '127.0.0.2')).toMatch(/^HTTP\/1\.1 200 /);
    held[0]?.destroy();
    await expect.poll(() => raw(LAST)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('has 400 by default, a tenth of all', async () => {
    const server = await anAgreeableServer();
    const { url, raw } = await startBalancer([server.address, server.address]);
    await hold(url, 399);
    expect(await raw(LAST)).toMatch(/^HTTP\/1\.1 200 /);
    await hold(url, 1);
    await expect.poll(() => raw(LAST), ACCEPTED).toBe('');
  });
});
