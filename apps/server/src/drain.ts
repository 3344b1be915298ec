import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

/** How often connections that have become idle are closed while the server stops, in milliseconds. */
const REAP_MS = 50;

/**
 * Returns a function that stops the server: requests under way may end, for `graceMs` at most, and their responses
 * arrive completely. To be called before the server listens.
 */
export function drainable(app: FastifyInstance): (graceMs: number) => Promise<void> {
  const { server } = app;
  const sockets = new Set<Socket>();
  for (const event of ['connection', 'secureConnection']) {
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
  }
  spareUnsent(server, sockets);
  return async (graceMs) => {
    const over = new AbortController();
    const closed = app.close().finally(() => over.abort());
    // A connection that was busy when closing began is kept alive by its response, and idle from then on.
    const reaper = setInterval(() => server.closeIdleConnections(), REAP_MS);
    await sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
    clearInterval(reaper);
    server.closeAllConnections();
    await closed;
  };
}

/**
 * Keeps `closeIdleConnections`, which `close` calls too, from destroying connections with bytes to send. Node.js counts
 * a connection as idle once its response has ended, although the client may not have read the response yet.
 */
function spareUnsent(server: Server, sockets: ReadonlySet<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const unsent = [...sockets].filter(({ writableLength }) => writableLength > 0);
    for (const socket of unsent) socket.destroy = () => socket;
    try {
      closeIdle();
    } finally {
      // The method of the prototype is visible again.
      for (const socket of unsent) Reflect.deleteProperty(socket, 'destroy');
    }
  };
}
