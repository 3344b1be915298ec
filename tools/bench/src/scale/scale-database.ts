import { createDatabase, issueKeys, UNLIMITED } from '@orders/system-under-test';
import type { Client } from 'pg';
import type { Bench, BenchPostgres } from '../bench.ts';
import type { Subject } from '../subject.ts';

/** The owner whose requests are measured. */
const MEASURED_OWNER = 'measured';

/** The number of ids that are requested. */
const IDS = 5000;

/** Starts a server on a database with many orders. */
export async function startPopulated(
  bench: Bench,
  postgres: BenchPostgres,
  name: string,
  population: { readonly orders: number; readonly others: number; readonly ordersOfEach: number },
): Promise<Subject & { readonly client: Client }> {
  bench.progress.step(`${population.orders} orders of one owner, ${population.others} other owners`);
  const databaseUrl = await createDatabase(postgres.url, name);
  const apiKeys = await issueKeys(databaseUrl, [MEASURED_OWNER]);
  const client = await bench.connect(databaseUrl);
  const { orders, others, ordersOfEach } = population;
  await fill(client, `select '${MEASURED_OWNER}', n from generate_series(1, ${orders}) n`);
  await fill(
    client,
    `select 'other ' || owner, n from generate_series(1, ${ordersOfEach}) n, generate_series(1, ${others}) owner`,
  );
  await client.query(
    `insert into orders.api_keys (key_hash, prefix, owner_id, scopes, created_at)
     select rtrim(translate(encode(sha256(('ord_scale_' || owner)::bytea), 'base64'), '+/', '-_'), '='),
       owner, owner, '["orders:read", "orders:write"]', now()
     from (select 'other ' || n from generate_series(1, $1::int) n) as owners (owner)`,
    [others],
  );
  await client.query('vacuum analyze');
  // The newest one comes first.
  const { rows } = await client.query<{ readonly id: string }>(
    `(select id from orders.orders where owner_id = $1 order by created_at desc limit 1)
     union all (select id from orders.orders where owner_id = $1 order by random() limit $2)`,
    [MEASURED_OWNER, IDS],
  );
  const server = await bench.serve({ databaseUrl, env: { ...UNLIMITED, DATABASE_POOL_MAX: '10' } });
  return {
    title: name,
    client,
    server,
    placer: server,
    postgres: postgres.pid,
    keys: { reader: apiKeys, writer: apiKeys },
    ids: rows.map(({ id }) => id),
    settle: () => client.query('vacuum analyze'),
  };
}

/**
 * Inserts the orders that `numbered` lists: pairs of an owner and a number, which counts from the newest one. They are one
 * second apart, and their ids are in the order of their times.
 */
async function fill(client: Client, numbered: string): Promise<void> {
  await client.query(
    `insert into orders.orders
       (owner_id, id, status, currency, total_amount, element_count, items, metadata, version, created_at, updated_at)
     select owner, uuidv7(at - now()), 'pending', 'EUR', 8970, 1,
       json_build_array(json_build_object('id', gen_random_uuid(), 'sku', 'MUG-330-0', 'name', 'Stoneware mug 330 ml',
         'quantity', 3, 'unit_amount', 2990)),
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
  return { ids: rows.map(({ id }) => id), apiKeys: rows.map(({ owner_id }) => `ord_scale_${owner_id}`) };
}
