import type { Owner } from '@orders/domain';
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyRequest,
  preParsingHookHandler,
  preValidationHookHandler,
} from 'fastify';
import type { Principal } from './principal.ts';

// Symbols, and no augmentation of Fastify's types: a host may use any name on its requests and routes.
const PRINCIPAL: unique symbol = Symbol('orders: principal');
const RESPONSE_TYPE: unique symbol = Symbol('orders: response type');
const READS_BODY: unique symbol = Symbol('orders: reads body');
const RESPONDS: unique symbol = Symbol('orders: responds');

const IS_HEALTH_CHECK: unique symbol = Symbol('orders: is health check');
const NAMES_VERSION: unique symbol = Symbol('orders: names version');

/** A request with what the API records on it. The properties are undefined on requests of other routes. */
type Kept = FastifyRequest & {
  [PRINCIPAL]?: Principal | undefined;
  [RESPONSE_TYPE]?: string | undefined;
  [READS_BODY]?: boolean | undefined;
  [RESPONDS]?: boolean | undefined;
};

/** Declares the state, so that all requests have one shape. */
export function declareRequestState(app: FastifyInstance): void {
  for (const name of [PRINCIPAL, RESPONSE_TYPE, READS_BODY, RESPONDS]) app.decorateRequest(name, undefined);
}

/**
 * Returns the principal of a request to the orders API, once it is authenticated: in hooks from `preParsing` on, and in
 * those that follow the response. `undefined` before, and for routes of others.
 */
export function principalOf(request: FastifyRequest): Principal | undefined {
  const kept: Kept = request;
  return kept[PRINCIPAL];
}

/** Records who sends the request. */
export function setPrincipal(request: FastifyRequest, principal: Principal): void {
  const kept: Kept = request;
  kept[PRINCIPAL] = principal;
}

/** Returns the owner whose resources an authenticated request is about. */
export function ownerOf(request: FastifyRequest): Owner {
  const kept: Kept = request;
  const principal = kept[PRINCIPAL];
  if (!principal) throw new Error('the request is not authenticated');
  return principal.owner;
}

/** What a success is sent as, chosen by `Accept`; empty until then. */
export function responseTypeOf(request: FastifyRequest): string {
  const kept: Kept = request;
  return kept[RESPONSE_TYPE] ?? '';
}

export function setResponseType(request: FastifyRequest, type: string): void {
  const kept: Kept = request;
  kept[RESPONSE_TYPE] = type;
}

/** Whether Fastify is reading the body: the only time at which its own errors are about the request. */
export function readsBody(request: FastifyRequest): boolean {
  const kept: Kept = request;
  return kept[READS_BODY] === true;
}

/** Records that Fastify reads the body from now on; the last hook before it does. */
export const beginBody: preParsingHookHandler = (request, _reply, _payload, done) => {
  const kept: Kept = request;
  kept[READS_BODY] = true;
  done();
};

/** Records that the body is read; the first hook afterwards. */
export const endBody: preValidationHookHandler = (request, _reply, done) => {
  const kept: Kept = request;
  kept[READS_BODY] = false;
  done();
};

/** Whether the API has begun to respond: from then on the status of the reply is its own and no hook's of the host. */
export function responds(request: FastifyRequest): boolean {
  const kept: Kept = request;
  return kept[RESPONDS] === true;
}

export function setResponds(request: FastifyRequest): void {
  const kept: Kept = request;
  kept[RESPONDS] = true;
}

/** What the API records of a route of its own. */
interface Recorded {
  /** Whether a machine asks by it how the server is: served under any load, and not logged each time. */
  readonly isHealthCheck?: boolean;
  /** Whether the path names the version. */
  readonly namesVersion?: boolean;
}

type Config = FastifyContextConfig & { readonly [IS_HEALTH_CHECK]?: boolean; readonly [NAMES_VERSION]?: boolean };

/** The `config` of a route of the API. */
export function routeConfig({ isHealthCheck = false, namesVersion = false }: Recorded): FastifyContextConfig {
  const config: Config = { [IS_HEALTH_CHECK]: isHealthCheck, [NAMES_VERSION]: namesVersion };
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
