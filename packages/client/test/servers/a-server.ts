import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FixedClock, fixedClock, type InMemoryStore, inMemoryStore } from '@orders/domain/testing';
import { apiKeys, authenticateBy, ordersHttp, type OrdersHttpOptions, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { onTestFinished } from 'vitest';
import { aDomain } from '../../../http-adapter/test/fixtures/a-domain.ts';
import { aWebhooks } from '../../../http-adapter/test/fixtures/a-webhooks.ts';
import { type InMemoryApiKeys, inMemoryApiKeys } from '../../../http-adapter/test/fixtures/in-memory-api-keys.ts';

const BASE_URL = 'https://api.example.test';

/** A server of orders that listens on a port. */
export interface RunningServer {
  readonly baseUrl: string;
  /** A key of the owner `acme` with all scopes. */
  readonly apiKey: string;
  readonly keys: InMemoryApiKeys;
  readonly store: InMemoryStore;
  readonly clock: FixedClock;
}

/** Starts a server of orders on an in-memory store for the running test. */
export async function aServer(other: Partial<OrdersHttpOptions> = {}): Promise<RunningServer> {
  const clock = fixedClock();
  const store = inMemoryStore({ clock });
  const keys = inMemoryApiKeys();
  const app = fastify(ordersServerOptions(() => BASE_URL));
  await app.register(ordersHttp, {
    domain: aDomain(clock, store),
    feed: store.feed,
    statistics: store.statistics,
    webhooks: aWebhooks(store, clock),
    authentication: authenticateBy(apiKeys(keys, () => clock.now())),
    publicBaseUrl: BASE_URL,
    rateLimits: { read: 0, write: 0, anonymous: 0, public: 0 },
    now: () => clock.now(),
    ...other,
  });
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  return { baseUrl, apiKey: keys.issue(), keys, store, clock };
}

/** Starts a server of the running test whose every response `respond` writes. */
export async function aHandWrittenServer(
  respond: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<{ readonly baseUrl: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => respond(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${portOf(server)}`, server };
}

/** Returns the port of a server that listens. */
export function portOf(server: { address(): AddressInfo | string | null }): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen on a port');
  return address.port;
}
