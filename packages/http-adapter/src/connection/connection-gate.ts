import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OrdersHttpObserver } from '../observer.ts';
import { Connection } from './connection.ts';

/** Default of `responseReadTimeoutMs`. */
export const RESPONSE_READ_TIMEOUT_MS_DEFAULT = 30_000;
/** The number of bytes that extends the timeout once more. By default, clients must read 34 KiB per second. */
const READ_TIMEOUT_BYTES = 1024 * 1024;
/** Maximum interval between checks of connections. */
const CHECK_INTERVAL_MS = 5000;

/** Options of {@link gateConnections}. */
export interface Gate {
  readonly readTimeoutMs: number;
  readonly observer: Pick<OrdersHttpObserver, 'connectionCut' | 'requestsDiscarded'>;
}

const gated = new WeakSet<Server>();
const connections = new WeakMap<Duplex, Connection>();

/**
 * Delays the requests of each connection until its {@link Connection} admits them to the listeners of the server. Clients
 * that do not read their responses lose their connection. They must read a response within `readTimeoutMs`, plus the same
 * time for each {@link READ_TIMEOUT_BYTES}. The time begins when the response is complete and the oldest of its connection.
 * A server has one gate, with the options of the first call.
 */
export function gateConnections(server: Server, { readTimeoutMs, observer }: Gate): void {
  if (gated.has(server)) return;
  gated.add(server);
  const listeners = server.rawListeners('request');
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
  };
  const events = {
    waiting: { count: 0 },
    process: (response: ServerResponse) => pass(response.req, response),
    discarded: (count: number) => observer.requestsDiscarded(count),
    cut: () => observer.connectionCut(),
  };
  const open = checkedConnections(readTimeoutMs);
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    // HTTP/2 limits its streams itself.
    if (request.httpVersionMajor > 1) return pass(request, response);
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
    if (connection.accept(response)) pass(request, response);
  });
}

/** Returns the pending responses of a connection and its last one, in order. Stops reading from the connection. */
export function lastResponses(socket: Duplex): readonly ServerResponse[] {
  const connection = connections.get(socket);
  connection?.acceptNoMore();
  return connection?.responses ?? [];
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
