import type { Domain } from '@orders/domain';
import type { Authentication } from './admission/authentication/authentication.ts';
import type { Deprecations } from './admission/deprecation.ts';
import type { RateLimitOptions } from './admission/rate-limits/rate-limits.ts';
import type { Readiness } from './endpoints/health.ts';
import type { OrdersHttpObserver } from './observer.ts';
import type { BaseUrl } from './problems/problem.ts';

/** Options of the plugin. */
export interface OrdersHttpOptions {
  /** The use cases, as `createDomain` of `@orders/domain` makes them. */
  readonly domain: Domain;
  /** Finds out who asks: {@link authenticateBy}, or a way of your own. */
  readonly authentication: Authentication;
  /**
   * Begins the `type` of every problem, whose page is served below the prefix: `https://api.example.com`, or with the
   * prefix `/shop`, `https://api.example.com/shop`. An http or https URL without user info, query or fragment; a slash
   * at its end is dropped. Never taken from the request.
   */
  readonly publicBaseUrl: string | BaseUrl;
  /** The longest body, in bytes. Default 1 MiB. */
  readonly bodyLimitBytes?: number | undefined;
  /** The longest path and query, in bytes. Default 8 KiB. */
  readonly urlLimitBytes?: number | undefined;
  /** Where pages come from that may use the API by script: `https://shop.example.com`. Default none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** How long the work for one request may take, in milliseconds. Default 30,000. */
  readonly timeLimitMs?: number | undefined;
  /**
   * How long a client may take to read a response, in milliseconds, and as long again for each MiB of it. Then its
   * connection is destroyed. Of several plugins on one server the first one decides. Default 30,000.
   */
  readonly responseReadTimeoutMs?: number | undefined;
  /** The most response bytes that the clients of one owner may leave unread before it gets 429. Default 32 MiB. */
  readonly unreadBytesMax?: number | undefined;
  /** The most requests under way at once. Further ones get 503 with `Retry-After`. Default 1,000. */
  readonly concurrencyMax?: number | undefined;
  /** Whether this process has too much to do for now, as far as its host can tell. Default never. */
  readonly isOverloaded?: (() => boolean) | undefined;
  /** Asked by `/readyz`. Default: always ready. */
  readonly whyNotReady?: Readiness | undefined;
  /**
   * Limits on the requests of owners and addresses. Default a minute: 600 reads and 120 writes of an owner; of an address
   * 60 requests without valid credentials, and 600 that need none.
   */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Operations that will be gone, by their id. Default none. */
  readonly deprecations?: Deprecations | undefined;
  /** Receives rate-limit, load-shedding and connection events. Default: no-op. */
  readonly observer?: OrdersHttpObserver | undefined;
  /** Tells when a deprecated operation is gone and when rate limits begin anew. Default: the system's clock. */
  readonly now?: (() => Date) | undefined;
}

/** The longest body unless the options say otherwise, in bytes. */
export const BODY_LIMIT_BYTES_DEFAULT = 1024 * 1024;
/** The longest path and query unless the options say otherwise, in bytes. */
export const URL_LIMIT_BYTES_DEFAULT = 8 * 1024;

const USE_CASES: Readonly<Record<keyof Domain, true>> = {
  placeOrder: true,
  getOrder: true,
  listOrders: true,
  listOrderItems: true,
  changeOrder: true,
  cancelOrder: true,
  deleteOrder: true,
  createCustomer: true,
  getCustomer: true,
  listCustomers: true,
  changeCustomer: true,
  deleteCustomer: true,
};

/** What a timer of Node.js can wait at most. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Checks the options of the plugin before anything is registered. Names that it does not know are left alone: loaders
 * such as `@fastify/autoload` hand the same options to every plugin.
 *
 * @throws {TypeError} for an option that is missing or of another kind
 * @throws {RangeError} for a number out of its range
 */
export function checkOptions(options: OrdersHttpOptions, prefix: string): void {
  const { authentication, publicBaseUrl, rateLimits = {}, corsOrigins } = options;
  if (/[:*]/.test(prefix)) {
    throw new TypeError(`prefix must have no parameters, because the API writes it into links, got ${prefix}`);
  }
  const missing = Object.keys(USE_CASES).find((name) => typeof memberOf(options.domain, name) !== 'function');
  if (missing !== undefined) {
    throw new TypeError(`domain must be made by createDomain of @orders/domain, it has no ${missing}`);
  }
  if (typeof memberOf(authentication, 'authenticate') !== 'function') {
    throw new TypeError('authentication must be that of authenticateBy, or have a function authenticate');
  }
  checkSchemes(memberOf(authentication, 'securitySchemes'));
  if (typeof publicBaseUrl !== 'string' && typeof publicBaseUrl !== 'function') {
    throw new TypeError('publicBaseUrl must be a URL such as https://api.example.com, or a function that returns one');
  }
  if (corsOrigins !== undefined && !Array.isArray(corsOrigins)) {
    throw new TypeError('corsOrigins must be a list of origins');
  }
  checkFunctions('authentication.', authentication, ['challenge', 'scopeChallenge', 'isAmbient']);
  checkFunctions('', options, ['isOverloaded', 'whyNotReady', 'now']);
  checkNumbers(options);
  checkRates(rateLimits);
}

function checkSchemes(schemes: unknown): void {
  const isScheme = ([name, scheme]: readonly [string, unknown]) =>
    /^[\w.-]+$/.test(name) && typeof memberOf(scheme, 'type') === 'string';
  if (typeof schemes !== 'object' || schemes === null || !Object.entries(schemes).every(isScheme)) {
    throw new TypeError('authentication.securitySchemes must have security schemes of OpenAPI, by their names');
  }
}

function checkFunctions(place: string, holder: unknown, names: readonly string[]): void {
  const wrong = names.find((name) => !['undefined', 'function'].includes(typeof memberOf(holder, name)));
  if (wrong !== undefined) throw new TypeError(`${place}${wrong} must be a function`);
}

function checkNumbers(options: OrdersHttpOptions): void {
  const { bodyLimitBytes, urlLimitBytes, timeLimitMs, concurrencyMax, responseReadTimeoutMs, unreadBytesMax } = options;
  const max = Number.MAX_SAFE_INTEGER;
  checkNumber('bodyLimitBytes', bodyLimitBytes, 1, max);
  checkNumber('urlLimitBytes', urlLimitBytes, 1, max);
  checkNumber('timeLimitMs', timeLimitMs, 1, TIMER_MAX_MS);
  checkNumber('concurrencyMax', concurrencyMax, 1, max);
  checkNumber('responseReadTimeoutMs', responseReadTimeoutMs, 1, TIMER_MAX_MS);
  checkNumber('unreadBytesMax', unreadBytesMax, 1, max);
}

/** Every member but the store is a number of requests. */
function checkRates(rates: unknown): void {
  if (typeof rates !== 'object' || rates === null) throw new TypeError('rateLimits must be an object');
  for (const [name, value] of Object.entries(rates)) {
    if (name !== 'store') checkNumber(`rateLimits.${name}`, value, 0, Number.MAX_SAFE_INTEGER);
  }
  const store = memberOf(rates, 'store');
  if (store !== undefined && typeof memberOf(store, 'count') !== 'function') {
    throw new TypeError('rateLimits.store must have a function count');
  }
}

function checkNumber(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return;
  if (typeof value === 'number' && Number.isInteger(value) && least <= value && value <= most) return;
  throw new RangeError(
    `${name} must be a whole number from ${least} to ${most}, got ${typeof value === 'number' ? value : `a ${typeof value}`}`,
  );
}

/** A member of what may be anything, because options come from JavaScript, too. */
function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
