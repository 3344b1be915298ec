import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { IntrusiveSet } from '../intrusive-set.ts';
import { type ConnectionObserver, UNOBSERVED } from '../observer.ts';
import { Connection } from './connection.ts';
import { linger } from './linger.ts';

/** Default of `responseReadTimeoutMs`. */
export const RESPONSE_READ_TIMEOUT_MS_DEFAULT = 30_000;
/** The number of bytes that extends the timeout once more. By default, clients must read 34 KiB per second. */
const READ_TIMEOUT_BYTES = 1024 * 1024;
/** Maximum interval between checks of connections. */
const CHECK_INTERVAL_MS = 5000;

/** Options of the bounds of connections. */
export interface ConnectionOptions {
  /**
   * Maximum time for a client to read a response, in milliseconds, plus the same time for each MiB of the response.
   * After that the connection is destroyed. Default: 30,000.
   */
  readonly responseReadTimeoutMs?: number | undefined;
  /** Receives the events of connections. Default: no-op. */
  readonly observer?: ConnectionObserver | undefined;
}

const connections = new WeakMap<Duplex, Connection>();

/**
 * Delays the requests of each connection of a server until its {@link Connection} admits them to `handler`. Clients that do
 * not read their responses in time lose their connection. The time begins when the response is complete and the oldest of
 * its connection.
 */
export function gateConnections(server: Server, handler: RequestListener, options: ConnectionOptions): void {
  const { responseReadTimeoutMs = RESPONSE_READ_TIMEOUT_MS_DEFAULT, observer = UNOBSERVED } = options;
  const open = new IntrusiveSet<Connection>();
  const events = {
    waiting: { count: 0 },
    process: (response: ServerResponse) => handler(response.req, response),
    discarded: (count: number) => observer.requestsDiscarded(count),
    cut: () => observer.connectionCut(),
  };
  server.on('request', (request, response) => {
    const { socket } = request;
    let connection = connections.get(socket);
    if (!connection) {
      const opened = (connection = new Connection(socket, events));
      connections.set(socket, opened);
      open.add(opened);
      socket.once('close', () => {
        open.delete(opened);
        opened.close();
      });
    }
    if (connection.accept(response)) handler(request, response);
  });
  const timeLimitMs = (bytes: number) => responseReadTimeoutMs * (1 + bytes / READ_TIMEOUT_BYTES);
  const check = (): void => {
    const now = performance.now();
    for (const connection of open.list()) connection.check(now, timeLimitMs);
  };
  server.on('listening', () => {
    const timer = setInterval(check, Math.min(CHECK_INTERVAL_MS, responseReadTimeoutMs / 4)).unref();
    server.once('close', () => clearInterval(timer));
  });
}

/** Returns the pending responses of a connection and its last one, in order. Stops reading from the connection. */
export function lastResponses(socket: Duplex): readonly ServerResponse[] {
  const connection = connections.get(socket);
  connection?.acceptNoMore();
  return connection?.responses ?? [];
}

/** Ends a connection after its last response, and discards what its client still sends. */
export function lingerOn(socket: Duplex): void {
  const connection = connections.get(socket);
  if (connection) connection.linger();
  else linger(socket);
}
