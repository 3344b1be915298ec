import { execute } from '../fixtures/execute.ts';

const OWNERS = 5;
export const ORDERS_PER_OWNER = 10_000;

/** The owner whose plans are tested, and one of its customers, who has a tenth of its orders. */
export const OWNER = 'owner 3';
export const CUSTOMER = '00000000-0000-7000-8000-000000000303';

/**
 * Fills a database with ten thousand orders for each of five owners. They are placed in turn, four per millisecond, in
 * every status, by ten customers each. Then PostgreSQL analyzes the tables, as its autovacuum does.
 */
export async function fillWithOrders(url: string): Promise<void> {
  const id = (prefix: string, n: string) => `('00000000-0000-7000-8000-${prefix}' || lpad((${n})::text, 9, '0'))::uuid`;
  const statements = [
    `insert into customers select 'owner ' || owner, ${id('000', 'owner * 100 + n')}, 'c' || n || '@example.com',
       'c' || n || '@example.com', null, '{}', 1, '2026-01-01', '2026-01-01'
     from generate_series(1, ${OWNERS}) owner, generate_series(0, 9) n`,
    `insert into orders (owner_id, id, status, customer_id, reference, currency, total_amount, element_count, note,
       metadata, version, created_at, updated_at, items)
     select 'owner ' || owner, ${id('001', 'n * 10 + owner')},
       (array['pending', 'paid', 'shipped', 'delivered', 'cancelled'])[1 + n % 5],
       ${id('000', 'owner * 100 + n % 10')}, 'ref ' || n, 'EUR', 1000, 2, 'a note of some length', '{"channel":"web"}',
       1, at, at + interval '1 hour' * (n % 7),
       (select json_agg(json_build_object('id', gen_random_uuid(), 'sku', 'SKU-' || line, 'name', 'A thing with a name of several words',
         'quantity', 1, 'unit_amount', 500)) from generate_series(0, 1) line where n > 0)
     from (select n, owner, timestamptz '2026-01-01' + interval '1 millisecond' * (n / 4) as at
       from generate_series(1, ${ORDERS_PER_OWNER}) n, generate_series(1, ${OWNERS}) owner order by n, owner) as placed`,
    // Adds enough other rows to make scans of whole tables expensive.
    `insert into customers select 'owner ' || owner, ${id('002', 'owner * 10000 + n')}, 'b' || n || '@example.com',
       'b' || n || '@example.com', null, '{}', 1, at, at + interval '1 hour' * (n % 7)
     from (select n, owner, timestamptz '2026-01-01' + interval '1 millisecond' * (n / 4) as at
       from generate_series(1, 4000) n, generate_series(1, ${OWNERS}) owner order by n, owner) as created`,
    `insert into changes select owner_id, 'order', id, version, gen_random_uuid(), 'order.placed', '[]', updated_at, null,
       '{}', 1, null from orders`,
    // All orders of the owner have one value, and each has another one, as those of the other owners have.
    `insert into order_lookups select owner_id, 'external.shop', value, created_at, id
     from orders, lateral (values ('web'), (reference)) as v (value)`,
    `insert into idempotency select owner_id, 'key ' || reference, 'f', 'order', id, version, '2100-01-01' from orders`,
    `insert into api_keys select md5('key' || n), 'prefix ' || n, 'owner ' || n % 5, '[]', '2026-01-01'
     from generate_series(1, 5000) n`,
  ];
  for (const statement of statements) await execute(url, statement);
  // Lets ANALYZE read all rows: a sample differs from run to run, and so would the plans.
  await execute(url, 'alter table orders alter note set statistics 1000');
  // While autovacuum analyzes a table its snapshot prevents rows from becoming visible to all, so that an
  // index-only scan then also reads the table.
  do await execute(url, 'vacuum analyze');
  while ((await execute(url, PARTLY_VISIBLE)).length > 0);
}

const PARTLY_VISIBLE = `select relname from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and relallvisible < relpages`;
