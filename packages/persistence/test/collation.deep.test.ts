import { openDatabase } from '@orders/persistence';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrate } from '../src/migrate.ts';
import { type Migration, MIGRATIONS } from '../src/migration/migrations-list.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';
import { schemaBreaches } from './schema-rules.ts';

const OF_FIRST_RELEASE = ['0001-orders', '0002-client-certificates'];

async function migrateTo(url: string, list: readonly Migration[] = MIGRATIONS): Promise<void> {
  const database = openDatabase({ url });
  try {
    await database.withoutTimeLimits((own) => migrate(own, {}, list));
  } finally {
    await database.close();
  }
}

/** Returns the migrations up to `last`. */
const until = (last: string) => MIGRATIONS.filter(({ name }) => name <= last);

/** Creates a database of release 0.1.0 with some rows, and a session of a server of that release. */
async function firstRelease(): Promise<{ readonly url: string; readonly session: Client }> {
  const url = await emptyDatabase();
  await migrateTo(
    url,
    MIGRATIONS.filter(({ name }) => OF_FIRST_RELEASE.includes(name)),
  );
  const id = (n: string) => `('00000000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
  await execute(
    url,
    `insert into customers select 'owner', ${id('n')}, n || '@example.com', n || '@example.com', null, '{}', 1, now(),
       now() from generate_series(1, 20) n;
     insert into orders select 'owner', ${id('n')}, 'paid', ${id('n')}, 'PO-' || n, 'EUR', 1, 1, null, '{}', null, 1,
       now(), now() from generate_series(1, 20) n;
     insert into order_items select 'owner', ${id('n')}, 0, ${id('n')}, 'SKU', 'A thing', 1, 1, 1
       from generate_series(1, 20) n;
     insert into once select 'owner', 'key ' || n, 'f', ${id('n')}, '{}', now(), now() from generate_series(1, 20) n`,
  );
  const session = new Client({ connectionString: url });
  session.on('error', () => undefined);
  await session.connect();
  onTestFinished(() => session.end());
  return { url, session };
}

/** The statements of release 0.1.0 on the rows above that return text, prepared as its servers do. */
const PREPARED = [
  {
    name: 'list',
    text: 'select id, status, reference, note from orders where owner_id = $1 and status = ($2::text[])[1] limit 3',
    values: ['owner', '{paid}'],
    rows: 3,
  },
  {
    name: 'holder',
    text: 'select id, reference from orders where owner_id = $1 and reference = $2',
    values: ['owner', 'PO-7'],
    rows: 1,
  },
  {
    name: 'customer',
    text: 'select id, email, name from customers where owner_id = $1 and email_key = $2',
    values: ['owner', '7@example.com'],
    rows: 1,
  },
  {
    name: 'recall',
    text: 'select fingerprint, aggregate_id from once where owner_id = $1 and key = $2',
    values: ['owner', 'key 7'],
    rows: 1,
  },
];

async function columnCollations(url: string): Promise<readonly unknown[]> {
  return await execute(
    url,
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attcollation = '"C"'::regcollation
     order by 1`,
  );
}

describe('the migration of index collations', () => {
  it('runs while servers of release 0.1.0 use their prepared statements', async () => {
    const { url, session } = await firstRelease();
    const breaches = await schemaBreaches(url);
    expect(breaches.filter((breach) => breach.includes('C library'))).toHaveLength(17);
    for (const { rows, ...statement } of PREPARED) expect((await session.query(statement)).rows).toHaveLength(rows);
    const files = `select oid::regclass::text as name, pg_relation_filenode(oid) as file from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'schema_migrations' order by 1`;
    const before = await execute(url, files);

    // The migration after these needs servers of 0.1.0 to be stopped.
    await migrateTo(url, until('0006-customer-lists'));

    expect(await schemaBreaches(url)).toEqual([]);
    for (const { rows, ...statement } of PREPARED) expect((await session.query(statement)).rows).toHaveLength(rows);
    // No table was rewritten.
    expect(await execute(url, files)).toEqual(before);
    expect(await execute(url, 'select conname from pg_constraint where not convalidated')).toEqual([]);
    expect(await execute(url, `select relname from pg_class where relkind = 'i' and relname like '%\\_c'`)).toEqual([]);
  });

  it('builds no index under an exclusive lock', async () => {
    const { url } = await firstRelease();
    await migrateTo(url, until('0003-collated-indexes'));
    const copies = `select pg_relation_filenode(oid) as file from pg_class
      where relkind = 'i' and relname like '%\\_c' order by 1`;
    const built = await execute(url, copies);
    expect(built).toHaveLength(17);
    await migrateTo(url, until('0005-collated-keys'));
    const files = await execute(
      url,
      `select pg_relation_filenode(oid) as file from pg_class where relkind = 'i'
       and relnamespace = 'public'::regnamespace
       and relname not in ('once_expires_index', 'outbox_occurred_index', 'schema_migrations_pkey') order by 1`,
    );
    expect(files).toEqual(built);
  });

  it('preserves unique and foreign key constraints', async () => {
    const { url } = await firstRelease();
    await migrateTo(url);
    const fails = (statement: string) => execute(url, statement).then(() => undefined, String);
    expect(await fails(`update orders set reference = 'PO-1' where reference = 'PO-2'`)).toContain(
      'orders_reference_unique',
    );
    expect(await fails(`update customers set email_key = '1@example.com'`)).toContain('customers_email_unique');
    expect(await fails('delete from customers')).toContain('orders_customer_foreign');
  });

  it('does not change the distribution column of Citus', async () => {
    const { url } = await firstRelease();
    // The part of Citus that the migrations read.
    await execute(
      url,
      `create table pg_dist_partition (owner_id text collate "C" not null, logicalrelid regclass);
       insert into pg_dist_partition values ('', 'orders'), ('', 'once')`,
    );
    // The stand-in has no function to distribute the tables of later migrations.
    await migrateTo(url, until('0006-customer-lists'));
    expect(await columnCollations(url)).toEqual([{ name: 'pg_dist_partition.owner_id' }]);
    const collated = `select i.indexrelid::regclass::text as name from pg_index i
      where '"C"'::regcollation = any (i.indcollation::oid[])
      and i.indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace) order by 1`;
    expect(await execute(url, collated)).toEqual(
      ['orders_reference_unique', 'orders_status_created_index', 'orders_status_updated_index'].map((name) => ({
        name,
      })),
    );
    expect(await execute(url, `select relname from pg_class where relkind = 'i' and relname like '%\\_c'`)).toEqual([]);
  });
});
