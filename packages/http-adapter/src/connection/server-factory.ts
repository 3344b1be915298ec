import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { FastifyHttpOptions, FastifyHttpsOptions } from 'fastify';
import { type ConnectionOptions, gateConnections } from './connection-gate.ts';
import { hangUp, responsesClosed } from './malformed-http.ts';
import { sendsBody } from './request-head.ts';
import type { BaseUrl } from '../problems/problem.ts';

/** The options of Fastify that determine its server, with its defaults. It leaves all of them to a factory. */
type ServerSettings = Pick<
  Required<FastifyHttpOptions<Server> & Partial<FastifyHttpsOptions<never>>>,
  'http' | 'https' | 'connectionTimeout' | 'keepAliveTimeout' | 'requestTimeout' | 'maxRequestsPerSocket'
> & { readonly http2?: boolean };

/** Returns a function that creates a server as Fastify does, whose connections pass a gate to `handler`. */
export function gatedServers(
  options: ConnectionOptions,
): (handler: RequestListener, settings: ServerSettings) => Server {
  return (handler, { http, https, http2, connectionTimeout, ...settings }) => {
    if (http2) throw new TypeError('this serverFactory makes no servers of HTTP/2: leave out http2');
    const server = https ? createTlsServer({ ...https }) : createServer({ ...http });
    gateConnections(server, handler, options);
    const { keepAliveTimeout, requestTimeout, maxRequestsPerSocket } = settings;
    Object.assign(server, { keepAliveTimeout, requestTimeout, maxRequestsPerSocket });
    return server.setTimeout(connectionTimeout);
  };
}

/** Makes the API respond where Node.js would respond without a problem, or not at all. Returns the server. */
export function leaveResponsesToApi<S extends Server>(server: S, baseUrl: BaseUrl): S {
  continueOnRead(server);
  // Unknown ones are ignored (RFC 9110 section 10.1.1). Node.js would respond with 417 and no problem.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  rejectTunnels(server, baseUrl);
  // Properties, because they work with and without TLS. The API rejects a missing Host with a problem. Without a limit
  // on the number of headers, Node.js never drops a second Host or an If-Match silently.
  return Object.assign(server, { requireHostHeader: false, maxHeadersCount: 0 });
}

/**
 * Sends 100 (Continue) when a body is first read, unless the server has another listener for it. Node.js would send it
 * before any check, and clients would send bodies of rejected requests. An earlier response ends the connection, because
 * its client may send the body or omit it (RFC 9110 section 10.1.1). Without a body nothing is decided by it, and Java's
 * client before 20 never returns when another response comes first (JDK-8286171).
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
    } else response.writeContinue();
    server.emit('request', request, response);
  });
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
