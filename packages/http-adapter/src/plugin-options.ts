// oxlint-disable typescript/no-explicit-any -- only `any` is each definition, in inputs and in results; Fastify infers none
import type { Domain } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import type { OrderStatistics } from '@orders/domain/statistics';
import type { Webhooks } from '@orders/domain/webhooks';
import type { Authentication } from './admission/authentication/authentication.ts';
import type { Deprecations } from './admission/deprecation.ts';
import type { OwnerLoadRecorder } from './admission/owner-loads.ts';
import type { SettingsOfOwners } from './admission/owner-settings.ts';
import type { RateLimitOptions } from './admission/rate-limits/rate-limit-options.ts';
import type { Readiness } from './public/health-checks.ts';
import type { OrdersHttpObserver } from './observer.ts';
import { isFree } from './problems/catalog.ts';
import type { BaseUrl } from './problems/problem.ts';

/** Options of {@link ordersHttp}. */
export interface OrdersHttpOptions {
  /**
   * The use cases, created by `createDomain` of `@orders/domain`. The API, its document and its pages follow the definition
   * of their orders.
   */
  readonly domain: Domain<any>;
  /**
   * The feed of the changes that `domain` makes, such as `postgresEventFeed(database)` of `@orders/persistence`. Default:
   * none; then `GET /v1/events` does not exist.
   */
  readonly feed?: EventFeed<any> | undefined;
  /**
   * The figures of the orders of `domain`, such as `postgresOrderStatistics(database)` of `@orders/persistence`, which a
   * process counts. Default: none; then `GET /v1/order_statistics` does not exist.
   */
  readonly statistics?: OrderStatistics<any> | undefined;
  /**
   * The use cases of webhooks, created by `createWebhooks` of `@orders/domain/webhooks`. Default: none; then the operations
   * on `/v1/webhook_endpoints` do not exist. The API sends nothing but tests: a worker delivers the events.
   */
  readonly webhooks?: Webhooks<any> | undefined;
  /** Authenticates requests: {@link authenticateBy}, or an implementation of your own. */
  readonly authentication: Authentication;
  /**
   * The URL at which clients reach the plugin, including the prefix: `https://api.example.com`, or
   * `https://api.example.com/shop` with the prefix `/shop`. Whatever the API names is below it: `Location`, `Link`, the
   * servers of the document, the `type` of every problem, the links of its pages. It must be an http or https URL without
   * user info, query or fragment; a trailing slash is dropped. It is never derived from the request.
   */
  readonly publicBaseUrl: string | BaseUrl;
  /**
   * Maximum size of a request body, in bytes. A larger one gets 413. No operation accepts more than its largest valid body
   * has with every character escaped, and 64 KiB. Default: that.
   */
  readonly bodyLimitBytes?: number | undefined;
  /** Maximum length of the path and query, in bytes. A longer one gets 414. Default: 8 KiB. */
  readonly urlLimitBytes?: number | undefined;
  /** Origins whose pages may call the API by script (CORS), such as `https://shop.example.com`. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Maximum time to process one request, in milliseconds. A slower one gets 504. Default: 30,000. */
  readonly timeLimitMs?: number | undefined;
  /** Maximum number of unread response bytes of one owner. Further requests get 429. Default: 32 MiB. */
  readonly unreadBytesMax?: number | undefined;
  /**
   * Maximum number of concurrent requests, of which one owner alone gets half. Further ones get 503 with `Retry-After`.
   * Default: 1,000.
   */
  readonly concurrencyMax?: number | undefined;
  /**
   * Returns whether this process is overloaded. If it is, requests get 503 with `Retry-After`. At first, these are the
   * requests of owners that used most of the event loop's time; after two seconds, all. Default: never.
   */
  readonly isOverloaded?: (() => boolean) | undefined;
  /** Suspensions and rate limits of owners, which are looked up for each request. The host may change the map. Default: none. */
  readonly ownerSettings?: SettingsOfOwners | undefined;
  /** Receives what owners use of this process, such as `ownerLoads()`, from which the host reads it. Default: none. */
  readonly ownerLoads?: OwnerLoadRecorder | undefined;
  /** Called by `/readyz` for the reason why the server is not ready. Default: always ready. */
  readonly whyNotReady?: Readiness | undefined;
  /**
   * Rate limits per owner and per address. Defaults per minute: 600 reads and 120 writes of an owner; 60 requests of an
   * address without valid credentials, and 600 to resources that need none.
   */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Deprecated operations, by their id in the OpenAPI document. Default: none. */
  readonly deprecations?: Deprecations | undefined;
  /** Receives rate-limit and load-shedding events. Default: no-op. */
  readonly observer?: OrdersHttpObserver | undefined;
  /** Clock for the sunset of deprecated operations and the windows of rate limits. Default: the system clock. */
  readonly now?: (() => Date) | undefined;
}

const USE_CASES: Readonly<
  Record<
    Exclude<keyof Domain, 'definition' | 'importOrder' | `importCustomer${string}` | 'correctOrder' | 'replayErasure'>,
    true
  >
> = {
  placeOrder: true,
  placeOrders: true,
  importOrders: true,
  getOrder: true,
  listOrders: true,
  searchOrders: true,
  listOrderItems: true,
  listOrderVersions: true,
  getOrderVersion: true,
  changeOrder: true,
  cancelOrder: true,
  adjustOrder: true,
  addItems: true,
  fulfillItems: true,
  cancelFulfillment: true,
  returnItems: true,
  deleteOrder: true,
  createCustomer: true,
  getCustomer: true,
  listCustomers: true,
  searchCustomers: true,
  changeCustomer: true,
  deleteCustomer: true,
  eraseCustomer: true,
  readCustomerData: true,
  erasePerson: true,
  getErasure: true,
  readPersonData: true,
  continueErasures: true,
};

const WEBHOOK_USE_CASES: Readonly<Record<Exclude<keyof Webhooks, 'definition'>, true>> = {
  createEndpoint: true,
  getEndpoint: true,
  listEndpoints: true,
  changeEndpoint: true,
  deleteEndpoint: true,
  rotateSecret: true,
  testEndpoint: true,
  listDeliveries: true,
  redeliver: true,
};

/** The maximum delay of a Node.js timer. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Validates the options of the plugin before any route is registered. Unknown names are ignored, because loaders such as
 * `@fastify/autoload` pass the same options to every plugin.
 *
 * @throws {TypeError} for an option that is missing or has the wrong type
 * @throws {RangeError} for a number that is out of range
 */
export function checkOptions(options: OrdersHttpOptions, prefix: string): void {
  const { authentication, publicBaseUrl, rateLimits = {}, corsOrigins } = options;
  if (/[:*]/.test(prefix)) {
    throw new TypeError(`prefix must not contain parameters, because links of the API begin with it, got ${prefix}`);
  }
  checkUseCases('domain', options.domain, USE_CASES, 'createDomain of @orders/domain');
  if (options.feed !== undefined) checkFeed(options.feed);
  if (options.statistics !== undefined && typeof memberOf(options.statistics, 'sum') !== 'function')
    throw new TypeError('statistics must be the OrderStatistics of @orders/domain/statistics, with the function sum');
  if (options.webhooks !== undefined) {
    checkUseCases('webhooks', options.webhooks, WEBHOOK_USE_CASES, 'createWebhooks of @orders/domain/webhooks');
  }
  checkDefinitions(options);
  checkRefusals(memberOf(options.domain.definition, 'refusals'));
  if (typeof memberOf(authentication, 'authenticate') !== 'function') {
    throw new TypeError(
      'authentication must be the result of authenticateBy, or an object with a function authenticate',
    );
  }
  checkSchemes(memberOf(authentication, 'securitySchemes'));
  if (typeof publicBaseUrl !== 'string' && typeof publicBaseUrl !== 'function') {
    throw new TypeError('publicBaseUrl must be a URL such as https://api.example.com, or a function that returns one');
  }
  if (corsOrigins !== undefined && !Array.isArray(corsOrigins)) {
    throw new TypeError('corsOrigins must be an array of origins such as https://shop.example.com');
  }
  checkFunctions('authentication.', authentication, ['challenge', 'scopeChallenge', 'isAmbient']);
  checkFunctions('', options, ['isOverloaded', 'whyNotReady', 'now']);
  checkFunctions('ownerLoads.', options.ownerLoads ?? {}, ['responded', 'charge']);
  if (options.ownerSettings !== undefined && typeof memberOf(options.ownerSettings, 'get') !== 'function')
    throw new TypeError('ownerSettings must be a Map by owner');
  checkNumbers(options);
  checkRates(rateLimits);
}

function checkUseCases(option: string, holder: unknown, names: object, creation: string): void {
  const missing = Object.keys(names).find((name) => typeof memberOf(holder, name) !== 'function');
  const isDefined = Array.isArray(memberOf(memberOf(holder, 'definition'), 'statuses'));
  if (missing === undefined && isDefined) return;
  throw new TypeError(`${option} must be created by ${creation}, but it lacks ${missing ?? 'definition'}`);
}

function checkDefinitions({ domain, feed, statistics, webhooks }: OrdersHttpOptions): void {
  const isOther = (definition: unknown) => partsOf(definition) !== partsOf(domain.definition);
  if (feed?.definition !== undefined && isOther(feed.definition))
    throw new TypeError('feed must have the definition of domain: open the database with domain.definition');
  if (statistics?.definition !== undefined && isOther(statistics.definition))
    throw new TypeError('statistics must have the definition of domain: open the database with domain.definition');
  if (webhooks !== undefined && isOther(webhooks.definition))
    throw new TypeError('webhooks must have the definition of domain: pass domain.definition to createWebhooks, too');
}

/** Checks that the codes of a definition's refusals can be codes of problems, and that no others have them. */
function checkRefusals(refusals: unknown): void {
  const taken = Object.keys({ ...(typeof refusals === 'object' && refusals) }).find((code) => !isFree(code));
  if (taken !== undefined)
    throw new TypeError(
      `the refusal "${taken}" of the definition must have another code: a_b, at most 64 characters, and no problem of the API has it`,
    );
}

/** Returns the parts of a definition that the API shows. Equal ones, for example from one file, need not be one object. */
function partsOf(definition: unknown): string {
  const names = ['lifecycle', 'initial', 'cancel', 'custom', 'refusals'];
  return JSON.stringify(names.map((name) => memberOf(definition, name)));
}

function checkFeed(feed: unknown): void {
  if (typeof memberOf(feed, 'read') === 'function' && typeof memberOf(feed, 'wait') === 'function') return;
  throw new TypeError('feed must be an EventFeed of @orders/domain/events, with the functions read and wait');
}

function checkSchemes(schemes: unknown): void {
  const isScheme = ([name, scheme]: readonly [string, unknown]) =>
    /^[\w.-]+$/.test(name) && typeof memberOf(scheme, 'type') === 'string';
  if (typeof schemes !== 'object' || schemes === null || !Object.entries(schemes).every(isScheme)) {
    throw new TypeError('authentication.securitySchemes must map names to OpenAPI security schemes');
  }
}

function checkFunctions(place: string, holder: unknown, names: readonly string[]): void {
  const wrong = names.find((name) => !['undefined', 'function'].includes(typeof memberOf(holder, name)));
  if (wrong !== undefined) throw new TypeError(`${place}${wrong} must be a function`);
}

function checkNumbers(options: OrdersHttpOptions): void {
  const { bodyLimitBytes, urlLimitBytes, timeLimitMs, concurrencyMax, unreadBytesMax } = options;
  const max = Number.MAX_SAFE_INTEGER;
  checkNumber('bodyLimitBytes', bodyLimitBytes, 1, max);
  checkNumber('urlLimitBytes', urlLimitBytes, 1, max);
  checkNumber('timeLimitMs', timeLimitMs, 1, TIMER_MAX_MS);
  checkNumber('concurrencyMax', concurrencyMax, 1, max);
  checkNumber('unreadBytesMax', unreadBytesMax, 1, max);
}

/** Every member except `store` is a number of requests. */
function checkRates(rates: unknown): void {
  if (typeof rates !== 'object' || rates === null) throw new TypeError('rateLimits must be an object');
  for (const [name, value] of Object.entries(rates)) {
    if (name !== 'store') checkNumber(`rateLimits.${name}`, value, 0, Number.MAX_SAFE_INTEGER);
  }
  const store = memberOf(rates, 'store');
  if (store !== undefined && typeof memberOf(store, 'count') !== 'function') {
    throw new TypeError('rateLimits.store must be an object with a function count');
  }
}

/** @throws {RangeError} for a value that is neither absent nor an integer within the bounds */
export function checkNumber(name: string, value: unknown, least: number, most: number): void {
  if (value === undefined) return;
  if (typeof value === 'number' && Number.isInteger(value) && least <= value && value <= most) return;
  throw new RangeError(
    `${name} must be an integer between ${least} and ${most}, got ${typeof value === 'number' ? value : `a ${typeof value}`}`,
  );
}

/** Returns a member of any value, because callers in plain JavaScript can pass anything. */
function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? Reflect.get(holder, name) : undefined;
}
