import { randomUUIDv7 } from 'node:crypto';
import express from 'express';
import { pinoHttp } from 'pino-http';
import { rememberedOwners } from '../shared/api-key.ts';
import { environment } from '../shared/environment.ts';
import { cursorOf, entityTag } from '../shared/order.ts';
import { PROBLEM_TYPE, problemBody, Refusal } from '../shared/problem.ts';
import { LEAN_LOG } from '../shared/request-line.ts';
import { cancelOrder, createOrder, findOrder, listOrders, ownerOfKey } from './orders.mjs';
import { parseCancellation, parseNewOrder } from './validation.mjs';

/**
 * Express with Prisma, zod and pino-http. Plain JavaScript, because the types of Prisma's client are only there once it
 * is generated.
 */
const PAGE = 20;
const ownerOf = rememberedOwners(ownerOfKey);
const app = express();
app.disable('x-powered-by');
// The tags are the versions' own; one over the bytes of every answer would be work for nothing.
app.disable('etag');
app.use(pinoHttp(LEAN_LOG));
app.use(async (request, _response, next) => {
  request.owner = await ownerOf(request.get('x-api-key'));
  if (request.owner === undefined) throw new Refusal('unauthenticated');
  next();
});
app.use(express.json());

app.get('/v1/orders', async (request, response) => {
  const found = await listOrders(request.owner, PAGE);
  const data = found.slice(0, PAGE);
  const last = data.at(-1);
  const next_cursor = found.length > PAGE ? cursorOf(last.created_at, last.id) : null;
  if (next_cursor !== null) response.set('Link', `</v1/orders?after=${next_cursor}>; rel="next"`);
  response.json({ data, page: { limit: PAGE, has_more: next_cursor !== null, next_cursor } });
});

app.get('/v1/orders/:id', async (request, response) => {
  const order = await findOrder(request.owner, request.params.id);
  const etag = entityTag(order.version);
  response.set('ETag', etag);
  if (request.get('if-none-match') === etag) response.status(304).end();
  else response.json(order);
});

app.post('/v1/orders', async (request, response) => {
  const written = await createOrder(request.owner, parseNewOrder(request.body), request.get('idempotency-key'));
  response.status(201).location(`/v1/orders/${written.order.id}`);
  answer(response, written);
});

app.post('/v1/orders/:id/cancel', async (request, response) => {
  const { reason = null } = parseCancellation(request.body);
  answer(response, await cancelOrder(request.owner, request.params.id, reason, request.get('idempotency-key')));
});

function answer(response, { order, replayed }) {
  response.set('ETag', entityTag(order.version));
  if (replayed) response.set('Idempotent-Replayed', 'true');
  response.json(order);
}

// Express tells an error handler by its four parameters.
app.use((error, request, response, _next) => {
  const refusal = error instanceof Refusal ? error : new Refusal('internal_error');
  if (refusal !== error) request.log.error(error);
  response.status(refusal.status).type(PROBLEM_TYPE).json(problemBody(refusal, randomUUIDv7()));
});

app.listen(environment.port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
