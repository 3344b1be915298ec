import type { RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ConnectionObserver } from '../observer.ts';
import { Connection } from './connection.ts';
import { linger } from './linger.ts';

/** Default of `responseReadTimeoutMs`. */
export const RESPONSE_READ_TIMEOUT_MS_DEFAULT = 30_000;
/** The number of bytes that extends the timeout once more. By default, clients must read 34 KiB per second. */
const READ_TIMEOUT_BYTES = 1024 * 1024;
/** Maximum interval between checks of connections. */
const CHECK_INTERVAL_MS = 5000;

/** Options of {@link gateRequests}. */
export interface Gate {
  readonly readTimeoutMs: number;
  readonly observer: ConnectionObserver;
}

const connections = new WeakMap<Duplex, Connection>();

/**
 * Returns a listener of requests that delays those of each connection until its {@link Connection} admits them to
 * `handler`. Clients that do not read their responses lose their connection. They must read a response within
 * `readTimeoutMs`, plus the same time for each {@link READ_TIMEOUT_BYTES}. The time begins when the response is complete
 * and the oldest of its connection.
 */
export function gateRequests(handler: RequestListener, { readTimeoutMs, observer }: Gate): RequestListener {
  const events = {
    waiting: { count: 0 },
    process: (response: ServerResponse) => handler(response.req, response),
    discarded: (count: number) => observer.requestsDiscarded(count),
    cut: () => observer.connectionCut(),
  };
  const open = checkedConnections(readTimeoutMs);
  return (request, response) => {
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
  };
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

/** Returns a set of connections that one timer checks while the set is not empty. */
function checkedConnections(readTimeoutMs: number): Pick<Set<Connection>, 'add' | 'delete'> {
  const open = new Set<Connection>();
  const timeLimitMs = (bytes: number) => readTimeoutMs * (1 + bytes / READ_TIMEOUT_BYTES);
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    const now = performance.now();
    for (const connection of open) connection.check(now, timeLimitMs);
  };
  return {
    add: (connection) => {
      timer ??= setInterval(check, Math.min(CHECK_INTERVAL_MS, readTimeoutMs / 4)).unref();
      return open.add(connection);
    },
    delete: (connection) => {
      const isDeleted = open.delete(connection);
      if (open.size === 0) {
        clearInterval(timer);
        timer = undefined;
      }
      return isDeleted;
    },
  };
}
