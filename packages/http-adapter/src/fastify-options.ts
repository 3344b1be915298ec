import type { Server } from 'node:http';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { baseUrlOf } from './base-url.ts';
import { COMMON_HEADERS } from './connection/response-headers.ts';
import { corsHeaders, requestId } from './admission/common-headers.ts';
import { urlProblem } from './problems/from-framework.ts';
import { rejectMalformed } from './connection/malformed-http.ts';
import { type BaseUrl, sendProblem } from './problems/problem.ts';
import { RequestLog } from './logging/request-log.ts';

/**
 * What {@link ordersServerOptions} sets. Named, because what the compiler would infer leads into files of Fastify's
 * that its package does not export.
 */
export type OrdersServerOptions = Pick<
  FastifyHttpOptions<Server>,
  | 'genReqId'
  | 'requestIdHeader'
  | 'return503OnClosing'
  | 'routerOptions'
  | 'frameworkErrors'
  | 'clientErrorHandler'
  | 'logController'
>;

/**
 * What a Fastify server needs, with TLS or without, so that its own errors, which no plugin sees, are problem details
 * too: malformed HTTP, unreadable URLs; and so that its log has a line for each request, without personal data. Spread
 * it into the options of a server of your own. `publicBaseUrl` and `corsOrigins` are those of the plugin.
 *
 * @throws {TypeError} for a `corsOrigins` that no browser would send, or a `publicBaseUrl` that is no base URL
 */
export function ordersServerOptions(
  publicBaseUrl: string | BaseUrl,
  corsOrigins?: readonly string[],
): OrdersServerOptions {
  const baseUrl = baseUrlOf(publicBaseUrl);
  const cors = corsHeaders(corsOrigins);
  return {
    genReqId: requestId,
    requestIdHeader: false,
    logController: new RequestLog(),
    // A request on a kept-alive connection is still served while the server closes, and told to leave.
    return503OnClosing: false,
    // A long id is a bad parameter, not an unknown path; the limit of the URL bounds it.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    frameworkErrors: (_error, request, reply) => {
      void reply.headers({ ...COMMON_HEADERS, ...cors(request.headers) }).header('x-request-id', request.id);
      void sendProblem(reply, urlProblem(), baseUrl);
    },
    clientErrorHandler(this: FastifyInstance, error, socket) {
      void rejectMalformed(error, socket, baseUrl, this.log);
    },
  };
}
