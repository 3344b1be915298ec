import type { Server } from 'node:http';
import { type FixedClock, fixedClock } from '@orders/domain/testing';
import {
  apiKeys,
  type ApiKeyStore,
  authenticateBy,
  ordersHttp,
  type OrdersHttpOptions,
  ordersServerOptions,
} from '@orders/http-adapter';
import { fastify, type FastifyHttpOptions, type FastifyInstance, type onSendAsyncHookHandler } from 'fastify';
import { onTestFinished } from 'vitest';
import { aClient, type Client } from './a-client.ts';
import { aDomain } from './a-domain.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from './in-memory-api-keys.ts';
import { KEPT_LOG } from './kept-log.ts';
import { type ResponseCheck, checkOf } from './openapi-conformance.ts';
import type { TLS_SERVER } from './pre-shared-key.ts';

export const BASE_URL = 'https://api.example.test';

/** The API as its users register it, over orders and keys in memory, at a time that stands still. */
export interface Api {
  readonly app: FastifyInstance;
  readonly clock: FixedClock;
  readonly keys: InMemoryApiKeys;
  /** The owner of a key that may read and write orders. */
  readonly acme: Client;
  /** By which every answer is judged when it comes. */
  readonly check: ResponseCheck;
  /** Whoever has `key`; without one, somebody without credentials. */
  readonly client: (key?: string) => Client;
}

/** What a test wants otherwise. */
export interface Wanted extends Partial<OrdersHttpOptions> {
  readonly server?: Partial<FastifyHttpOptions<Server>>;
  /** The server speaks TLS with it. Default: no TLS. */
  readonly https?: typeof TLS_SERVER;
  /** A hook of the host application for every response. */
  readonly onSend?: onSendAsyncHookHandler;
  /** The path before all of its paths. */
  readonly prefix?: string;
  /** Where keys are looked up instead. */
  readonly keyStore?: ApiKeyStore;
}

/** An API of its own for the running test. */
export async function anApi({ server, https, onSend, keyStore, prefix = '', ...wanted }: Wanted = {}): Promise<Api> {
  const clock = fixedClock();
  const keys = inMemoryApiKeys();
  const options: OrdersHttpOptions = {
    domain: aDomain(clock),
    authentication: authenticateBy(apiKeys(keyStore ?? keys, () => clock.now())),
    publicBaseUrl: BASE_URL,
    // The time stands still, so that a minute would never end.
    rateLimits: { read: 0, write: 0, anonymous: 0, public: 0 },
    now: () => clock.now(),
    ...wanted,
  };
  const own = ordersServerOptions(() => BASE_URL);
  const app: FastifyInstance = fastify({ ...own, logger: KEPT_LOG, ...server, ...(https ? { https } : {}) });
  onTestFinished(() => app.close());
  if (onSend) app.addHook('onSend', onSend);
  await app.register(ordersHttp, { prefix, ...options });
  const check = checkOf({ prefix, deprecations: options.deprecations, authentication: options.authentication });
  const client = (key?: string) => aClient(app, key, check);
  return { app, clock, keys, check, acme: client(keys.issue()), client };
}
