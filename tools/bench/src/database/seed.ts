import type { Client } from 'pg';

/**
 * Inserts orders of three items, one second apart, the newest one now. Copies them to the tables of the comparison
 * servers if those exist. Returns the ids, the newest first.
 */
export async function placeOrders(client: Client, owner: string, count: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly id: string }>(
    `insert into orders.orders
       (owner_id, id, status, currency, total_amount, item_count, items, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), 'pending', 'EUR', 8970, 3, items, '{"channel":"web"}', 1, at, at
     from generate_series(1, $2::int) n, lateral (
       select now() - n * interval '1 second', json_agg(json_build_object('id', gen_random_uuid(),
         'sku', 'MUG-330-' || line, 'name', 'Stoneware mug 330 ml', 'quantity', 1, 'unit_amount', 2990,
         'total_amount', 2990))
       from generate_series(0, 2) line
     ) as placed (at, items)
     order by at desc
     returning id`,
    [owner, count],
  );
  const ids = rows.map(({ id }) => id);
  if (await hasComparison(client)) await copyOrders(client, owner, ids);
  return ids;
}

async function copyOrders(client: Client, owner: string, ids: readonly string[]): Promise<void> {
  const placed = `from orders.orders o where owner_id = $1 and id = any($2::uuid[])`;
  const columns = `owner_id, id, status, currency, total_amount, item_count, metadata, version, created_at, updated_at`;
  await client.query(`insert into comparison.orders (${columns}) select ${columns} ${placed}`, [owner, ids]);
  await client.query(
    `insert into comparison.order_items
       (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
     select o.owner_id, o.id, i.line - 1, i.id, i.sku, i.name, i.quantity, i.unit_amount, i.total_amount
     from orders.orders o, rows from (
       json_to_recordset(o.items) as (id uuid, sku text, name text, quantity int, unit_amount bigint, total_amount bigint)
     ) with ordinality as i (id, sku, name, quantity, unit_amount, total_amount, line)
     where o.owner_id = $1 and o.id = any($2::uuid[])`,
    [owner, ids],
  );
}

/** Returns the numbers of events and of idempotency records. */
export async function countWrites(client: Client): Promise<{ readonly events: number; readonly records: number }> {
  const counts = async (events: string, idempotency: string) => {
    const { rows } = await client.query<{ readonly events: string; readonly records: string }>(
      `select (select count(*) from ${events}) as events, (select count(*) from ${idempotency}) as records`,
    );
    return { events: Number(rows[0]?.events), records: Number(rows[0]?.records) };
  };
  const own = await counts('public.changes', 'public.idempotency');
  if (!(await hasComparison(client))) return own;
  const comparison = await counts('comparison.outbox', 'comparison.idempotency_records');
  return { events: own.events + comparison.events, records: own.records + comparison.records };
}

async function hasComparison(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ readonly found: boolean }>(
    `select to_regnamespace('comparison') is not null as found`,
  );
  return rows[0]?.found ?? false;
}
