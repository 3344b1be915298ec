import { appendFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { createDomain, type OrderDefinition, type ORDERS, type UntypedDomain } from '@orders/domain';
import { type FixedClock, fixedClock, type InMemoryStore, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import {
  apiKeys,
  type ApiKeyStore,
  authenticateBy,
  type ConnectionObserver,
  type ConnectionOptions,
  ordersHttp,
  type OrdersHttpObserver,
  type OrdersHttpOptions,
  ordersServerOptions,
} from '@orders/http-adapter';
import { fastify, type FastifyHttpOptions, type FastifyInstance, type onSendAsyncHookHandler } from 'fastify';
import { inject, onTestFinished } from 'vitest';
import { aClient, type Client } from './a-client.ts';
import { aDomain } from './a-domain.ts';
import { aWebhooks, webhooksOf } from './a-webhooks.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from './in-memory-api-keys.ts';
import { type ResponseCheck, checkOf } from './openapi-conformance.ts';
import type { TLS_SERVER } from './pre-shared-key.ts';

export const BASE_URL = 'https://api.example.test';

/** Log options of the servers in tests. A global teardown checks the log. */
const KEPT_LOG = {
  level: 'trace',
  stream: {
    write: (line: string) => appendFileSync(join(inject('logFolder'), `${process.pid}.ndjson`), line),
  },
};

/** The API on an in-memory store, with in-memory API keys and a fixed clock. */
export interface Api<D extends OrderDefinition = typeof ORDERS> {
  readonly app: FastifyInstance;
  readonly clock: FixedClock;
  readonly keys: InMemoryApiKeys;
  /** The store of the domain, unless a test has a domain of its own. */
  readonly store: InMemoryStore<D>;
  /** A client of the owner `acme` with all scopes. */
  readonly acme: Client;
  /** Compares every response with the OpenAPI document. */
  readonly check: ResponseCheck;
  /** Creates a client with `key`; without a key, a client without credentials. */
  readonly client: (key?: string) => Client;
}

/** Options that a test overrides. */
export interface Wanted extends Partial<OrdersHttpOptions>, Pick<ConnectionOptions, 'responseReadTimeoutMs'> {
  readonly observer?: OrdersHttpObserver & ConnectionObserver;
  readonly server?: Partial<FastifyHttpOptions<Server>>;
  /** TLS options of the server. Default: no TLS. */
  readonly https?: typeof TLS_SERVER;
  /** Hook of the host application for every response. */
  readonly onSend?: onSendAsyncHookHandler;
  /** Path prefix of all routes. */
  readonly prefix?: string;
  /** Store of API keys. Default: the in-memory keys. */
  readonly keyStore?: ApiKeyStore;
}

/** Creates an API for the running test. */
export async function anApi(wanted: Wanted = {}): Promise<Api> {
  const clock = fixedClock();
  const store = inMemoryStore({ clock });
  const parts = { feed: store.feed, webhooks: aWebhooks(store, clock) };
  const api = await serve(clock, {
    domain: aDomain(clock, store),
    ...(wanted.domain === undefined && parts),
    ...wanted,
  });
  return { ...api, store };
}

/** Creates an API for orders of a definition. */
export async function anApiOf<D extends OrderDefinition>(definition: D, wanted: Wanted = {}): Promise<Api<D>> {
  const clock = fixedClock();
  const store = inMemoryStore({ clock, definition });
  const domain = createDomain({ ...store, clock, ids: sequentialIds() }, definition);
  const parts = { domain, feed: store.feed, webhooks: webhooksOf(definition, store, clock) };
  return { ...(await serve(clock, { ...parts, ...wanted })), store };
}

/** Serves the API with an in-memory store of API keys. */
async function serve(
  clock: FixedClock,
  {
    server,
    https,
    onSend,
    keyStore,
    responseReadTimeoutMs,
    prefix = '',
    ...wanted
  }: Wanted & Pick<OrdersHttpOptions, 'domain'>,
): Promise<Omit<Api, 'store'>> {
  const keys = inMemoryApiKeys();
  const options: OrdersHttpOptions = {
    authentication: authenticateBy(apiKeys(keyStore ?? keys, () => clock.now())),
    publicBaseUrl: BASE_URL,
    // Disabled, because a minute never ends on a fixed clock.
    rateLimits: { read: 0, write: 0, anonymous: 0, public: 0 },
    now: () => clock.now(),
    ...wanted,
  };
  const own = ordersServerOptions(() => BASE_URL, { responseReadTimeoutMs, observer: wanted.observer });
  const app: FastifyInstance = fastify({ ...own, logger: KEPT_LOG, ...server, ...(https ? { https } : {}) });
  onTestFinished(() => app.close());
  if (onSend) app.addHook('onSend', onSend);
  await app.register(ordersHttp, { prefix, ...options });
  const { deprecations, authentication } = options;
  const domain: UntypedDomain<OrderDefinition> = options.domain;
  const check = checkOf({ prefix, deprecations, authentication, definition: domain.definition });
  const client = (key?: string) => aClient(app, key, check);
  return { app, clock, keys, check, acme: client(keys.issue()), client };
}
