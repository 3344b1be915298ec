import type { Domain } from '@orders/domain';
import { inMemoryStore } from '@orders/domain/testing';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { aDomain } from '../fixtures/a-domain.ts';
import { aWebhooks } from '../fixtures/a-webhooks.ts';
import { anApi } from '../fixtures/an-api.ts';
import { portOf } from '../fixtures/raw-http.ts';
import type { ProbedServer } from './probe.ts';

/** Additions to the API before the probe. */
export interface Added {
  /** A document that replaces the served one. */
  readonly document?: (own: unknown) => unknown;
  readonly routes?: (app: FastifyInstance, domain: Domain, ownerOf: (request: FastifyRequest) => string) => void;
}

/** Path prefix of the API. */
const OWN = '/own';

/** Starts an in-memory API for the probe. Its rate limits are never reached, but reported. */
export async function aProbedApi({ document = (own) => own, routes }: Added = {}): Promise<{
  readonly server: ProbedServer;
  readonly app: FastifyInstance;
}> {
  const store = inMemoryStore();
  const domain = aDomain(undefined, store);
  const owners = new Map<string, string>();
  const { app, keys } = await anApi({
    domain,
    feed: store.feed,
    webhooks: aWebhooks(store),
    rateLimits: { read: 1_000_000, write: 1_000_000 },
    // The many requests of the probe would only fill the log.
    server: {
      logger: false,
      rewriteUrl: ({ url = '' }) => (url === '/openapi.json' ? '/the-document' : url.replace(OWN, '')),
    },
  });
  app.get('/the-document', async (_, reply) => {
    const own = await app.inject(`${OWN}/openapi.json`);
    return await reply.send(document(own.json()));
  });
  routes?.(app, domain, ({ headers }) => owners.get(`${String(headers['x-api-key'])}`) ?? '');
  const credentialsOf = (owner: string) => {
    const key = keys.issue({ owner });
    owners.set(key, owner);
    return Promise.resolve({ 'x-api-key': key });
  };
  return { app, server: { origin: `http://127.0.0.1:${await portOf(app)}`, credentialsOf } };
}
