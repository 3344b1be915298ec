import { randomUUIDv7 } from 'node:crypto';
import express from 'express';
import { pinoHttp } from 'pino-http';
import { cachedOwners } from '../shared/api-key.ts';
import { environment, LEAN_LOG, LOG_STREAM } from '../shared/environment.ts';
import { entityTag, pageOf } from '../shared/order.ts';
import { PROBLEM_TYPE, problemBody, Rejection } from '../shared/problem.ts';
import { parseCancellation, parseNewOrder } from '../shared/validation.ts';
import { cancelOrder, createOrder, findOrder, listOrders, ownerOfKey } from './orders.mjs';

/**
 * Express with Prisma, zod and pino-http. Plain JavaScript, because the types of Prisma's client exist only after its
 * generation.
 */
const ownerOf = cachedOwners(ownerOfKey);
const app = express();
app.disable('x-powered-by');
// The entity tags come from the versions. A hash of every response would be unnecessary work.
app.disable('etag');
app.use(pinoHttp(LEAN_LOG, LOG_STREAM));
app.use(async (request, _response, next) => {
  request.owner = await ownerOf(request.get('x-api-key'));
  if (request.owner === undefined) throw new Rejection('unauthenticated');
  next();
});
app.use(express.json());

app.get('/v1/orders', async (request, response) => {
  const { link, page } = pageOf(await listOrders(request.owner));
  if (link !== undefined) response.set('Link', link);
  response.json(page);
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
  sendOrder(response, written);
});

app.post('/v1/orders/:id/cancel', async (request, response) => {
  const { reason = null } = parseCancellation(request.body);
  sendOrder(response, await cancelOrder(request.owner, request.params.id, reason, request.get('idempotency-key')));
});

function sendOrder(response, { order, replayed }) {
  response.set('ETag', entityTag(order.version));
  if (replayed) response.set('Idempotent-Replayed', 'true');
  response.json(order);
}

// Express recognizes an error handler by its four parameters.
app.use((error, request, response, _next) => {
  const rejection = error instanceof Rejection ? error : new Rejection('internal_error');
  if (rejection !== error) request.log.error(error);
  response.status(rejection.status).type(PROBLEM_TYPE).json(problemBody(rejection, randomUUIDv7()));
});

app.listen(environment.port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
