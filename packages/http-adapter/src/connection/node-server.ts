import { Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { type Gate, gateConnections } from './connection-gate.ts';
import { hangUp, responsesClosed } from './malformed-http.ts';
import type { BaseUrl } from '../problems/problem.ts';

const served = new WeakSet<Server>();

/** A connection as Node.js's servers mark it, which its types do not declare. */
interface IncomingSocket {
  readonly server?: unknown;
}

/**
 * Leaves to the API what Node.js's server would respond to by itself, without a problem, or not at all. Below a
 * prefix the server has others to serve too, and goes on to respond for them as before.
 */
export function leaveResponsesToApi(server: Server, prefix: string, baseUrl: BaseUrl, gate: Gate): void {
  gateConnections(server, gate);
  if (prefix !== '' || served.has(server)) return;
  served.add(server);
  ignoreUnknownExpectations(server);
  refuseTunnels(server, baseUrl);
  // Properties, because that serves servers with and without TLS. A missing Host is refused with a problem; and no
  // header is left out silently, a second Host or an If-Match, when there are more than a thousand.
  Object.assign(server, { requireHostHeader: false, maxHeadersCount: 0 });
}

/** The server that a request came by, unless that is `known` or the request was injected. */
export function otherServer({ socket }: { readonly socket: IncomingSocket }, known: Server): Server | undefined {
  const { server } = socket;
  if (server === known) return undefined;
  return server instanceof Server || server instanceof HttpsServer ? server : undefined;
}

/**
 * Serves a request whatever it expects; Node.js responds to `100-continue` by itself. To any other expectation it would
 * send 417 without a problem, which a server may leave out (RFC 9110 section 10.1.1).
 */
function ignoreUnknownExpectations(server: Server): void {
  if (server.listenerCount('checkExpectation') > 0) return;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Refuses CONNECT, unless somebody else on this server takes it; Node.js would hang up. */
function refuseTunnels(server: Server, baseUrl: BaseUrl): void {
  server.on('connect', (_request, socket) => {
    if (server.listenerCount('connect') > 1) return;
    // Without methods: what CONNECT names is no resource of ours (RFC 9110 section 10.2.1).
    const problem = {
      code: 'method_not_allowed',
      detail: 'CONNECT is not supported: this server is not a proxy.',
      headers: { allow: '' },
    } as const;
    // Node.js listens no more, and an error without a listener ends the process.
    socket.on('error', () => undefined);
    void responsesClosed(socket).then(() => hangUp(socket, problem, baseUrl));
  });
}
