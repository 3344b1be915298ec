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
 * Starts a TCP proxy for the running test. Of the connections it cuts `rate`, half of them before the server receives the
 * request, and half after the server has sent the response, which the client does not receive. The choice follows from
 * `seed`.
 */
export async function aCuttingProxy(target: string, rate: number, seed = 1): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const cuts = { before: 0, after: 0 };
  const next = pseudoRandom(seed);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    const fate = next();
    if (fate < rate / 2) {
      cuts.before += 1;
      client.once('data', () => client.resetAndDestroy());
      return;
    }
    const upstream = connect(Number(port), hostname);
    keep(upstream);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.end());
    client.pipe(upstream);
    if (fate >= rate) {
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

/** Returns a function that returns numbers from 0 to less than 1, the same ones for the same seed (mulberry32). */
function pseudoRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d2b79f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
