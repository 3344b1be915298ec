import type { Client } from 'pg';

/** Orders of three lines as clients place them, one second apart, the last one now. Answers with their ids. */
export async function placeOrders(client: Client, owner: string, count: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly id: string }>(
    `with placed as (
       insert into orders (owner_id, id, status, currency, total_amount, item_count, metadata, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'pending', 'EUR', 8970, 3, '{"channel":"web"}', 1, at, at
       from generate_series(1, $2::int) n, lateral (select now() - n * interval '1 second') as moment (at)
       returning id, created_at
     ), lines as (
       insert into order_items (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
       select $1, id, line, gen_random_uuid(), 'MUG-330-' || line, 'Stoneware mug 330 ml', 1, 2990, 2990
       from placed, generate_series(0, 2) line
     )
     select id from placed order by created_at desc`,
    [owner, count],
  );
  return rows.map(({ id }) => id);
}

/** How many events and records of keys there are. */
export async function countWrites(client: Client): Promise<{ readonly events: number; readonly records: number }> {
  const { rows } = await client.query<{ readonly events: string; readonly records: string }>(
    'select (select count(*) from outbox) as events, (select count(*) from once) as records',
  );
  return { events: Number(rows[0]?.events), records: Number(rows[0]?.records) };
}
