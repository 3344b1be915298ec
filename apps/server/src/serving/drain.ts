import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { IntrusiveSet } from '@orders/http-adapter/settings';
import type { FastifyInstance } from 'fastify';

/** The interval at which idle connections are closed while the server stops, in milliseconds. */
const REAP_MS = 50;

/**
 * Returns a function that stops the server. Requests in progress may end, within `graceMs`, and their responses arrive
 * completely. Call this before the server listens.
 */
export function drainable(app: FastifyInstance): (graceMs: number) => Promise<void> {
  const { server } = app;
  const sockets = new IntrusiveSet<Socket>();
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
    // A connection that was busy when closing began is kept alive by its response, and idle afterwards.
    const reaper = setInterval(() => server.closeIdleConnections(), REAP_MS);
    await sleep(graceMs, undefined, { signal: over.signal }).catch(() => undefined);
    clearInterval(reaper);
    // Unlike `closeAllConnections`, this includes rejected tunnels that linger.
    for (const socket of sockets.list()) socket.destroy();
    await closed;
  };
}

/**
 * Prevents `closeIdleConnections`, which `close` also calls, from destroying connections with unsent bytes. Node.js
 * counts a connection as idle when its response has ended, although the client may not have read it yet.
 */
function spareUnsent(server: Server, sockets: IntrusiveSet<Socket>): void {
  const closeIdle = server.closeIdleConnections.bind(server);
  server.closeIdleConnections = () => {
    const unsent = sockets.list().filter(({ writableLength }) => writableLength > 0);
    for (const socket of unsent) socket.destroy = () => socket;
    try {
      closeIdle();
    } finally {
      // This restores the method of the prototype.
      for (const socket of unsent) Reflect.deleteProperty(socket, 'destroy');
    }
  };
}
