import { type Owner, ResourceId } from '@orders/domain';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { Principal } from './principal.ts';

// Symbols instead of an augmentation of Fastify's types, because a host may use any name on its requests and routes.
const PRINCIPAL: unique symbol = Symbol('orders: principal');
const RESPONSE_TYPE: unique symbol = Symbol('orders: response type');
const READS_BODY: unique symbol = Symbol('orders: reads body');
const RESPONDS: unique symbol = Symbol('orders: responds');
const RESOURCE_ID: unique symbol = Symbol('orders: resource id');

const IS_HEALTH_CHECK: unique symbol = Symbol('orders: is health check');
const NAMES_VERSION: unique symbol = Symbol('orders: names version');
const BODY_BUDGET: unique symbol = Symbol('orders: body budget');

/** A request with the state of the API. The properties are undefined on requests of other routes. */
type StatefulRequest = FastifyRequest & {
  [PRINCIPAL]?: Principal | undefined;
  [RESPONSE_TYPE]?: string | undefined;
  [READS_BODY]?: boolean | undefined;
  [RESPONDS]?: boolean | undefined;
  /** `null` in place of an invalid or absent id. */
  [RESOURCE_ID]?: ResourceId | null | undefined;
};

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
  const stateful: StatefulRequest = request;
  return stateful[PRINCIPAL];
}

/** Sets the principal of a request. */
export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  const stateful: StatefulRequest = request;
  stateful[PRINCIPAL] = principal;
}

/** Returns the owner of an authenticated request. */
export function ownerOf(request: FastifyRequest): Owner {
  const stateful: StatefulRequest = request;
  const principal = stateful[PRINCIPAL];
  if (!principal) throw new Error('the request is not authenticated');
  return principal.owner;
}

/** Returns the actor of an authenticated request; `undefined` if it is unknown. */
export function actorOf(request: FastifyRequest): string | undefined {
  return principalOf(request)?.actor;
}

/** Returns the negotiated media type of a success. Empty before content negotiation. */
export function responseTypeOf(request: FastifyRequest): string {
  const stateful: StatefulRequest = request;
  return stateful[RESPONSE_TYPE] ?? '';
}

export function setResponseType(request: FastifyRequest, type: string): void {
  const stateful: StatefulRequest = request;
  stateful[RESPONSE_TYPE] = type;
}

/** Whether Fastify is reading the body. Only then are its own errors caused by the request. */
export function readsBody(request: FastifyRequest): boolean {
  const stateful: StatefulRequest = request;
  return stateful[READS_BODY] === true;
}

/** Marks the start of the reading of the body. The last hook before it. */
export const beginBody: preParsingHookHandler = (request, _reply, _payload, done) => {
  const stateful: StatefulRequest = request;
  stateful[READS_BODY] = true;
  done();
};

/** Marks the end of the reading of the body. The first hook after it. */
export const endBody: preValidationHookHandler = (request, _reply, done) => {
  const stateful: StatefulRequest = request;
  stateful[READS_BODY] = false;
  done();
};

/** Whether the API has begun to respond. From then on, no hook of the host determines the status of the reply. */
export function responds(request: FastifyRequest): boolean {
  const stateful: StatefulRequest = request;
  return stateful[RESPONDS] === true;
}

export function setResponds(request: FastifyRequest): void {
  const stateful: StatefulRequest = request;
  stateful[RESPONDS] = true;
}

/**
 * Returns the id of the resource that a request is about: the id in the path, which the first call validates, or the id
 * that {@link setCreatedId} has recorded. `undefined` for an invalid id, and without one.
 */
export function resourceIdOf(request: FastifyRequest): ResourceId | undefined {
  const stateful: StatefulRequest = request;
  if (stateful[RESOURCE_ID] === undefined) stateful[RESOURCE_ID] = parsePathId(request.params) ?? null;
  return stateful[RESOURCE_ID] ?? undefined;
}

function parsePathId(params: unknown): ResourceId | undefined {
  if (typeof params !== 'object' || params === null || !('id' in params)) return undefined;
  return typeof params.id === 'string' ? ResourceId.parse(params.id) : undefined;
}

/** Records the id of the resource that a request has created. */
export function setCreatedId(request: FastifyRequest, id: string): void {
  const stateful: StatefulRequest = request;
  stateful[RESOURCE_ID] = ResourceId.parse(id) ?? null;
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
  /** The budget of its bodies, unless it ignores them. */
  readonly bodyBudget?: BodyBudget;
}

type Config = FastifyContextConfig & {
  readonly [IS_HEALTH_CHECK]?: boolean;
  readonly [NAMES_VERSION]?: boolean;
  readonly [BODY_BUDGET]?: BodyBudget | undefined;
};

/** Returns the `config` of a route of the API. */
export function routeConfig({
  isHealthCheck = false,
  namesVersion = false,
  bodyBudget,
}: RouteProperties): FastifyContextConfig {
  const config: Config = {
    [IS_HEALTH_CHECK]: isHealthCheck,
    [NAMES_VERSION]: namesVersion,
    [BODY_BUDGET]: bodyBudget,
  };
  return config;
}

export function isHealthCheck({ routeOptions }: FastifyRequest): boolean {
  const config: Config = routeOptions.config;
  return config[IS_HEALTH_CHECK] === true;
}

export function namesVersion({ routeOptions }: FastifyRequest): boolean {
  const config: Config = routeOptions.config;
  return config[NAMES_VERSION] === true;
}

/** Returns the budget of the body of a request. */
export function bodyBudgetOf({ routeOptions }: FastifyRequest): BodyBudget {
  const config: Config = routeOptions.config;
  const budget = config[BODY_BUDGET];
  if (!budget) throw new Error('the route has no body');
  return budget;
}
