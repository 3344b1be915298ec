import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { cachedOwners } from '../shared/api-key.ts';
import { environment } from '../shared/environment.ts';
import type { Written } from '../shared/keyed.ts';
import { entityTag, pageOf } from '../shared/order.ts';
import { type InvalidField, PROBLEM_TYPE, problemBody, Rejection } from '../shared/problem.ts';
import type { NewOrder } from '../shared/validation.ts';
import { CancellationSchema, NewOrderSchema, ONE_ORDER, ORDER_PAGE } from './schemas.ts';
import { store } from './store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    owner: string;
  }
}

/** The error codes of the API by JSON Schema keyword. */
const CODES: Readonly<Record<string, string>> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  type: 'wrong_type',
  minLength: 'too_short',
  minItems: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  pattern: 'invalid_value',
};

/** Fastify by hand: schemas validate the bodies and serialize the responses, and a hook authenticates. */
const app = fastify({
  logger: true,
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

interface SchemaError {
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
}

function fieldsOf(errors: readonly SchemaError[]): readonly InvalidField[] {
  return errors.map(({ instancePath, keyword, message = 'is wrong' }) => ({
    field: instancePath
      .slice(1)
      .replaceAll(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.'),
    message,
    code: CODES[keyword] ?? 'invalid_value',
  }));
}

function rejectionOf(error: Error & { readonly validation?: readonly SchemaError[] }): Rejection {
  if (error instanceof Rejection) return error;
  if (error.validation) return new Rejection('validation_failed', { errors: fieldsOf(error.validation) });
  return new Rejection('internal_error');
}
