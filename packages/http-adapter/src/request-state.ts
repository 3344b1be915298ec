import { type Owner, ResourceId } from '@orders/domain';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { Principal } from './principal.ts';

/** What the API keeps of a request. */
interface RequestState {
  /** Undefined until the request is authenticated. */
  principal: Principal | undefined;
  /** Who pays for an admitted request, and shares the server with others: an owner. Empty before its admission. */
  payer: string;
  /** The negotiated media type of a success. Empty before content negotiation. */
  responseType: string;
  /** Whether Fastify is reading the body. Only then are its own errors caused by the request. */
  readsBody: boolean;
  /** Whether the API has begun to respond. From then on, no hook of the host determines the status of the reply. */
  responds: boolean;
  /** `null` in place of an invalid or absent id. Undefined until it is looked for. */
  resourceId: ResourceId | null | undefined;
}

// Symbols instead of an augmentation of Fastify's types, because a host may use any name on its requests and routes.
const STATE: unique symbol = Symbol('orders: state');
const ROUTE: unique symbol = Symbol('orders: route');

type StatefulRequest = FastifyRequest & { [STATE]?: RequestState | undefined };

/** Returns the state of a request. That of a request to another route is never set. */
export function stateOf(request: FastifyRequest): RequestState {
  const stateful: StatefulRequest = request;
  return (stateful[STATE] ??= {
    principal: undefined,
    payer: '',
    responseType: '',
    readsBody: false,
    responds: false,
    resourceId: undefined,
  });
}

/** Declares the state, so that all requests have the same hidden class. */
export function declareRequestState(app: FastifyInstance): void {
  app.decorateRequest(STATE, undefined);
}

/**
 * Returns the principal of an authenticated request to the orders API: in the hook `preParsing` and all later hooks.
 * Returns `undefined` before that, and for routes outside of the API.
 */
export function principalOf(request: FastifyRequest): Principal | undefined {
  return stateOf(request).principal;
}

/** Returns the owner of an authenticated request. */
export function ownerOf(request: FastifyRequest): Owner {
  const { principal } = stateOf(request);
  if (!principal) throw new Error('the request is not authenticated');
  return principal.owner;
}

/** Returns who pays for an admitted request. */
export function payerOf(request: FastifyRequest): string {
  return stateOf(request).payer;
}

/**
 * Returns the id of the resource that a request is about: the id in the path, which the first call validates, or the id
 * that {@link setCreatedId} has recorded. `undefined` for an invalid id, and without one.
 */
export function resourceIdOf(request: FastifyRequest): ResourceId | undefined {
  const state = stateOf(request);
  if (state.resourceId === undefined) state.resourceId = parsePathId(request.params) ?? null;
  return state.resourceId ?? undefined;
}

function parsePathId(params: unknown): ResourceId | undefined {
  if (typeof params !== 'object' || params === null || !('id' in params)) return undefined;
  return typeof params.id === 'string' ? ResourceId.parse(params.id) : undefined;
}

/** Records the id of the resource that a request has created. */
export function setCreatedId(request: FastifyRequest, id: string): void {
  stateOf(request).resourceId = ResourceId.parse(id) ?? null;
}

/** What the body of a request may have at most. Checked before the body is parsed, so that it bounds the work. */
export interface BodyBudget {
  readonly bytes: number;
  /** Members of objects and elements of arrays, at all levels. */
  readonly values: number;
}

/** Properties of a route of the API. */
interface RouteProperties {
  /** Whether the route is a health check, which is never shed and is logged on level `debug`. */
  readonly isHealthCheck?: boolean;
  /** Whether the path contains the version. */
  readonly namesVersion?: boolean;
  /** Whether it writes without support for idempotency keys, so that a retry with one would write again. */
  readonly rejectsKeys?: boolean;
  /** The budget of its bodies, unless it ignores them. */
  readonly bodyBudget?: BodyBudget;
}

type Config = FastifyContextConfig & { readonly [ROUTE]?: RouteProperties };

/** Hides the routes from `@fastify/swagger` of the host application, because the API has a document of its own. */
const HIDDEN: FastifySchema & { readonly hide: boolean } = { hide: true };

/** Returns the options of a route of the API with some properties. */
export function ownRoute(properties: RouteProperties) {
  const config: Config = { [ROUTE]: properties };
  // Fastify's own HEAD would add a Content-Length of 0 to a 304.
  return { config, schema: HIDDEN, exposeHeadRoute: false };
}

/** Returns the properties of the route of a request. A route outside of the API has none. */
export function routeOf({ routeOptions }: FastifyRequest): RouteProperties {
  const config: Config = routeOptions.config;
  return config[ROUTE] ?? {};
}
