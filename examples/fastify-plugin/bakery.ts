import { randomUUIDv7 } from 'node:crypto';
import { createDomain } from '@orders/domain';
import { inMemoryStore } from '@orders/domain/testing';
import { ordersHttp } from '@orders/http-adapter';
import { fastify, type FastifyInstance } from 'fastify';
import { type Sessions, sessionAuthentication } from './sessions.ts';

/** The bakery's own app: opening times, a contact form, errors and a log as they always were; orders below `/shop`. */
export async function bakery(sessions: Sessions, log: NodeJS.WritableStream): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    logger: { level: 'info', stream: log },
    genReqId: () => `bakery-${randomUUIDv7()}`,
  });
  app.setErrorHandler((error, _request, reply) => reply.code(500).send({ oops: String(error) }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ oops: 'nothing is baked here' }));
  app.get('/hours', () => ({ opens: '06:30', closes: '18:00' }));
  app.get('/oven', () => {
    throw new Error('the oven is cold');
  });
  app.post('/contact', ({ body }) => ({ thanks: body }));

  await app.register(ordersHttp, {
    prefix: '/shop',
    // A shop that is to keep its orders takes the store of @orders/persistence.
    domain: createDomain({
      ...inMemoryStore(),
      clock: { now: () => new Date() },
      ids: { next: () => randomUUIDv7() },
    }),
    authentication: sessionAuthentication(sessions),
    publicBaseUrl: 'https://bakery.example/shop',
  });
  return app;
}
