import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { cachedOwners } from './api-key.ts';
import { environment, LOG_STREAM } from './environment.ts';
import type { Written } from './keyed.ts';
import { entityTag, pageOf, type PresentedOrder } from './order.ts';
import { PROBLEM_TYPE, problemBody, Rejection } from './problem.ts';
import { fieldsOf, type SchemaError } from './schema-errors.ts';
import type { NewOrder } from './validation.ts';
import { CancellationSchema, NewOrderSchema, ONE_ORDER, ORDER_PAGE } from './schemas.ts';

declare module 'fastify' {
  interface FastifyRequest {
    owner: string;
  }
}

/** Orders in a database. */
export interface OrderStore {
  ownerOfKey(hash: string): Promise<string | undefined>;
  /** @throws {Rejection} the order does not exist */
  find(owner: string, id: string): Promise<PresentedOrder>;
  /** Returns the newest orders, one more than a page has. */
  list(owner: string): Promise<readonly PresentedOrder[]>;
  create(owner: string, body: NewOrder, key: string | undefined): Promise<Written>;
  cancel(owner: string, id: string, reason: string | null, key: string | undefined): Promise<Written>;
}

/** Serves orders by Fastify: schemas validate the bodies and serialize the responses, and a hook authenticates. */
export async function serveOrders(store: OrderStore): Promise<void> {
  const app = fastify({
    logger: { stream: LOG_STREAM },
    // Two lines for each request. A hook writes one.
    disableRequestLogging: true,
    routerOptions: { maxParamLength: 100 },
    ajv: { customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false } },
  });
  const ownerOf = cachedOwners((hash) => store.ownerOfKey(hash));
  app.decorateRequest('owner', '');
  app.addHook('onRequest', async (request) => {
    const apiKey = request.headers['x-api-key'];
    const owner = await ownerOf(typeof apiKey === 'string' ? apiKey : undefined);
    if (owner === undefined) throw new Rejection('unauthenticated');
    request.owner = owner;
  });
  app.addHook('onResponse', async ({ id, method, url }, reply) => {
    const { statusCode, elapsedTime } = reply;
    app.log.info({ req: { id, method, url }, res: { statusCode }, responseTime: elapsedTime }, 'request completed');
    await Promise.resolve();
  });
  app.setErrorHandler((error: Error, request, reply) => {
    const rejection = rejectionOf(error);
    if (rejection.code === 'internal_error') request.log.error(error);
    return reply.code(rejection.status).type(PROBLEM_TYPE).send(problemBody(rejection, request.id));
  });

  app.get('/v1/orders', { schema: { response: ORDER_PAGE } }, async ({ owner }, reply) => {
    const { link, page } = pageOf(await store.list(owner));
    if (link !== undefined) void reply.header('link', link);
    return page;
  });

  app.get<{ Params: { id: string } }>('/v1/orders/:id', { schema: { response: ONE_ORDER } }, async (request, reply) => {
    const order = await store.find(request.owner, request.params.id);
    const etag = entityTag(order.version);
    void reply.header('etag', etag);
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : order;
  });

  app.post<{ Body: NewOrder }>(
    '/v1/orders',
    { schema: { body: NewOrderSchema, response: ONE_ORDER } },
    async (request, reply) => {
      const written = await store.create(request.owner, request.body, keyOf(request));
      void reply.code(201).header('location', `/v1/orders/${written.order.id}`);
      return withHeaders(reply, written);
    },
  );

  app.post<{ Params: { id: string }; Body: { reason?: string | null } | undefined }>(
    '/v1/orders/:id/cancel',
    // The body of a cancellation is optional.
    { schema: { response: ONE_ORDER }, preValidation: validateCancellation },
    async (request, reply) => {
      const reason = request.body?.reason ?? null;
      return withHeaders(reply, await store.cancel(request.owner, request.params.id, reason, keyOf(request)));
    },
  );

  await app.listen({ port: environment.port, host: '127.0.0.1' });
  process.on('SIGTERM', () => process.exit());
}

function withHeaders(reply: FastifyReply, { order, replayed }: Written): object {
  void reply.header('etag', entityTag(order.version));
  if (replayed) void reply.header('idempotent-replayed', 'true');
  return order;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

async function validateCancellation(request: FastifyRequest): Promise<void> {
  await Promise.resolve();
  if (request.body === undefined) return;
  const validate = request.compileValidationSchema(CancellationSchema);
  if (validate(request.body) !== true)
    throw new Rejection('validation_failed', { errors: fieldsOf(validate.errors ?? []) });
}

function rejectionOf(error: Error & { readonly validation?: readonly SchemaError[] }): Rejection {
  if (error instanceof Rejection) return error;
  if (error.validation) return new Rejection('validation_failed', { errors: fieldsOf(error.validation) });
  return new Rejection('internal_error');
}
