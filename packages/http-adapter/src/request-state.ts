import { type Owner, ResourceId } from '@orders/domain';
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify';
import type { Principal } from './principal.ts';

// Symbols instead of an augmentation of Fastify's types, because a host may use any name on its requests and routes.
const PRINCIPAL: unique symbol = Symbol('orders: principal');
const RESPONSE_TYPE: unique symbol = Symbol('orders: response type');
const READS_BODY: unique symbol = Symbol('orders: reads body');
const RESPONDS: unique symbol = Symbol('orders: responds');
const RESOURCE_ID: unique symbol = Symbol('orders: resource id');

const ROUTE: unique symbol = Symbol('orders: route');

/** A request with the state of the API. The properties are undefined on requests of other routes. */
type StatefulRequest = FastifyRequest & {
  [PRINCIPAL]?: Principal | undefined;
  [RESPONSE_TYPE]?: string | undefined;
  [READS_BODY]?: boolean | undefined;
  [RESPONDS]?: boolean | undefined;
  /** `null` in place of an invalid or absent id. */
  [RESOURCE_ID]?: ResourceId | null | undefined;
};

function stateOf(request: FastifyRequest): StatefulRequest {
  return request;
}

/** Declares the state, so that all requests have the same hidden class. */
export function declareRequestState(app: FastifyInstance): void {
  for (const name of [PRINCIPAL, RESPONSE_TYPE, READS_BODY, RESPONDS, RESOURCE_ID])
    app.decorateRequest(name, undefined);
}

/**
 * Returns the principal of an authenticated request to the orders API: in the hook `preParsing` and all later hooks.
 * Returns `undefined` before that, and for routes outside of the API.
 */
export function principalOf(request: FastifyRequest): Principal | undefined {
  return stateOf(request)[PRINCIPAL];
}

/** Sets the principal of a request. */
export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  stateOf(request)[PRINCIPAL] = principal;
}

/** Returns the owner of an authenticated request. */
export function ownerOf(request: FastifyRequest): Owner {
  const principal = stateOf(request)[PRINCIPAL];
  if (!principal) throw new Error('the request is not authenticated');
  return principal.owner;
}

/** Returns the actor of an authenticated request; `undefined` if it is unknown. */
export function actorOf(request: FastifyRequest): string | undefined {
  return principalOf(request)?.actor;
}

/** Returns the negotiated media type of a success. Empty before content negotiation. */
export function responseTypeOf(request: FastifyRequest): string {
  return stateOf(request)[RESPONSE_TYPE] ?? '';
}

export function setResponseType(request: FastifyRequest, type: string): void {
  stateOf(request)[RESPONSE_TYPE] = type;
}

/** Whether Fastify is reading the body. Only then are its own errors caused by the request. */
export function readsBody(request: FastifyRequest): boolean {
  return stateOf(request)[READS_BODY] === true;
}

/** Records whether Fastify is reading the body. */
export function setReadsBody(request: FastifyRequest, reads: boolean): void {
  stateOf(request)[READS_BODY] = reads;
}

/** Whether the API has begun to respond. From then on, no hook of the host determines the status of the reply. */
export function responds(request: FastifyRequest): boolean {
  return stateOf(request)[RESPONDS] === true;
}

export function setResponds(request: FastifyRequest): void {
  stateOf(request)[RESPONDS] = true;
}

/**
 * Returns the id of the resource that a request is about: the id in the path, which the first call validates, or the id
 * that {@link setCreatedId} has recorded. `undefined` for an invalid id, and without one.
 */
export function resourceIdOf(request: FastifyRequest): ResourceId | undefined {
  const stateful = stateOf(request);
  if (stateful[RESOURCE_ID] === undefined) stateful[RESOURCE_ID] = parsePathId(request.params) ?? null;
  return stateful[RESOURCE_ID] ?? undefined;
}

function parsePathId(params: unknown): ResourceId | undefined {
  if (typeof params !== 'object' || params === null || !('id' in params)) return undefined;
  return typeof params.id === 'string' ? ResourceId.parse(params.id) : undefined;
}

/** Records the id of the resource that a request has created. */
export function setCreatedId(request: FastifyRequest, id: string): void {
  stateOf(request)[RESOURCE_ID] = ResourceId.parse(id) ?? null;
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
function routeOf({ routeOptions }: FastifyRequest): RouteProperties {
  const config: Config = routeOptions.config;
  return config[ROUTE] ?? {};
}

export function isHealthCheck(request: FastifyRequest): boolean {
  return routeOf(request).isHealthCheck === true;
}

export function namesVersion(request: FastifyRequest): boolean {
  return routeOf(request).namesVersion === true;
}

export function rejectsKeys(request: FastifyRequest): boolean {
  return routeOf(request).rejectsKeys === true;
}

/** Returns the budget of the body of a request. */
export function bodyBudgetOf(request: FastifyRequest): BodyBudget {
  const { bodyBudget } = routeOf(request);
  if (!bodyBudget) throw new Error('the route has no body');
  return bodyBudget;
}
