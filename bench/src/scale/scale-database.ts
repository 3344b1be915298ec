import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';

/** A database of many orders. */
export interface ScaleDatabase {
  readonly url: string;
  readonly client: Client;
  /** Orders of the owner who asks, from all over. */
  readonly ids: readonly string[];
  /** The last one of them. */
  readonly newest: string;
  close(): Promise<void>;
}

/** How many orders there are, and whose. */
export interface Population {
  /** Orders of the owner who asks. */
  readonly orders: number;
  /** Owners beside that one. */
  readonly others: number;
  readonly ordersOfEach: number;
}

/** Who asks. */
export const ASKER = 'asker';
export const ASKERS_KEY = keyOf(ASKER);

/** How many ids are kept to ask for. */
const IDS = 5000;

/** The API key of an owner here. */
function keyOf(owner: string): string {
  return `ord_scale_${owner}`;
}

/** Makes a database and fills it: orders a second apart and with ids in that order, as clients would place them. */
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
      `select id from (select id from orders where owner_id = $1 order by random() limit $2) as drawn`,
      [ASKER, IDS],
    );
    const newest = await client.query<{ readonly id: string }>(
      'select id from orders where owner_id = $1 order by created_at desc limit 1',
      [ASKER],
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
  await fill(client, `select '${ASKER}', n from generate_series(1, ${orders}) n`);
  await fill(
    client,
    `select 'other ' || owner, n from generate_series(1, ${ordersOfEach}) n, generate_series(1, ${others}) owner`,
  );
  await client.query(
    `insert into api_keys (key_hash, prefix, owner_id, scopes, created_at)
     select rtrim(translate(encode(sha256(('ord_scale_' || owner)::bytea), 'base64'), '+/', '-_'), '='),
       owner, owner, '["orders:read", "orders:write"]', now()
     from (select '${ASKER}' as owner union all select 'other ' || n from generate_series(1, $1::int) n) as owners`,
    [others],
  );
  await client.query('vacuum analyze');
}

/** Places the orders that `numbered` lists: an owner and a number, from the newest on. */
async function fill(client: Client, numbered: string): Promise<void> {
  await client.query(
    `insert into orders
       (owner_id, id, status, currency, total_amount, item_count, items, metadata, version, created_at, updated_at)
     select owner, uuidv7(at - now()), 'pending', 'EUR', 8970, 1,
       json_build_array(json_build_object('id', gen_random_uuid(), 'sku', 'MUG-330-0', 'name', 'Stoneware mug 330 ml',
         'quantity', 3, 'unit_amount', 2990, 'total_amount', 8970)),
       '{"channel":"web"}', 1, at, at
     from (${numbered}) as numbered (owner, n), lateral (select now() - (n + 60) * interval '1 second') as moment (at)
     order by n desc`,
  );
}

/** One order of each of the other owners, and their keys. */
export async function othersOrders(
  client: Client,
): Promise<{ readonly ids: readonly string[]; readonly apiKeys: readonly string[] }> {
  const { rows } = await client.query<{ readonly owner_id: string; readonly id: string }>(
    `select owner_id, max(id::text) as id from orders where owner_id <> $1 group by owner_id order by random()`,
    [ASKER],
  );
  return { ids: rows.map(({ id }) => id), apiKeys: rows.map(({ owner_id }) => keyOf(owner_id)) };
}

/** Takes away what a round of measuring placed, so that the next one finds as many orders. */
export async function forgetNewOrders(client: Client): Promise<void> {
  // Those that were here before have one line.
  await client.query('delete from orders where owner_id = $1 and item_count > 1', [ASKER]);
  await client.query('truncate once, outbox');
  await client.query('vacuum analyze orders');
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
