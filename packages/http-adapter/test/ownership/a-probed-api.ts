import type { Domain } from '@orders/domain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { aDomain } from '../a-domain.ts';
import { anApi } from '../an-api.ts';
import { portOf } from '../raw-http.ts';
import type { ProbedServer } from './probe.ts';

/** What is added to the API before it is probed. */
export interface Added {
  /** The document that it serves instead of its own. */
  readonly document?: (own: unknown) => unknown;
  readonly routes?: (app: FastifyInstance, domain: Domain, ownerOf: (request: FastifyRequest) => string) => void;
}

/** Before the path of what the API serves by itself. */
const OWN = '/own';

/** An API in memory to be probed; its limits are out of reach, and its answers tell them. */
export async function aProbedApi({ document = (own) => own, routes }: Added = {}): Promise<{
  readonly server: ProbedServer;
  readonly app: FastifyInstance;
}> {
  const domain = aDomain();
  const owners = new Map<string, string>();
  const { app, keys } = await anApi({
    domain,
    rateLimits: { read: 1_000_000, write: 1_000_000 },
    // So many requests of nothing new would only fill the log.
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
