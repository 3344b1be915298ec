import { createHash, randomUUIDv7 } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { Pool } from 'pg';

/**
 * The limit: `node:http` and `pg` with one named statement for each request, no conventions, on the schema of the
 * server. It checks the key's hash against a cache and answers the same JSON.
 */
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const ownerByHash = new Map<string, string>();

const ORDER = `json_build_object(
  'id', o.id, 'status', o.status, 'customer_id', o.customer_id, 'reference', o.reference,
  'items', (select json_agg(json_build_object('id', i.id, 'sku', i.sku, 'name', i.name, 'quantity', i.quantity,
      'unit_price', json_build_object('amount', i.unit_amount, 'currency', o.currency),
      'total', json_build_object('amount', i.total_amount, 'currency', o.currency)) order by i.line)
    from order_items i where i.owner_id = $1 and i.order_id = o.id),
  'total', json_build_object('amount', o.total_amount, 'currency', o.currency),
  'note', o.note, 'metadata', o.metadata, 'cancel_reason', o.cancel_reason, 'version', o.version,
  'created_at', o.created_at, 'updated_at', o.updated_at)`;

const statements = {
  key: 'select owner_id as answer from api_keys where key_hash = $1 and revoked_at is null',
  get: `select ${ORDER}::text as answer from orders o where o.owner_id = $1 and o.id = $2`,
  list: `select json_build_object('data', json_agg(row))::text as answer from (
    select ${ORDER} as row from orders o where o.owner_id = $1 order by o.created_at desc, o.id desc limit 20) page`,
  create: `with once as (insert into once (owner_id, key, fingerprint, aggregate_id, snapshot, created_at,
        expires_at)
      values ($1, $3, $4, $2, $5, $6, $6::timestamptz + interval '1 day') on conflict do nothing returning 1),
    placed as (insert into orders (owner_id, id, status, currency, total_amount, item_count, metadata, version,
        created_at, updated_at)
      select $1, $2, 'pending', $7, $8, $9, '{}', 1, $6, $6 from once returning id),
    lines as (insert into order_items select $1, $2, i.line, i.id, i.sku, i.name, i.quantity, i.unit_amount,
        i.total_amount from once, json_to_recordset($10) as i(line int, id uuid, sku text, name text, quantity int,
        unit_amount bigint, total_amount bigint)),
    event as (insert into outbox select $1, $11, 'order.placed', $2, 1, '[]', $6 from once)
    select $5::text as answer from placed`,
} as const;

async function ask(name: keyof typeof statements, values: readonly unknown[]): Promise<string | undefined> {
  const { rows } = await pool.query<{ answer: string }>({ name, text: statements[name], values: [...values] });
  return rows[0]?.answer;
}

async function ownerOf(request: IncomingMessage): Promise<string | undefined> {
  const hash = createHash('sha256').update(String(request.headers['x-api-key'])).digest('base64url');
  const known = ownerByHash.get(hash) ?? (await ask('key', [hash]));
  if (known !== undefined) ownerByHash.set(hash, known);
  return known;
}

interface Body {
  readonly items: readonly {
    readonly sku: string;
    readonly name: string;
    readonly quantity: number;
    readonly unit_price: { readonly amount: number; readonly currency: string };
  }[];
}

function isBody(input: unknown): input is Body {
  return typeof input === 'object' && input !== null && 'items' in input && Array.isArray(input.items);
}

async function create(owner: string, request: IncomingMessage): Promise<string | undefined> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  const body: unknown = JSON.parse(text);
  if (!isBody(body)) return undefined;
  const { items } = body;
  const [id, now] = [randomUUIDv7(), new Date().toISOString()];
  const lines = items.map(({ unit_price: { amount }, ...item }, line) => ({
    ...item,
    line,
    id: randomUUIDv7(),
    unit_amount: amount,
    total_amount: amount * item.quantity,
  }));
  const total = lines.reduce((sum, { total_amount }) => sum + total_amount, 0);
  const answer = JSON.stringify({ id, status: 'pending', items: lines, total, created_at: now });
  const fingerprint = createHash('sha256').update(text).digest('base64url');
  const key = request.headers['idempotency-key'];
  const currency = items[0]?.unit_price.currency;
  const json = JSON.stringify(lines);
  const values = [owner, id, key, fingerprint, answer, now, currency, total, lines.length, json, randomUUIDv7()];
  return await ask('create', values);
}

async function answer(request: IncomingMessage): Promise<readonly [number, string]> {
  const owner = await ownerOf(request);
  if (owner === undefined) return [401, ''];
  const [, , , id] = request.url?.split('/') ?? [];
  if (request.method === 'GET' && id === undefined) return [200, (await ask('list', [owner])) ?? ''];
  if (request.method === 'GET') return found(200, await ask('get', [owner, id]));
  return found(201, await create(owner, request));
}

function found(status: number, body: string | undefined): readonly [number, string] {
  return body === undefined ? [404, ''] : [status, body];
}

const server = createServer((request, response) => {
  answer(request).then(
    ([status, body]) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
    (cause: unknown) => response.writeHead(500).end(String(cause)),
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null)
    process.stdout.write(`listening at http://127.0.0.1:${address.port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
