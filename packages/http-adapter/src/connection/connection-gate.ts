import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OrdersHttpObserver } from '../observer.ts';
import { Connection } from './connection.ts';
import { linger } from './linger.ts';

/** Default of `responseReadTimeoutMs`. */
export const RESPONSE_READ_TIMEOUT_MS_DEFAULT = 30_000;
/** The number of bytes that extends the timeout once more. By default, clients must read 34 KiB per second. */
const READ_TIMEOUT_BYTES = 1024 * 1024;
/**
 * Maximum number of bytes of a body that are parsed after its response. Small, because a request without credentials can
 * cause it, and a body in chunks of one byte takes a hundred times as long as another one.
 */
const REST_BYTES_MAX = 64 * 1024;
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

/**
 * Call this before each response. After one that precedes the end of a body, at most {@link REST_BYTES_MAX} more are read:
 * the connection is kept only for a shorter rest.
 */
export function boundUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || request.httpVersionMajor > 1) return;
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
  if (Number(length) > REST_BYTES_MAX) response.setHeader('connection', 'close');
  else if (coding !== undefined) response.once('finish', () => boundChunks(request));
}

/** Ends the connection of a chunked body above a number of bytes, because only chunks show its end. */
function boundChunks(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete || !socket.writable) return;
  let left = REST_BYTES_MAX;
  const count = (chunk: Buffer): void => {
    left -= chunk.length;
    if (left < 0) lingerOn(socket);
  };
  socket.on('data', count);
  request.once('close', () => socket.off('data', count));
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
