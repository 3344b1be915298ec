import { query } from '../processes/postgres.ts';

/** Gives an owner customers and orders of one line, as many as clients place in years, one a second. */
export async function fillTables(databaseUrl: string, owner: string, customers: number, orders: number): Promise<void> {
  const moment = `lateral (select now() - n * interval '1 second') as moment (at)`;
  await query(
    databaseUrl,
    `insert into customers (owner_id, id, email, email_key, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), n || '@example.com', n || '@example.com', '{}', 1, at, at
     from generate_series(1, $2::int) n, ${moment}`,
    [owner, customers],
  );
  await query(
    databaseUrl,
    `with placed as (
       insert into orders (owner_id, id, status, currency, total_amount, item_count, metadata, version, created_at, updated_at)
       select $1, gen_random_uuid(), 'pending', 'EUR', 2990, 1, '{"channel":"web"}', 1, at, at
       from generate_series(1, $2::int) n, ${moment}
       returning id
     )
     insert into order_items (owner_id, order_id, line, id, sku, name, quantity, unit_amount, total_amount)
     select $1, id, 0, gen_random_uuid(), 'MUG-330', 'Stoneware mug 330 ml', 1, 2990, 2990 from placed`,
    [owner, orders],
  );
  await query(databaseUrl, 'analyze customers, orders, order_items');
}
