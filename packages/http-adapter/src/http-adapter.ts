import type { Domain } from '@orders/domain';
import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type Authenticate, requireScope } from './conventions/authentication.ts';
import { COMMON_HEADERS } from './conventions/common-headers.ts';
import { negotiateContent } from './conventions/content-negotiation.ts';
import { announceDeprecation, type Deprecations } from './conventions/deprecation.ts';
import { ignoreUnknownExpectations } from './conventions/expectations.ts';
import { frameworkProblem } from './conventions/framework-errors.ts';
import { namesItsHost } from './conventions/host-header.ts';
import { acceptMediaTypes, keepBodiesAsBytes } from './conventions/json-body.ts';
import { allowHeaders, findPath, type KnownPath } from './conventions/methods.ts';
import { type BaseUrl, type Problem, sendProblem } from './conventions/problem-details.ts';
import { requestId } from './conventions/request-id.ts';
import { sendResult } from './conventions/send-result.ts';
import { versionedPaths } from './conventions/versioning.ts';
import { type Route, routes } from './routes.ts';

/** What the API needs from whoever registers it. */
export interface OrdersHttpOptions {
  readonly domain: Domain;
  /** Finds out who asks: {@link apiKeyAuthentication}, or a way of your own. */
  readonly authenticate: Authenticate;
  /** Begins the `type` of every problem: `https://api.example.com`. Never taken from the request. */
  readonly publicBaseUrl: string | BaseUrl;
  /** The longest body, in bytes. Default 1 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /** The longest path and query, in bytes. Default 8 KiB. */
  readonly urlLimitBytes?: number | undefined;
  /** Operations that will be gone, by their id. Default none. */
  readonly deprecations?: Deprecations | undefined;
  /** Tells when a deprecated operation is gone. Default: the system's clock. */
  readonly now?: (() => Date) | undefined;
}

export const BODY_LIMIT_BYTES_DEFAULT = 1024 * 1024;
export const URL_LIMIT_BYTES_DEFAULT = 8 * 1024;

/**
 * The orders API as a Fastify plugin, with its conventions in a scope of its own, under `/v1` and, as version 1 for
 * good, without it. Fastify's `prefix` goes before both.
 */
export const ordersHttp: FastifyPluginCallback<OrdersHttpOptions> = (app, options, done) => {
  const { publicBaseUrl, urlLimitBytes = URL_LIMIT_BYTES_DEFAULT } = options;
  const baseUrl = typeof publicBaseUrl === 'string' ? () => publicBaseUrl : publicBaseUrl;
  const api = routes(options.domain);
  const answerUnrouted = answerWithoutRoute(knownPaths(api, app.prefix), baseUrl);

  app.setGenReqId(requestId);
  app.decorateRequest('principal');
  app.decorateRequest('answerType', '');
  ignoreUnknownExpectations(app.server);
  keepBodiesAsBytes(app);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(COMMON_HEADERS).header('x-request-id', request.id);
    const problem = refuseRequestLine(request, urlLimitBytes);
    if (problem) return sendProblem(reply, problem, baseUrl);
    // Before the body: whatever it is, nothing here would take it.
    return request.is404 ? answerUnrouted(request, reply) : undefined;
  });
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem = frameworkProblem(error);
    if (problem.code === 'internal_error') request.log.error({ err: error }, 'the request failed');
    return sendProblem(reply, problem, baseUrl);
  });
  app.setNotFoundHandler(answerUnrouted);

  const negotiate = negotiateContent(baseUrl);
  for (const { id, method, path, scope, body, answers, handle } of api) {
    const deprecation = options.deprecations?.[id];
    const onRequest = [
      ...(deprecation ? [announceDeprecation(deprecation, options.now ?? (() => new Date()), baseUrl)] : []),
      requireScope(options.authenticate, scope, baseUrl),
      ...(body ? [acceptMediaTypes(body.types, baseUrl)] : []),
      negotiate,
    ];
    for (const [index, url] of versionedPaths(path).entries()) {
      app.route({
        // Fastify's own HEAD would add a Content-Length of 0 to a 304.
        method: method === 'GET' ? ['GET', 'HEAD'] : method,
        exposeHeadRoute: false,
        url,
        config: { namesVersion: index === 0 },
        bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES_DEFAULT,
        onRequest,
        schema: answers ? { response: { '2xx': answers.schema } } : {},
        handler: (request, reply) => sendResult(request, reply, handle(request), baseUrl),
      });
    }
  }
  done();
};

/** What of a request can be refused before it is known what it is for. */
function refuseRequestLine({ raw, url }: FastifyRequest, urlLimitBytes: number): Problem | undefined {
  if (!namesItsHost(raw)) return { code: 'malformed_request', detail: 'Send one Host header.' };
  if (Buffer.byteLength(url) <= urlLimitBytes) return undefined;
  return { code: 'uri_too_long', detail: `Use a URL of at most ${urlLimitBytes} bytes.` };
}

function knownPaths(api: readonly Route[], prefix: string): readonly KnownPath[] {
  return [...Map.groupBy(api, ({ path }) => path)].flatMap(([path, group]) => {
    const patch = group.find(({ method }) => method === 'PATCH')?.body;
    const methods = group.map(({ method }) => method);
    const known = { methods, ...(patch && { acceptPatch: patch.types.join(', ') }) };
    return versionedPaths(path).map((versioned) => ({ path: `${prefix}${versioned}`, ...known }));
  });
}

/** Answers what no route is for: another method of a known path (RFC 9110 section 15.5.6), or an unknown path. */
function answerWithoutRoute(paths: readonly KnownPath[], baseUrl: BaseUrl) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = findPath(paths, request.url);
    if (!known) return sendProblem(reply, { code: 'not_found', detail: 'No resource has this path.' }, baseUrl);
    const headers = allowHeaders(known);
    if (request.method === 'OPTIONS')
      return reply
        .code(204)
        .headers({ ...headers, 'cache-control': 'no-store' })
        .send();
    const detail = `Use ${headers['allow']}.`;
    return sendProblem(reply, { code: 'method_not_allowed', detail, headers }, baseUrl);
  };
}
