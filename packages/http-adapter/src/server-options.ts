import type { Server } from 'node:http';
import type { FastifyHttpOptions } from 'fastify';
import { COMMON_HEADERS } from './conventions/common-headers.ts';
import { corsHeaders } from './conventions/cors.ts';
import { urlProblem } from './conventions/framework-errors.ts';
import { answerMalformed } from './conventions/malformed-http.ts';
import { type BaseUrl, sendProblem } from './conventions/problem-details.ts';
import { requestId } from './conventions/request-id.ts';

/** Named, because what the compiler would infer leads into files of Fastify's that its package does not export. */
export type OrdersServerOptions = Pick<
  FastifyHttpOptions<Server>,
  'genReqId' | 'requestIdHeader' | 'return503OnClosing' | 'routerOptions' | 'frameworkErrors' | 'clientErrorHandler'
>;

/**
 * What a Fastify server needs, with TLS or without, so that its own errors, which no plugin sees, are problem details
 * too: malformed HTTP, unreadable URLs. Spread it into the options of a server of your own.
 * `corsOrigins` are those of the plugin.
 */
export function ordersServerOptions(publicBaseUrl: BaseUrl, corsOrigins?: readonly string[]): OrdersServerOptions {
  const cors = corsHeaders(corsOrigins);
  return {
    genReqId: requestId,
    requestIdHeader: false,
    // A request on a kept-alive connection is still served while the server closes, and told to leave.
    return503OnClosing: false,
    // A long id is a bad parameter, not an unknown path; the limit of the URL bounds it.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    frameworkErrors: (_error, request, reply) => {
      void reply.headers({ ...COMMON_HEADERS, ...cors(request.headers) }).header('x-request-id', request.id);
      void sendProblem(reply, urlProblem(), publicBaseUrl);
    },
    clientErrorHandler: (error, socket) => void answerMalformed(error, socket, publicBaseUrl),
  };
}
