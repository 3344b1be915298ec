import { randomUUIDv7 } from 'node:crypto';
import { createDomain } from '@orders/domain';
import { inMemoryStore } from '@orders/domain/testing';
import { ordersHttp } from '@orders/http-adapter';
import { fastify, type FastifyInstance } from 'fastify';
import { findSession, type Sessions, sessionAuthentication } from './sessions.ts';

/** The bakery's own app: opening times, a contact form, errors and a log as they always were; orders below `/shop`. */
export async function bakery(sessions: Sessions, log: NodeJS.WritableStream): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    logger: { level: 'info', stream: log },
    genReqId: () => `bakery-${randomUUIDv7()}`,
  });
  app.setErrorHandler((error, _request, reply) => reply.code(500).send({ oops: String(error) }));
  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ oops: 'nothing is baked here' }));
  app.decorateRequest('principal', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.principal = findSession(request, sessions);
    // The bakery's own rule, which holds for the orders, too.
    const isClosed = request.headers['x-branch'] === 'closed';
    done(isClosed ? Object.assign(new Error('This branch is closed.'), { statusCode: 403, expose: true }) : undefined);
  });
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
    authentication: sessionAuthentication,
    publicBaseUrl: 'https://bakery.example/shop',
  });
  return app;
}
