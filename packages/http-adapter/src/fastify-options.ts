import type { Server } from 'node:http';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { baseUrlOf } from './base-url.ts';
import { boundUnreadBody } from './connection/connection-gate.ts';
import { COMMON_HEADERS } from './connection/response-headers.ts';
import { corsHeaders, requestId } from './admission/common-headers.ts';
import { urlProblem } from './problems/from-framework.ts';
import { rejectMalformed } from './connection/malformed-http.ts';
import { type BaseUrl, sendProblem } from './problems/problem.ts';
import { RequestLog } from './logging/request-log.ts';

/**
 * The options that {@link ordersServerOptions} sets. Declared, because the inferred type would refer to files that the
 * package `fastify` does not export.
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
 * Returns options for a Fastify server, with or without TLS. They turn errors that no plugin sees, such as malformed HTTP
 * and invalid URLs, into problem details. The log gets one line per request, without personal data. Spread them into the
 * options of your own server. Pass the same `publicBaseUrl` and `corsOrigins` as to the plugin.
 *
 * @throws {TypeError} for an invalid origin in `corsOrigins`, or an invalid `publicBaseUrl`
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
    // While the server closes, requests on keep-alive connections are still served, with `Connection: close`.
    return503OnClosing: false,
    // A long id is an invalid parameter, not an unknown path. The limit of the URL bounds its length.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    frameworkErrors: (_error, request, reply) => {
      void reply.headers({ ...COMMON_HEADERS, ...cors(request.headers) }).header('x-request-id', request.id);
      boundUnreadBody(request.raw, reply.raw);
      void sendProblem(reply, urlProblem(), baseUrl);
    },
    clientErrorHandler(this: FastifyInstance, error, socket) {
      void rejectMalformed(error, socket, baseUrl, this.log);
    },
  };
}
