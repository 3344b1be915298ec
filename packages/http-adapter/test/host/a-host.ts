import type { Server } from 'node:http';
import { ordersHttp, type OrdersHttpOptions, SCOPES } from '@orders/http-adapter';
import {
  fastify,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyRequest,
  type LightMyRequestResponse,
} from 'fastify';
import { onTestFinished } from 'vitest';
import { aDomain } from '../fixtures/a-domain.ts';
import type { TLS_SERVER } from '../fixtures/pre-shared-key.ts';

/** The logged-in user of the host application. */
interface User {
  readonly name: string;
}

// Decorations of the host application, with names that the plugin might use itself.
declare module 'fastify' {
  interface FastifyRequest {
    principal: User | null;
    responseType: number;
    readsBody: string;
  }
  interface FastifyContextConfig {
    isHealthCheck?: string;
    namesVersion?: Date;
  }
}

export const securitySchemes = { Session: { type: 'apiKey', in: 'cookie', name: 'session' } };
const authenticate = (request: FastifyRequest) =>
  request.principal ? { owner: request.principal.name, scopes: SCOPES } : null;

interface Host {
  readonly app: FastifyInstance;
  /** Sends a GET request, by default of a logged-in user. */
  readonly get: (url: string, headers?: Record<string, string>) => Promise<LightMyRequestResponse>;
  /** Lines of the log. */
  readonly lines: readonly string[];
}

/** Options of the server of a host application. Default: a server of Fastify, without TLS. */
export type HostServer = Partial<FastifyHttpOptions<Server>> & { readonly https?: typeof TLS_SERVER };

/** Creates a host application, which `prepare` extends, with the orders API below `/shop`. */
export async function aHost(
  prepare: (app: FastifyInstance) => unknown,
  options: Partial<OrdersHttpOptions> = {},
  server: HostServer = {},
): Promise<Host> {
  const lines: string[] = [];
  const logger = { stream: { write: (line: string) => lines.push(line) } };
  const app: FastifyInstance = fastify({ ...server, logger });
  onTestFinished(() => app.close());
  app.decorateRequest('principal', null);
  app.decorateRequest('responseType', 7);
  app.decorateRequest('readsBody', 'often');
  app.addHook('onRequest', (request, _reply, done) => {
    const name = request.headers['x-user'];
    request.principal = typeof name === 'string' ? { name } : null;
    done();
  });
  await prepare(app);
  const publicBaseUrl = 'https://bakery.example/shop';
  const authentication = { authenticate, securitySchemes };
  await app.register(ordersHttp, { prefix: '/shop', domain: aDomain(), authentication, publicBaseUrl, ...options });
  app.get('/me', (request) => ({ me: request.principal, type: request.responseType, reads: request.readsBody }));
  await app.ready();
  const get = (url: string, headers: Record<string, string> = { 'x-user': 'ada' }) => app.inject({ url, headers });
  return { app, get, lines };
}
