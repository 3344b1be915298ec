import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';

/** A database with many orders. */
export interface ScaleDatabase {
  readonly url: string;
  readonly client: Client;
  /** Random orders of the measured owner. */
  readonly ids: readonly string[];
  /** The newest order of the measured owner. */
  readonly newest: string;
  close(): Promise<void>;
}

/** The numbers of orders and owners. */
export interface Population {
  /** Orders of the measured owner. */
  readonly orders: number;
  /** The number of other owners. */
  readonly others: number;
  readonly ordersOfEach: number;
}

/** The owner whose requests are measured. */
export const MEASURED_OWNER = 'measured';
export const MEASURED_OWNER_KEY = keyOf(MEASURED_OWNER);

/** The number of ids that are requested. */
const IDS = 5000;

/** Returns the API key of an owner. */
function keyOf(owner: string): string {
  return `ord_scale_${owner}`;
}

/** Creates and fills a database. The orders are one second apart, and their ids are in the order of their times. */
export async function makeScaleDatabase(url: string, name: string, population: Population): Promise<ScaleDatabase> {
  await execute(url, `create database ${name}`);
  const own = new URL(url);
  own.pathname = name;
  const database = openDatabase({ url: own.href });
  await database.migrate();
  await database.close();
  const client = new Client({ connectionString: own.href });
  await client.connect();
  try {
    await populate(client, population);
    const { rows } = await client.query<{ readonly id: string }>(
      `select id from (select id from orders.orders where owner_id = $1 order by random() limit $2) as drawn`,
      [MEASURED_OWNER, IDS],
    );
    const newest = await client.query<{ readonly id: string }>(
      'select id from orders.orders where owner_id = $1 order by created_at desc limit 1',
      [MEASURED_OWNER],
    );
    return {
      url: own.href,
      client,
      ids: rows.map(({ id }) => id),
      newest: newest.rows[0]?.id ?? '',
      close: () => client.end(),
    };
  } catch (cause) {
    await client.end();
    throw cause;
  }
}

async function populate(client: Client, { orders, others, ordersOfEach }: Population): Promise<void> {
  await fill(client, `select '${MEASURED_OWNER}', n from generate_series(1, ${orders}) n`);
  await fill(
    client,
    `select 'other ' || owner, n from generate_series(1, ${ordersOfEach}) n, generate_series(1, ${others}) owner`,
  );
  await client.query(
    `insert into orders.api_keys (key_hash, prefix, owner_id, scopes, created_at)
     select rtrim(translate(encode(sha256(('ord_scale_' || owner)::bytea), 'base64'), '+/', '-_'), '='),
       owner, owner, '["orders:read", "orders:write"]', now()
     from (select '${MEASURED_OWNER}' as owner union all select 'other ' || n from generate_series(1, $1::int) n) as owners`,
    [others],
  );
  await client.query('vacuum analyze');
}

/** Inserts the orders that `numbered` lists: pairs of an owner and a number, which counts from the newest one. */
async function fill(client: Client, numbered: string): Promise<void> {
  await client.query(
    `insert into orders.orders
       (owner_id, id, status, currency, total_amount, item_count, items, metadata, version, created_at, updated_at)
     select owner, uuidv7(at - now()), 'pending', 'EUR', 8970, 1,
       json_build_array(json_build_object('id', gen_random_uuid(), 'sku', 'MUG-330-0', 'name', 'Stoneware mug 330 ml',
         'quantity', 3, 'unit_amount', 2990, 'total_amount', 8970)),
       '{"channel":"web"}', 1, at, at
     from (${numbered}) as numbered (owner, n), lateral (select now() - (n + 60) * interval '1 second') as moment (at)
     order by n desc`,
  );
}

/** Returns one order of each of the other owners, and their API keys. */
export async function ordersOfOthers(
  client: Client,
): Promise<{ readonly ids: readonly string[]; readonly apiKeys: readonly string[] }> {
  const { rows } = await client.query<{ readonly owner_id: string; readonly id: string }>(
    `select owner_id, max(id::text) as id from orders.orders where owner_id <> $1 group by owner_id order by random()`,
    [MEASURED_OWNER],
  );
  return { ids: rows.map(({ id }) => id), apiKeys: rows.map(({ owner_id }) => keyOf(owner_id)) };
}

/** Deletes the orders that a round placed, so that the next one starts with the same number of orders. */
export async function deleteNewOrders(client: Client): Promise<void> {
  // The seeded orders have one item each.
  await client.query('delete from orders.orders where owner_id = $1 and item_count > 1', [MEASURED_OWNER]);
  await client.query('truncate orders.idempotency, orders.changes');
  await client.query('vacuum analyze orders.orders');
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
