import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import type { ConnectionError, FastifyHttpOptions } from 'fastify';
import type { Socket } from 'node:net';
import { COMMON_HEADERS } from './conventions/common-headers.ts';
import { ERROR_CATALOG } from './conventions/error-catalog.ts';
import { connectionProblem, frameworkProblem } from './conventions/framework-errors.ts';
import { type BaseUrl, problemBody, problemHeaders, sendProblem } from './conventions/problem-details.ts';
import { requestId } from './conventions/request-id.ts';

/** Named, because what the compiler would infer leads into files of Fastify's that its package does not export. */
export type OrdersServerOptions = Pick<
  FastifyHttpOptions<Server>,
  | 'genReqId'
  | 'requestIdHeader'
  | 'http'
  | 'return503OnClosing'
  | 'routerOptions'
  | 'frameworkErrors'
  | 'clientErrorHandler'
>;

/**
 * What a Fastify server needs so that its own errors, which no plugin sees, are problem details too: malformed HTTP,
 * unreadable URLs. Spread it into the options of a server of your own.
 */
export function ordersServerOptions(publicBaseUrl: BaseUrl): OrdersServerOptions {
  return {
    genReqId: requestId,
    requestIdHeader: false,
    // A missing Host is refused by the plugin, with a problem; `http` options of your own go beside this one.
    http: { requireHostHeader: false },
    // A request on a kept-alive connection is still served while the server closes, and told to leave.
    return503OnClosing: false,
    // A long id is a bad parameter, not an unknown path; the limit of the URL bounds it.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    frameworkErrors: (error, request, reply) => {
      void reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
      void sendProblem(reply, frameworkProblem(error), publicBaseUrl);
    },
    clientErrorHandler: (error, socket) => answerMalformed(error, socket, publicBaseUrl),
  };
}

/** Answers bytes that are not HTTP, as far as the connection can still be written to, and ends it. */
function answerMalformed(error: ConnectionError, socket: Socket, baseUrl: BaseUrl): void {
  if (socket.destroyed || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const problem = connectionProblem(error.code);
  const { status } = ERROR_CATALOG[problem.code];
  const body = problemBody(problem, id, baseUrl);
  const headers = {
    ...COMMON_HEADERS,
    ...problemHeaders(problem),
    'x-request-id': id,
    'content-length': `${Buffer.byteLength(body)}`,
    date: new Date().toUTCString(),
    connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('')}\r\n${body}`);
}
