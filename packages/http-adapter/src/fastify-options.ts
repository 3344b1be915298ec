import type { RequestListener, Server } from 'node:http';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { baseUrlOf } from './base-url.ts';
import type { ConnectionOptions } from './connection/connection-gate.ts';
import { closeAfterLongBody, COMMON_HEADERS } from './connection/response-headers.ts';
import { gatedServers, leaveResponsesToApi } from './connection/server-factory.ts';
import { corsHeaders, requestId } from './admission/common-headers.ts';
import { addressKey, widerKey } from './admission/rate-limits/address-key.ts';
import { urlProblem } from './problems/from-framework.ts';
import { rejectMalformed } from './connection/malformed-http.ts';
import { checkNumber, type OrdersHttpOptions, TIMER_MAX_MS } from './plugin-options.ts';
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
> & { readonly serverFactory: OrdersServerFactory };

/** A `serverFactory` of Fastify, for HTTP/1.1 with or without TLS. */
export type OrdersServerFactory = <S extends Server>(handler: RequestListener, options: Record<string, unknown>) => S;

/**
 * Returns a `serverFactory` for a Fastify application of your own. Its server has the options of Fastify, such as `http`,
 * `https` and `requestTimeout`, and bounds each connection, for all routes:
 *
 * - Of pipelined requests, at most eight are processed at a time, an unsafe one alone, and none after a response that ends
 *   the connection. Further ones wait in the socket.
 * - A client that does not read its responses loses its connection.
 * - A client that is still sending receives a response that ends the connection. After a response, at most 64 KiB of the
 *   body of its request are parsed.
 *
 * Servers of Node.js bound none of this. With a factory Fastify listens on one address, also for the host `localhost`. The
 * time of reading is checked from `listening` on. The factory throws a `TypeError` for the option `http2`, for which it
 * has no server.
 *
 * @throws {RangeError} for a `responseReadTimeoutMs` that is out of range
 */
export function ordersServerFactory(options: ConnectionOptions = {}): OrdersServerFactory {
  checkNumber('responseReadTimeoutMs', options.responseReadTimeoutMs, 1, TIMER_MAX_MS);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Fastify passes its own options, and types them less
  return gatedServers(options) as OrdersServerFactory;
}

/** Options of {@link ordersServerOptions}. */
interface ServerOptions extends ConnectionOptions, Pick<OrdersHttpOptions, 'corsOrigins'> {
  /** Whether a line of the log has the network of the client: the /24 of an IPv4 address, the /48 of an IPv6 one. Default: false. */
  readonly logsNetworks?: boolean | undefined;
}

/**
 * Returns options for a Fastify server of the API alone, with or without TLS. They include {@link ordersServerFactory}.
 * Errors that no plugin sees become problem details: malformed HTTP, invalid URLs, a missing `Host`, CONNECT. 100
 * (Continue) is sent when a body is read, not before the request is checked. The log gets one line per request, without
 * personal data. Spread them into the options of your own server. Pass the same `publicBaseUrl` and `corsOrigins` as to
 * the plugin.
 *
 * @throws {TypeError} for an invalid origin in `corsOrigins`, or an invalid `publicBaseUrl`
 * @throws {RangeError} for a `responseReadTimeoutMs` that is out of range
 */
export function ordersServerOptions(
  publicBaseUrl: string | BaseUrl,
  { corsOrigins, logsNetworks = false, ...connections }: ServerOptions = {},
): OrdersServerOptions {
  const baseUrl = baseUrlOf(publicBaseUrl);
  const cors = corsHeaders(corsOrigins);
  const createServer = ordersServerFactory(connections);
  return {
    serverFactory: (handler, options) => leaveResponsesToApi(createServer(handler, options), baseUrl),
    genReqId: requestId,
    requestIdHeader: false,
    logController: new RequestLog(logsNetworks ? (ip) => widerKey(addressKey(ip)) : undefined),
    // While the server closes, requests on keep-alive connections are still served, with `Connection: close`.
    return503OnClosing: false,
    // A long id is an invalid parameter, not an unknown path. The limit of the URL bounds its length.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    frameworkErrors: (_error, request, reply) => {
      void reply.headers({ ...COMMON_HEADERS, ...cors(request.headers) }).header('x-request-id', request.id);
      closeAfterLongBody(request, reply);
      void sendProblem(reply, urlProblem(), baseUrl);
    },
    clientErrorHandler(this: FastifyInstance, error, socket) {
      void rejectMalformed(error, socket, baseUrl, this.log);
    },
  };
}
