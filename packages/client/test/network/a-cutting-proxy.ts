import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { portOf } from '../servers/a-server.ts';

/** A proxy that cuts some connections. */
export interface CuttingProxy {
  readonly baseUrl: string;
  /** Number of connections that were cut before the request arrived, and before the response did. */
  readonly cuts: { before: number; after: number };
}

/**
 * Starts a TCP proxy for the running test. It cuts one in ten connections before the server receives the request, and one
 * in ten after the server has sent the response, which the client does not receive.
 */
export async function aCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts = { before: 0, after: 0 };
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    const number = ++connections % 10;
    if (number === 0) {
      cuts.before += 1;
      client.once('data', () => client.resetAndDestroy());
      return;
    }
    const upstream = connect(Number(port), hostname);
    keep(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    client.pipe(upstream);
    if (number !== 5) {
      upstream.pipe(client);
      return;
    }
    upstream.once('data', () => {
      cuts.after += 1;
      client.resetAndDestroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${portOf(server)}`, cuts };
}
