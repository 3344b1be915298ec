import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Ajv, type ValidateFunction } from 'ajv';
import { pino } from 'pino';
import { cachedOwners } from '../shared/api-key.ts';
import { environment, LEAN_LOG, LOG_STREAM } from '../shared/environment.ts';
import type { Written } from '../shared/keyed.ts';
import { entityTag, pageOf } from '../shared/order.ts';
import { PROBLEM_TYPE, problemBody, Rejection } from '../shared/problem.ts';
import { fieldsOf } from '../shared/schema-errors.ts';
import { CancellationSchema, NewOrderSchema } from '../shared/schemas.ts';
import type { NewOrder } from '../shared/validation.ts';
import { store } from './store.ts';

/** The path of an order, or of its cancellation. */
const ORDER_PATH = /^\/v1\/orders\/([^/]+)(\/cancel)?$/;

const ajv = new Ajv({ allErrors: true, formats: { uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i } });
const [newOrder, cancellation] = [
  ajv.compile<NewOrder>(NewOrderSchema),
  ajv.compile<{ readonly reason?: string | null }>(CancellationSchema),
];
const log = pino(LEAN_LOG, LOG_STREAM);
const ownerOf = cachedOwners((hash) => store.ownerOfKey(hash));

// The least that a server on `node:http` does for these requests: no framework, no router, and one statement where one will do.
createServer((request, response) => {
  const id = randomUUID();
  const started = performance.now();
  response.on('finish', () => {
    const { method, url } = request;
    log.info(
      { req: { id, method, url }, res: response, responseTime: performance.now() - started },
      'request completed',
    );
  });
  respond(request, response).catch((cause: unknown) => {
    const rejection = cause instanceof Rejection ? cause : new Rejection('internal_error');
    if (rejection !== cause) log.error(cause);
    send(response, rejection.status, { 'content-type': PROBLEM_TYPE }, problemBody(rejection, id));
  });
}).listen(environment.port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request;
  const [path = ''] = (request.url ?? '').split('?', 1);
  const apiKey = headers['x-api-key'];
  const known = ownerOf(typeof apiKey === 'string' ? apiKey : undefined);
  const owner = known instanceof Promise ? await known : known;
  if (owner === undefined) throw new Rejection('unauthenticated');
  const key = headers['idempotency-key'];
  const used = typeof key === 'string' ? key : undefined;

  if (path === '/v1/orders' && method === 'GET') {
    const { link, page } = pageOf(await store.list(owner));
    send(response, 200, link === undefined ? {} : { link }, page);
    return;
  }
  if (path === '/v1/orders') {
    const body = parsed(newOrder, await bodyOf(request));
    const written = await store.create(owner, body, used);
    send(response, 201, { location: `/v1/orders/${written.order.id}`, ...headersOf(written) }, written.order);
    return;
  }
  const [, id = '', cancel] = ORDER_PATH.exec(path) ?? [];
  if (cancel === undefined) {
    const order = await store.find(owner, id);
    const etag = entityTag(order.version);
    if (headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else send(response, 200, { etag }, order);
    return;
  }
  const body = parsed(cancellation, (await bodyOf(request)) ?? {});
  const written = await store.cancel(owner, id, body.reason ?? null, used);
  send(response, 200, headersOf(written), written.order);
}

function headersOf({ order, replayed }: Written): Readonly<Record<string, string>> {
  const etag = entityTag(order.version);
  return replayed ? { etag, 'idempotent-replayed': 'true' } : { etag };
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>>, body: object): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': length, ...headers })
    .end(text);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const text = await new Promise<string>((resolve, reject) => {
    let read = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (read += part));
    request.on('end', () => resolve(read));
    request.on('error', reject);
  });
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns a valid body. */
function parsed<T>(validate: ValidateFunction<T>, body: unknown): T {
  if (validate(body)) return body;
  throw new Rejection('validation_failed', { errors: fieldsOf(validate.errors ?? []) });
}
