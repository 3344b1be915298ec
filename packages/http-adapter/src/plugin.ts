import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { admission } from './admission/admission.ts';
import { rejectForeignOrigin } from './admission/authentication/foreign-origins.ts';
import { clients } from './admission/authentication/require-principal.ts';
import { checkDeprecations } from './admission/deprecation.ts';
import { unroutedHandler } from './admission/methods.ts';
import { eventWaiters } from './api/event-waiters.ts';
import type { Operation } from './api/operation.ts';
import { type DomainParts, operations } from './api/operations.ts';
import { pathsOf, serveOperations } from './api/serve-operations.ts';
import { baseUrlOf } from './base-url.ts';
import { sendLandingPage } from './public/landing-page.ts';
import { publicResources, servePublicResources } from './public/public-resources.ts';
import { UNOBSERVED } from './observer.ts';
import { openApiDocument } from './openapi/document.ts';
import { checkOptions, type OrdersHttpOptions } from './plugin-options.ts';
import { prefixOf } from './request/api-version.ts';
import type { Principal } from './principal.ts';
import { declareRequestState } from './request-state.ts';

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

/** Registers routes, hooks and decorators. The server of the application, its listeners and sockets stay as they are. */
function register(app: FastifyInstance, options: OrdersHttpOptions): void {
  const prefix = prefixOf(app);
  checkOptions(options, prefix);
  const { authentication, deprecations, whyNotReady } = options;
  const { authorizationServers, scopeChallenge } = authentication;
  const baseUrl = baseUrlOf(options.publicBaseUrl);
  const { domain }: DomainParts = options;
  const rejectOrigin = rejectForeignOrigin(authentication, options.corsOrigins, baseUrl);
  const principals = clients(authentication, options.ownerSettings);
  const admitting = admission<Principal, Operation>({ principals, rejectOrigin }, options, baseUrl, app.log);

  const waiters = eventWaiters(admitting.pause, options.observer ?? UNOBSERVED);
  const api = operations(options, {
    waiters,
    scopeChallenge,
    baseUrl,
    loopTime: admitting.loopTime,
  });
  checkDeprecations(deprecations, api);
  const document = () => openApiDocument(api, { baseUrl, deprecations, authentication, definition: domain.definition });
  const pages = publicResources(
    { document, definition: domain.definition, authorizationServers, whyNotReady },
    baseUrl,
  );
  const paths = [...pathsOf(api), ...pages.map(({ path }) => ({ path, methods: ['GET'] }))];

  declareRequestState(app);
  // Before the server waits for its requests.
  app.addHook('preClose', (done) => {
    waiters.close();
    done();
  });
  admitting.admitAll(app, unroutedHandler(paths, prefix, sendLandingPage, baseUrl));
  serveOperations(app, api, options, admitting, baseUrl);
  servePublicResources(app, pages, admitting);
}
