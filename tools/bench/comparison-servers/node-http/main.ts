import { randomUUIDv7 } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { Pool, types } from 'pg';
import { pino } from 'pino';
import { cachedOwners } from '../shared/api-key.ts';
import { environment } from '../shared/environment.ts';
import {
  changedByCancelling,
  cursorOf,
  entityTag,
  expiry,
  fingerprint,
  type ItemRow,
  type OrderRow,
  presented,
  priced,
} from '../shared/order.ts';
import { type InvalidField, PROBLEM_TYPE, problemBody, Rejection } from '../shared/problem.ts';
import { timestampOf } from '../shared/timestamp.ts';
import { type StatementName, STATEMENTS } from './statements.ts';
import { isNewOrder } from './validation.ts';

/** The lower bound of the cost: `node:http` and `pg` with one named statement for each request, without a framework. */
types.setTypeParser(types.builtins.INT8, Number);
types.setTypeParser(types.builtins.TIMESTAMPTZ, timestampOf);

const log = pino();
const pool = new Pool({ connectionString: environment.databaseUrl, max: environment.poolMax });

interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type FoundOrder = OrderRow<string> & { readonly items: readonly ItemRow[] };

async function query<Row extends object>(name: StatementName, values: readonly unknown[]): Promise<readonly Row[]> {
  const { rows } = await pool.query<Row>({ name, text: STATEMENTS[name], values: [...values] });
  return rows;
}

const ownerOf = cachedOwners(async (hash) => {
  const [row] = await query<{ owner_id: string }>('key', [hash]);
  return row?.owner_id;
});

function json(status: number, body: object | string, headers: Readonly<Record<string, string>> = {}): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text };
}

async function get(owner: string, id: string, ifNoneMatch: string | undefined): Promise<HttpResponse> {
  const [row] = await query<FoundOrder>('get', [owner, id]);
  if (!row) throw new Rejection('order_not_found');
  const etag = entityTag(row.version);
  if (ifNoneMatch === etag) return { status: 304, headers: { etag }, body: '' };
  return json(200, presented(row, row.items), { etag });
}

async function list(owner: string): Promise<HttpResponse> {
  const rows = await query<FoundOrder>('list', [owner]);
  const page = rows.slice(0, 20);
  const last = page.at(-1);
  const cursor = last && rows.length > page.length ? cursorOf(last.created_at, last.id) : null;
  return json(
    200,
    {
      data: page.map((row) => presented(row, row.items)),
      page: { limit: 20, has_more: cursor !== null, next_cursor: cursor },
    },
    cursor === null ? {} : { link: `</v1/orders?after=${cursor}>; rel="next"` },
  );
}

async function create(owner: string, key: string | undefined, body: unknown): Promise<HttpResponse> {
  const errors: InvalidField[] = [];
  if (!isNewOrder(body, errors)) throw new Rejection('validation_failed', { errors });
  const now = new Date();
  const { order, items } = priced(body, now);
  const print = fingerprint('place_order', body);
  const text = JSON.stringify(presented(order, items));
  const { customer_id, reference, note, metadata, currency, total_amount, item_count } = order;
  const record = [key ?? order.id, print, order.id, text, now.toISOString(), expiry(now).toISOString()];
  const columns = [customer_id, reference, currency, total_amount, item_count, note, JSON.stringify(metadata)];
  const [earlier] = await query<{ fingerprint: string | null; snapshot: string }>('create', [
    owner,
    ...record,
    ...columns,
    JSON.stringify(items),
    randomUUIDv7(),
  ]);
  if (earlier?.fingerprint === null) return created(text, order.id, {});
  if (earlier?.fingerprint !== print) throw new Rejection('idempotency_key_reused');
  return created(earlier.snapshot, earlier.snapshot.slice(7, 43), { 'idempotent-replayed': 'true' });
}

function created(text: string, id: string, headers: Readonly<Record<string, string>>): HttpResponse {
  return json(201, text, { etag: entityTag(1), location: `/v1/orders/${id}`, ...headers });
}

interface Cancelled {
  readonly fingerprint: string | null;
  readonly snapshot: FoundOrder | null;
  readonly status_before: string | null;
}

async function cancel(owner: string, id: string, key: string | undefined, body: unknown): Promise<HttpResponse> {
  const now = new Date();
  const reason = readReason(body);
  const print = fingerprint('change_order', id, reason);
  const [row] = await query<Cancelled>('cancel', [
    owner,
    key ?? null,
    id,
    print,
    reason,
    now.toISOString(),
    randomUUIDv7(),
    JSON.stringify(changedByCancelling(reason)),
    expiry(now).toISOString(),
  ]);
  const replayed = row !== undefined && row.fingerprint !== null;
  if (replayed && row.fingerprint !== print) throw new Rejection('idempotency_key_reused');
  if (!row?.snapshot) throw new Rejection(row?.status_before ? 'order_already_cancelled' : 'order_not_found');
  const order = withTimes(row.snapshot);
  const headers = { etag: entityTag(order.version), ...(replayed && { 'idempotent-replayed': 'true' }) };
  return json(200, presented(order, order.items), headers);
}

function readReason(body: unknown): string | null {
  if (body === undefined) return null;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
    const { reason = null, ...unknown }: { readonly reason?: unknown } = body;
    const known = Object.keys(unknown).length === 0;
    if (known && (reason === null || (typeof reason === 'string' && reason.length <= 500))) return reason;
  }
  throw new Rejection('validation_failed', {
    errors: [{ field: 'reason', message: 'is wrong', code: 'invalid_value' }],
  });
}

/** Converts the times of a JSON snapshot, whose format is PostgreSQL's. */
function withTimes(order: FoundOrder): FoundOrder {
  const time = (text: string | null) => text && timestampOf(text);
  return {
    ...order,
    created_at: timestampOf(order.created_at),
    updated_at: timestampOf(order.updated_at),
    paid_at: time(order.paid_at),
    shipped_at: time(order.shipped_at),
    delivered_at: time(order.delivered_at),
    cancelled_at: time(order.cancelled_at),
  };
}

async function handle(request: IncomingMessage): Promise<HttpResponse> {
  const owner = await ownerOf(header(request, 'x-api-key'));
  if (owner === undefined) throw new Rejection('unauthenticated');
  const [, , , id] = (request.url ?? '').split('/');
  if (request.method === 'GET') {
    return id === undefined ? await list(owner) : await get(owner, id, request.headers['if-none-match']);
  }
  const key = header(request, 'idempotency-key');
  const body = await readJson(request);
  return id === undefined ? await create(owner, key, body) : await cancel(owner, id, key, body);
}

function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text === '' ? undefined : JSON.parse(text);
}

function rejected(cause: unknown): HttpResponse {
  const rejection = cause instanceof Rejection ? cause : new Rejection('internal_error');
  if (rejection !== cause) log.error(cause);
  return json(rejection.status, problemBody(rejection, randomUUIDv7()), { 'content-type': PROBLEM_TYPE });
}

const server = createServer((request, response) => {
  const started = performance.now();
  void handle(request)
    .catch(rejected)
    .then(({ status, headers, body }) => {
      const length = status === 304 ? {} : { 'content-length': Buffer.byteLength(body) };
      response.writeHead(status, { ...headers, ...length }).end(body);
      log.info(
        { method: request.method, url: request.url, status, duration_ms: performance.now() - started },
        'request',
      );
    });
});
server.listen(environment.port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
