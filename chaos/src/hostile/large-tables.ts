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
    `insert into orders
       (owner_id, id, status, currency, total_amount, item_count, items, metadata, version, created_at, updated_at)
     select $1, gen_random_uuid(), 'pending', 'EUR', 2990, 1,
       json_build_array(json_build_object('id', gen_random_uuid(), 'sku', 'MUG-330', 'name', 'Stoneware mug 330 ml',
         'quantity', 1, 'unit_amount', 2990, 'total_amount', 2990)),
       '{"channel":"web"}', 1, at, at
     from generate_series(1, $2::int) n, ${moment}`,
    [owner, orders],
  );
  await query(databaseUrl, 'analyze customers, orders');
}
