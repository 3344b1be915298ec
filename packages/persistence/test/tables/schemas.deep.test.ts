import { createDomain } from '@orders/domain/runtime';
import { type Database, openDatabase, postgresApiKeys, postgresStore, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { MIGRATION_LOCK } from '../../src/migration/migration-lock.ts';
import { PURGE_LOCK } from '../../src/purge/locked-batch.ts';
import { lockKeys } from '../../src/tables/schema.ts';
import { execute } from '../fixtures/execute.ts';
import { readPage } from '../fixtures/reading.ts';
import { holding, untilFinished } from '../fixtures/sessions.ts';
import { emptyDatabase, migratedDatabase } from '../fixtures/test-database.ts';

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const LOCKS_OF_ORDERS = [MIGRATION_LOCK, PURGE_LOCK].map((lock) => lockKeys('orders', lock).join());
const ID = '019b0000-0000-7000-8000-000000000001';

const open = (url: string, schema?: string): Database => untilFinished(openDatabase({ url, schema, poolMax: 4 }));

/** Uses an installation as servers, workers and administrators do, and returns the ids of its orders. */
async function use(database: Database): Promise<readonly string[]> {
  const store = postgresStore(database);
  const { webhookEndpoints, webhookQueue, webhookDeliveries, feed } = store;
  const domain = createDomain(store);
  const { customer } = (await domain.createCustomer('shop', { email: 'a@example.com' }))._unsafeUnwrap();
  const { order } = (await domain.placeOrder('shop', { items: [ITEM], customer_id: customer.id }))._unsafeUnwrap();
  (await domain.cancelOrder('shop', order.id, {}))._unsafeUnwrap();
  (await domain.placeOrder('shop', { items: [ITEM] }))._unsafeUnwrap();
  expect((await readPage(feed, 'shop'))._unsafeUnwrap().data).toHaveLength(4);
  const page = { sort: 'created_at', limit: 1, offset: 0, after: null } as const;
  expect((await webhookEndpoints.list('shop', page))._unsafeUnwrap().data).toEqual([]);
  expect((await webhookQueue.fanOut('shop')).isOk()).toBe(true);
  expect((await webhookQueue.findDue(10, null))._unsafeUnwrap().owners).toEqual([]);
  expect((await webhookQueue.claim('shop', 10))._unsafeUnwrap()).toEqual([]);
  expect((await webhookDeliveries.list('shop', ID, { limit: 1, before: 1, status: null })).isOk()).toBe(true);
  expect((await postgresApiKeys(database).find('unknown'))._unsafeUnwrap()).toBeNull();
  const now = new Date().toISOString();
  expect(await purge(database)({ now, eventsBefore: now })).toMatchObject({ keys: 0 });
  return (await domain.listOrders('shop'))._unsafeUnwrap().data.map(({ id }) => id);
}

/** Returns the names and definitions of what is in `public`, and the rows of its tables. */
async function inPublic(url: string): Promise<unknown> {
  return await execute(
    url,
    `select c.relname, c.relkind, array_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) order by a.attnum) as columns,
       case when c.relkind = 'r' then table_to_xml(c.oid, true, true, '')::text end as rows
     from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0
     where c.relnamespace = 'public'::regnamespace group by c.oid order by 1
    `,
  );
}

async function schemas(url: string): Promise<readonly unknown[]> {
  const text = `select schema_name as name from information_schema.schemata
    where schema_name !~ '^(pg_|information_schema$)' order by 1`;
  return (await execute(url, text)).map(({ name }) => name);
}

describe('the tables', () => {
  it('leave those of a host alone that have the same names', async () => {
    const url = await emptyDatabase();
    await execute(
      url,
      `create table public.orders (id serial primary key, pizza text); insert into public.orders (pizza) values ('large');
       create table public.customers (id int, owner_id text); insert into public.customers values (1, 'shop');
       create table public.changes (note text); insert into public.changes values ('by hand');
       create table public.schema_migrations (version text primary key); insert into public.schema_migrations values ('7')`,
    );
    const before = await inPublic(url);
    const database = open(url);
    await database.migrate();
    expect(await use(database)).toHaveLength(2);
    expect(await inPublic(url)).toEqual(before);
    expect(await schemas(url)).toEqual(['orders', 'public']);
    expect(await database.pendingMigrations()).toEqual([]);
  });

  it('can be there twice, in two schemas, which share nothing', async () => {
    const url = await emptyDatabase();
    const [first, second] = [open(url), open(url, 'user')];
    await Promise.all([first.migrate(), second.migrate()]);
    const ids = await Promise.all([use(first), use(second)]);
    expect(ids.map((list) => list.length)).toEqual([2, 2]);
    expect(new Set(ids.flat()).size).toBe(4);
    expect(await inPublic(url)).toEqual([]);
    expect(await schemas(url)).toEqual(['orders', 'public', 'user']);
    const functions = `select array_agg(proname order by proname) as names from pg_proc
      where pronamespace in ('orders'::regnamespace, '"user"'::regnamespace) group by pronamespace`;
    const [ours, theirs] = await execute(url, functions);
    expect(ours).toEqual(theirs);
  });

  it('are purged and migrated beside a purge and a migration of another schema', async () => {
    const url = await migratedDatabase();
    const [first, second] = [open(url), open(url, 'second')];
    const migrated = await first.primary.transaction(async (held) => {
      await held.run(
        `select pg_advisory_xact_lock(${LOCKS_OF_ORDERS[0]}), pg_advisory_xact_lock(${LOCKS_OF_ORDERS[1]})`,
      );
      const applied = await second.migrate();
      const now = '2026-03-01T00:00:00.000Z';
      await execute(url, `insert into second.idempotency values ('o', 'k', 'f', 'order', '${ID}', 1, '2026-02-01')`);
      await execute(url, `insert into orders.idempotency values ('o', 'k', 'f', 'order', '${ID}', 1, '2026-02-01')`);
      expect(await purge(second)({ now, eventsBefore: now })).toMatchObject({ keys: 1 });
      expect(await purge(first)({ now, eventsBefore: now })).toMatchObject({ keys: 0 });
      return applied;
    });
    expect(migrated).toHaveLength(2);
  });

  it('are not created beside those of a build before the first release', async () => {
    const url = await emptyDatabase();
    await execute(
      url,
      `create table public.schema_migrations (name text); create table public.api_keys (key_hash text);
       create table public.orders (owner_id text, total_amount bigint)`,
    );
    await expect(open(url).migrate()).rejects.toThrow(
      /^the database has the tables of a build before the first release, which no migration changes: use an empty database$/,
    );
    expect(await schemas(url)).toEqual(['public']);
  });

  it('are created while a host has locked its tables of the same names', async () => {
    const url = await emptyDatabase();
    const names = ['schema_migrations', 'api_keys', 'orders'].map((name) => `public.${name}`);
    await execute(url, names.map((name) => `create table ${name} (owner_id text)`).join(';'));
    await holding(url, `lock table ${names.join()} in access exclusive mode`);
    expect(await open(url).migrate()).toHaveLength(2);
  });
});

describe('a role that may not create schemas', () => {
  it('gets one sentence, unless it owns the schema', async () => {
    const url = await emptyDatabase();
    const name = new URL(url).pathname.slice(1);
    const [{ is_super } = { is_super: false }] = await execute<{ is_super: boolean }>(
      url,
      'select rolsuper as is_super from pg_roles where rolname = current_user',
    );
    // A superuser acts as a role that PostgreSQL has.
    const role = is_super ? 'pg_monitor' : 'current_user';
    await execute(url, `revoke create on database ${name} from public; revoke create on database ${name} from ${role}`);
    const database = open(is_super ? `${url}?options=${encodeURIComponent(`-c role=${role}`)}` : url);
    await expect(database.migrate()).rejects.toThrow(
      /^the role of the connection may not create the tables in the schema "orders": let it own the schema, or grant it CREATE on the database if there is no such schema$/,
    );
    await execute(
      url,
      `grant create on database ${name} to current_user; create schema orders authorization ${role};
       revoke create on database ${name} from current_user`,
    );
    expect(await database.migrate()).toHaveLength(2);
    expect(await use(database)).toHaveLength(2);
  });
});

describe('the name of a schema', () => {
  it.each(['', 'Orders', '1st', 'a"b', 'ö', 'pg_orders', 'information_schema', 'public', 'a'.repeat(64)])(
    'is rejected before anything is sent: %s',
    (schema) => {
      expect(() => openDatabase({ url: 'postgresql://127.0.0.1:1/orders', schema })).toThrow(
        /^the name of the schema must be 1 to 63 characters from a-z, 0-9 and _, must not begin with a digit or pg_, and must be neither/,
      );
    },
  );

  it('may have 63 characters', async () => {
    const database = open(await emptyDatabase(), 'o'.repeat(63));
    await database.migrate();
    expect(await use(database)).toHaveLength(2);
  });
});
