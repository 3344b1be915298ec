import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { rejectForeignOrigin } from './admission/authentication/foreign-origins.ts';
import { requireScope } from './admission/authentication/require-scope.ts';
import { checkOptions, type OrdersHttpOptions, URL_LIMIT_BYTES_DEFAULT } from './plugin-options.ts';
import { baseUrlOf } from './base-url.ts';
import { closeAfterLongBody } from './connection/response-headers.ts';
import { announceDeprecation, checkDeprecations } from './admission/deprecation.ts';
import { frameworkProblem } from './problems/from-framework.ts';
import { hostRejection, sendHostRejection } from './problems/from-host.ts';
import { boundPieces, keepBodiesAsBytes } from './request/json-body.ts';
import { type LoadShedding, loadShedding, type LoopTime } from './admission/load-shedding.ts';
import { redactError } from './logging/redacted-error.ts';
import { acceptBodies, negotiateContent, rejectUntypedBody } from './request/media-types.ts';
import { allowHeaders, findPath, type KnownPath } from './admission/methods.ts';
import { OwnFault, throwOwnFault } from './problems/own-fault.ts';
import { type BaseUrl, sendProblem } from './problems/problem.ts';
import { checkRequestLine } from './admission/request-line.ts';
import { WHOLE_SERVER } from './connection/request-head.ts';
import { commonHeaders, preflightHeaders, requestId } from './admission/common-headers.ts';
import { respondWith } from './response/send-response.ts';
import { serializerOf } from './api/serializers.ts';
import { UNREAD_BYTES_MAX_DEFAULT, type UnreadResponses, unreadResponses } from './connection/unread-responses.ts';
import { prefixOf, versionedPaths } from './request/api-version.ts';
import { UNOBSERVED } from './observer.ts';
import { openApiDocument } from './openapi/document.ts';
import { ASSETS } from './endpoints/assets.ts';
import { DOCS_PAGE, openApiPage } from './endpoints/docs.ts';
import { healthPages } from './endpoints/health.ts';
import { sendLandingPage } from './endpoints/landing-page.ts';
import type { Page } from './endpoints/page.ts';
import { problemPages } from './endpoints/problem-pages.ts';
import { protectedResourcePages } from './endpoints/protected-resource.ts';
import { limitPublic, loopTimeKey, type RateLimits, rateLimits } from './admission/rate-limits/rate-limits.ts';
import { beginBody, declareRequestState, endBody, routeConfig, setResponds } from './request-state.ts';
import { bodyBudget } from './api/body-budget.ts';
import { eventWaiters } from './api/event-waiters.ts';
import type { Operation } from './api/operation.ts';
import { type DomainParts, operations } from './api/operations.ts';

const TIME_LIMIT_MS_DEFAULT = 30_000;

/**
 * Serves the orders API as a Fastify plugin. Each operation has two paths: one under `/v1`, and one without a version
 * segment that always means version 1. Fastify's `prefix` precedes both, and routes outside of the prefix are
 * unaffected. Without a prefix the plugin handles unknown paths of the whole server, so the application cannot have a
 * not-found handler of its own.
 *
 * @throws {TypeError} for an option that is missing or has the wrong type, a `prefix` with parameters, an invalid origin
 *   in `corsOrigins`, or an invalid `publicBaseUrl`
 * @throws {RangeError} for a number that is out of range, or a deprecation with an invalid date, a period of less than
 *   twelve months or an unknown operation
 */
export const ordersHttp: FastifyPluginAsync<OrdersHttpOptions> = (app, options) =>
  // Fastify reports an error that a plugin throws synchronously only as a start-up timeout.
  new Promise((resolve) => {
    register(app, options);
    resolve();
  });

function register(app: FastifyInstance, options: OrdersHttpOptions): void {
  const prefix = prefixOf(app);
  checkOptions(options, prefix);
  const { authentication, publicBaseUrl, deprecations, now = () => new Date() } = options;
  const baseUrl = baseUrlOf(publicBaseUrl);
  const { observer = UNOBSERVED, unreadBytesMax = UNREAD_BYTES_MAX_DEFAULT } = options;
  const shedding = loadShedding(options);
  const waiters = eventWaiters(shedding.pause, observer);
  const { domain }: DomainParts = options;
  const { definition } = domain;
  const api = operations(options, { waiters, scopeChallenge: authentication.scopeChallenge });
  checkDeprecations(deprecations, api);
  const document = () => openApiDocument(api, { prefix, deprecations, authentication, definition });
  const pages = [
    DOCS_PAGE,
    ...ASSETS,
    openApiPage(document),
    ...problemPages(baseUrl, definition),
    ...protectedResourcePages(authentication.authorizationServers, baseUrl),
    ...healthPages(options.whyNotReady ?? (() => Promise.resolve(null)), baseUrl),
  ];
  const limits = rateLimits(options.rateLimits, now, app.log, observer);
  const unread = unreadResponses(unreadBytesMax, observer);
  const shared = { limits, unread, baseUrl, shedding };

  app.setGenReqId(requestId);
  declareRequestState(app);
  keepBodiesAsBytes(app);
  // Before the server waits for its requests.
  app.addHook('preClose', (done) => {
    waiters.close();
    done();
  });
  handleEveryRequest(app, unroutedHandler(knownPaths(api, pages, prefix), prefix, baseUrl), options, shared);
  for (const route of api) serveOperation(app, route, { ...options, now }, shared);
  for (const { path, isHealthCheck = false, handle } of pages) {
    const config = routeConfig({ isHealthCheck });
    const onRequest = isHealthCheck ? [] : [limitPublic(limits, shedding.admitKey, baseUrl)];
    const handler = pageHandler(handle, shedding.loopTime);
    app.route({
      method: ['GET', 'HEAD'],
      exposeHeadRoute: false,
      url: path,
      config,
      schema: HIDDEN,
      onRequest,
      handler,
    });
  }
}

/** The state that all requests of one registration share. */
interface Shared {
  readonly limits: RateLimits;
  readonly unread: UnreadResponses;
  readonly baseUrl: BaseUrl;
  readonly shedding: LoadShedding;
}

/** Adds the hooks and handlers for every request, including unknown paths, and for every error. */
function handleEveryRequest(
  app: FastifyInstance,
  handleUnrouted: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
  options: OrdersHttpOptions,
  { limits, baseUrl, shedding }: Shared,
): void {
  const { urlLimitBytes = URL_LIMIT_BYTES_DEFAULT, corsOrigins } = options;
  const limitUnrouted = limitPublic(limits, shedding.admitKey, baseUrl);
  const setCommonHeaders = commonHeaders(corsOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    const problem = shedding.admit(request, reply) ?? checkRequestLine(request, urlLimitBytes);
    if (problem) void sendProblem(reply, problem, baseUrl);
    // Before the body is read, because no route would use it.
    else if (request.is404) {
      limitUnrouted(request, reply, (error) => {
        if (error) done(error);
        else void handleUnrouted(request, reply);
      });
    } else done();
  });
  // Also for the replies of hooks of the host application.
  app.addHook('onSend', (request, reply, _payload, done) => {
    closeAfterLongBody(request, reply);
    done();
  });
  app.setErrorHandler((error: unknown, request, reply) => {
    // A hook of the host application may have thrown before the hook above.
    setCommonHeaders(request, reply);
    const rejection = hostRejection(error, request, reply);
    if (rejection) return sendHostRejection(reply, rejection, baseUrl);
    const problem = frameworkProblem(error, request);
    if (problem.code === 'internal_error') {
      const cause = error instanceof OwnFault ? error.cause : error;
      request.log.error({ err: redactError(cause) }, 'the request failed');
    }
    return sendProblem(reply, problem, baseUrl);
  });
  app.setNotFoundHandler(handleUnrouted);
}

/** Registers one operation under each of its paths, with its checks in the documented order. */
function serveOperation(
  app: FastifyInstance,
  route: Operation,
  options: OrdersHttpOptions & { readonly now: () => Date },
  { limits, unread, baseUrl, shedding }: Shared,
): void {
  const { id, method, path, scope, body, response, waitMaxMs = 0, handle } = route;
  const deprecation = options.deprecations?.[id];
  const isRead = method === 'GET';
  const rejectOrigin = isRead ? undefined : rejectForeignOrigin(options.authentication, options.corsOrigins, baseUrl);
  const onRequest = [
    ...(deprecation ? [announceDeprecation(deprecation, options.now, baseUrl)] : []),
    requireScope(
      options.authentication,
      { limits, unread, admitKey: shedding.admitKey },
      { scope, rejectOrigin },
      baseUrl,
    ),
    ...(body ? [acceptBodies(body.types, baseUrl)] : []),
  ];
  const serialize = response && serializerOf(response.schema);
  const limitMs = (options.timeLimitMs ?? TIME_LIMIT_MS_DEFAULT) + waitMaxMs;
  const untyped = body ? [rejectUntypedBody(body.types, baseUrl)] : [];
  const budget = bodyBudget(body?.schema);
  for (const [index, url] of versionedPaths(path).entries()) {
    app.route({
      // Fastify's own HEAD would add a Content-Length of 0 to a 304.
      method: method === 'GET' ? ['GET', 'HEAD'] : method,
      exposeHeadRoute: false,
      url,
      config: routeConfig({ namesVersion: index === 0, bodyBudget: budget }),
      bodyLimit: Math.min(budget.bytes, options.bodyLimitBytes ?? Number.POSITIVE_INFINITY),
      onRequest,
      preParsing: [...untyped, negotiateContent(baseUrl), ...(isRead ? [] : [boundPieces, beginBody])],
      preValidation: isRead ? [] : endBody,
      schema: HIDDEN,
      handler: respondWith(handle, { limitMs, unread, loopTime: shedding.loopTime, baseUrl, serialize }),
    });
  }
}

/** Hides the routes from `@fastify/swagger` of the host application, because the API has a document of its own. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true };

/** Wraps the handler of a page, so that hooks of the host do not take its replies and errors for their own. */
function pageHandler(handle: Page['handle'], loopTime: LoopTime): Page['handle'] {
  return (request, reply) => {
    setResponds(request);
    try {
      const began = loopTime.begin();
      const handled = handle(request, reply);
      loopTime.charge(loopTimeKey(request), began);
      return handled instanceof Promise ? handled.catch(throwOwnFault) : handled;
    } catch (cause) {
      return throwOwnFault(cause);
    }
  };
}

function knownPaths(api: readonly Operation[], pages: readonly Page[], prefix: string): readonly KnownPath[] {
  const operations = [...Map.groupBy(api, ({ path }) => path)].flatMap(([path, group]) => {
    const patch = group.find(({ method }) => method === 'PATCH')?.body;
    const methods = group.map(({ method }) => method);
    const known = { methods, ...(patch && { acceptPatch: patch.types.join(', ') }) };
    return versionedPaths(path).map((versioned) => ({ path: `${prefix}${versioned}`, ...known }));
  });
  return [...operations, ...pages.map(({ path }) => ({ path: `${prefix}${path}`, methods: ['GET'] }))];
}

/**
 * Responds to requests without a route: an unknown path, an unsupported method of a known path (RFC 9110
 * section 15.5.6), or the path of the landing page.
 */
function unroutedHandler(paths: readonly KnownPath[], prefix: string, baseUrl: BaseUrl) {
  const landing = [{ path: `${prefix}/`, methods: [] }];
  // The methods that any resource of the server supports (RFC 9110 section 9.3.7).
  const wholeServer = { path: WHOLE_SERVER, methods: [...new Set(paths.flatMap(({ methods }) => methods))] };
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const known = request.url === WHOLE_SERVER ? wholeServer : findPath(paths, request.url);
    const page = findPath(landing, request.url) && sendLandingPage(request, reply, baseUrl);
    if (page) return page;
    if (!known) return sendProblem(reply, { code: 'not_found', detail: 'No resource exists at this path.' }, baseUrl);
    const headers = allowHeaders(known);
    if (request.method === 'OPTIONS') {
      const preflight = reply.hasHeader('access-control-allow-origin') ? preflightHeaders(headers.allow) : {};
      return reply
        .code(204)
        .headers({ ...headers, ...preflight, 'cache-control': 'no-store' })
        .send();
    }
    const detail = `The path supports the methods ${headers.allow}.`;
    return sendProblem(reply, { code: 'method_not_allowed', detail, headers }, baseUrl);
  };
}
