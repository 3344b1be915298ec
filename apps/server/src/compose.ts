import { randomUUIDv7 } from 'node:crypto';
import { createDomain } from '@orders/domain';
import { apiKeyAuthentication, ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import {
  type Database,
  postgresApiKeys,
  postgresCustomerRepository,
  postgresOrderRepository,
} from '@orders/persistence';
import { type FastifyBaseLogger, type FastifyInstance, fastify } from 'fastify';
import type { Config } from './config.ts';

/** The composition root: the only place that knows domain, HTTP and PostgreSQL. */
export async function compose(config: Config, database: Database, log: FastifyBaseLogger): Promise<FastifyInstance> {
  const publicBaseUrl = () => config.PUBLIC_BASE_URL?.replace(/\/$/, '') ?? addressOf(app, config);
  const domain = createDomain({
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    clock: { now: () => new Date() },
    ids: { next: randomUUIDv7 },
    onceTtlMs: config.IDEMPOTENCY_TTL_HOURS * 60 * 60 * 1000,
  });
  const app: FastifyInstance = fastify({
    ...ordersServerOptions(publicBaseUrl, config.CORS_ORIGINS),
    loggerInstance: log,
    requestTimeout: config.REQUEST_TIMEOUT_MS,
  });
  await app.register(ordersHttp, {
    domain,
    authenticate: apiKeyAuthentication(postgresApiKeys(database), () => new Date()),
    publicBaseUrl,
    bodyLimitBytes: config.BODY_LIMIT_BYTES,
    urlLimitBytes: config.URL_LIMIT_BYTES,
    corsOrigins: config.CORS_ORIGINS,
  });
  return app;
}

/** Where the server listens, as a URL; with the port it got when it was to take any. */
export function addressOf(app: FastifyInstance, { HOST, PORT }: Config): string {
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : PORT;
  return `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
}
