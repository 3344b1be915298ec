import { Server } from 'node:http';
import { Server as HttpsServer } from 'node:https';
import { type Gate, gateConnections } from './connection-gate.ts';
import { hangUp, responsesClosed } from './malformed-http.ts';
import { sendsBody } from './request-head.ts';
import type { BaseUrl } from '../problems/problem.ts';

const served = new WeakSet<Server>();

/** A connection with the property that Node.js sets but does not declare in its types. */
interface IncomingSocket {
  readonly server?: unknown;
}

/**
 * Makes the API respond where Node.js would respond without a problem, or not at all. With a prefix the server also serves
 * other routes, so its own responses are left unchanged.
 */
export function leaveResponsesToApi(server: Server, prefix: string, baseUrl: BaseUrl, gate: Gate): void {
  gateConnections(server, gate);
  if (prefix !== '' || served.has(server)) return;
  served.add(server);
  continueOnRead(server);
  ignoreUnknownExpectations(server);
  rejectTunnels(server, baseUrl);
  // Properties, because they work with and without TLS. The API rejects a missing Host with a problem. Without a limit
  // on the number of headers, Node.js never drops a second Host or an If-Match silently.
  Object.assign(server, { requireHostHeader: false, maxHeadersCount: 0 });
}

/** Returns the server of a request, unless it is `known` or the request was injected. */
export function otherServer({ socket }: { readonly socket: IncomingSocket }, known: Server): Server | undefined {
  const { server } = socket;
  if (server === known) return undefined;
  return server instanceof Server || server instanceof HttpsServer ? server : undefined;
}

/**
 * Sends 100 (Continue) when a body is first read, unless the server has another listener for it. Node.js would send it
 * before any check, and clients would send bodies of rejected requests. An earlier response ends the connection, because its client may send the body or omit it (RFC 9110
 * section 10.1.1).
 */
function continueOnRead(server: Server): void {
  server.on('checkContinue', (request, response) => {
    if (server.listenerCount('checkContinue') > 1) return;
    if (sendsBody(request)) {
      const { shouldKeepAlive } = response;
      response.shouldKeepAlive = false;
      let isRead = false;
      const goOn = (): void => {
        if (isRead || response.headersSent) return;
        isRead = true;
        response.shouldKeepAlive = shouldKeepAlive;
        response.writeContinue();
      };
      request.once('resume', goOn);
      // An iterator reads without resuming.
      request.on('newListener', (event) => {
        if (event === 'readable') goOn();
      });
    }
    server.emit('request', request, response);
  });
}

/**
 * Ignores unknown expectations, to which Node.js would respond with 417 and no problem. A server may ignore them (RFC 9110
 * section 10.1.1).
 */
function ignoreUnknownExpectations(server: Server): void {
  if (server.listenerCount('checkExpectation') > 0) return;
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Rejects CONNECT unless the server has another listener for it. Node.js would close the connection. */
function rejectTunnels(server: Server, baseUrl: BaseUrl): void {
  // The socket of the request: another stream may stand for it while the request has an incomplete body.
  server.on('connect', ({ socket }) => {
    if (server.listenerCount('connect') > 1) return;
    // Empty, because the target of CONNECT is not a resource of the API (RFC 9110 section 10.2.1).
    const problem = {
      code: 'method_not_allowed',
      detail: 'CONNECT is not supported: this server is not a proxy.',
      headers: { allow: '' },
    } as const;
    // Node.js removes its listener, and an error without a listener ends the process.
    socket.on('error', () => undefined);
    void responsesClosed(socket).then(() => hangUp(socket, problem, baseUrl));
  });
}
