import { customerRepositoryContract, type OpenSubject, orderRepositoryContract } from '@orders/domain/testing';
import {
  type Database,
  openDatabase,
  postgresApiKeys,
  postgresCustomerRepository,
  postgresOrderRepository,
  purge,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordedEvents } from './recorded-events.ts';
import { comparedParameters, statementBreaches } from './statement-rules.ts';
import { testDatabase } from './test-database.ts';

/** The statements that begin and end transactions. */
const TRANSACTION = /^(begin|commit|rollback)$/;

/** The statements of a purge, which include all owners and take a lock of their own. */
const MAINTENANCE = [
  /^select pg_try_advisory_xact_lock\(\d+\) as acquired$/,
  /^select max\("(expires_at|occurred_at)"\)::text as time from \(/,
  /^delete from "(once|outbox)"\s+where "(expires_at|occurred_at)" <= \$1::timestamptz returning owner_id$/,
];

/**
 * The deletion of an expired key also checks the database's clock: the clock of one server alone must not delete a
 * record.
 */
const CONFIRMED_BY_THE_DATABASE =
  /^delete from "once" where .* and "expires_at" <= \$3 and "expires_at" <= now\(\) returning "key"$/;

const database = testDatabase();
let proxy: PostgresProxy;
let watched: Database;

beforeAll(async () => {
  proxy = await startPostgresProxy(database.url);
  watched = openDatabase({ url: proxy.url });
});

afterAll(async () => {
  await watched.close();
  await proxy.close();
});

/** Returns each distinct statement that was sent, without those that begin and end transactions. */
function sent(): readonly Statement[] {
  const byText = new Map(proxy.statements.map((statement) => [statement.text, statement]));
  return [...byText.values()].filter(({ text }) => !TRANSACTION.test(text));
}

describe('while the contracts run', () => {
  const open: OpenSubject = () => ({
    orders: postgresOrderRepository(watched),
    customers: postgresCustomerRepository(watched),
    events: (owner) => recordedEvents(database.current, owner),
  });
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);

  it('every statement filters by one owner in every subquery, and receives times and ids as parameters', async () => {
    const statements = sent();
    expect(statements.length).toBeGreaterThan(40);
    for (const { text } of statements) {
      const breaches = CONFIRMED_BY_THE_DATABASE.test(text) ? ['now() is called'] : [];
      expect({ text, breaches: await statementBreaches(text) }).toEqual({ text, breaches });
    }
  });

  // Citus folds a comparison with null and drops the filter by owner with it: the statement then runs on every shard.
  it('no statement compares a column with null', async () => {
    for (const { text } of sent()) {
      const compared = await comparedParameters(text);
      for (const { parameters } of proxy.statements.filter((statement) => statement.text === text)) {
        expect({ text, nulls: compared.filter((position) => parameters[position] === null) }).toEqual({
          text,
          nulls: [],
        });
      }
    }
  });

  it('every statement has a name and is prepared once', () => {
    const names = new Map(sent().map(({ name, text }) => [name, text]));
    expect(names.get('')).toBeUndefined();
    expect(names.size).toBe(sent().length);
    for (const name of names.keys()) expect(name).toMatch(/^orders_[\w-]{22}$/);
  });

  it('every tenant table is read and written', () => {
    const all = sent().map(({ text }) => text.replaceAll('"', ''));
    for (const table of ['orders', 'customers', 'once', 'outbox']) {
      expect(all.some((text) => text.includes(`insert into ${table}`))).toBe(true);
    }
  });
});

describe('without prepared statements', () => {
  it('no statement has a name', async () => {
    const plain = openDatabase({ url: proxy.url, preparedStatements: false });
    proxy.clear();
    try {
      expect((await postgresApiKeys(plain).find('hash')).isOk()).toBe(true);
      expect((await postgresOrderRepository(plain).find('owner', '00000000-0000-7000-8000-000000000000')).isErr()).toBe(
        true,
      );
    } finally {
      await plain.close();
    }
    expect(proxy.statements.map(({ name }) => name)).toEqual(['', '']);
  });
});

describe('maintenance', () => {
  it('includes several owners only in a purge', async () => {
    proxy.clear();
    await purge(watched)({ now: '2999-01-01T00:00:00.000Z', eventsBefore: '2999-01-01T00:00:00.000Z' });
    const across = [];
    for (const { text } of sent()) if ((await statementBreaches(text)).length > 0) across.push(text);
    expect(across).toHaveLength(5);
    for (const text of across) expect(MAINTENANCE.filter((allowed) => allowed.test(text))).toHaveLength(1);
  });
});

describe('the check of statements', () => {
  it.each([
    ['select * from orders where id = $1', ['orders is not bound to the owner by a parameter']],
    ['select * from orders where owner_id = $1 or id = $2', ['orders is not bound to the owner by a parameter']],
    [`select * from orders where owner_id = 'me'`, ['orders is not bound to the owner by a parameter']],
    ['select * from orders where owner_id >= $1', ['orders is not bound to the owner by a parameter']],
    [
      'select * from orders o join outbox i on i.owner_id = o.owner_id and i.aggregate_id = o.id where o.owner_id = $1',
      ['outbox is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders o, outbox i where owner_id = $1',
      ['orders is not bound to the owner by a parameter', 'outbox is not bound to the owner by a parameter'],
    ],
    [
      'select (select count(*) from outbox i where i.aggregate_id = o.id) from orders o where o.owner_id = $1',
      ['outbox is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 and customer_id in (select id from customers)',
      ['customers is not bound to the owner by a parameter'],
    ],
    [
      'with gone as (delete from once where key = $2 returning 1) select * from orders where owner_id = $1',
      ['once is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 union all select * from orders where id = $2',
      ['orders is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 and exists (select from once where owner_id = $2)',
      ['the owner comes by several parameters'],
    ],
    ['update orders set note = $2 where id = $1', ['orders is not bound to the owner by a parameter']],
    ['update orders set owner_id = $2 where owner_id = $1', ['the owner of a row is changed']],
    [
      'update orders o set note = c.name from customers c where o.owner_id = $1 and c.id = o.customer_id',
      ['customers is not bound to the owner by a parameter'],
    ],
    ['delete from outbox where aggregate_id = $1', ['outbox is not bound to the owner by a parameter']],
    [
      'delete from outbox i using orders o where i.owner_id = $1 and i.aggregate_id = o.id',
      ['orders is not bound to the owner by a parameter'],
    ],
    ['insert into once (key) values ($1)', ['once is filled for no owner']],
    [`insert into once (owner_id, key) select 'me', $1`, ['once is filled for no owner']],
    [
      'insert into once (owner_id, key) select $1, $2 on conflict (owner_id, key) do update set owner_id = $3',
      ['the owner of a row is changed'],
    ],
    ['select now() from orders where owner_id = $1', ['now() is called']],
    ['select pg_advisory_xact_lock(1)', ['pg_advisory_xact_lock() is called']],
    ['update orders set updated_at = current_timestamp where owner_id = $1', ['the time is taken from the database']],
    ['update orders set id = gen_random_uuid() where owner_id = $1', ['gen_random_uuid() is called']],
    [`notify orders, 'changed'`, ['it is a NotifyStmt']],
    ['listen orders', ['it is a ListenStmt']],
  ])('rejects: %s', async (text, breaches) => {
    expect(await statementBreaches(text)).toEqual(breaches);
  });

  it.each([
    ['select * from once where owner_id = $1 and once.key = $2::text', [0, 1]],
    ['update orders set note = $1 where owner_id = $2', [1]],
    ['select $1::text = $2', []],
  ])('finds the parameters that are compared with columns by: %s', async (text, positions) => {
    expect(await comparedParameters(text)).toEqual(positions);
  });

  it.each([
    'select * from orders where owner_id = $1 and id = $2',
    'select * from orders as o where $1::text = o.owner_id',
    'select (select count(*) from outbox i where i.owner_id = $1) from orders o where o.owner_id = $1',
    'select * from (select 1) as x left join orders o on o.owner_id = $1 and o.id = $2',
    'with w as (update orders set note = $2 where owner_id = $1 returning id) select id from w',
    'insert into once (owner_id, key) select $1::text, $2 on conflict (owner_id, key) do nothing',
    'select * from api_keys where key_hash = $1',
  ])('accepts: %s', async (text) => {
    expect(await statementBreaches(text)).toEqual([]);
  });
});
