import {
  checkpointsContract,
  customerRepositoryContract,
  eventFeedContract,
  type OpenSubject,
  orderRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';
import {
  type Database,
  openDatabase,
  postgresApiKeys,
  postgresCheckpoints,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  postgresWebhookDeliveries,
  purge,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOf, insertChanges, insertKey } from './change-rows.ts';
import { execute } from './execute.ts';
import { comparedArguments, functionBreaches } from './function-rules.ts';
import { recordedEvents } from './recorded-events.ts';
import { comparedParameters, statementBreaches } from './statement-rules.ts';
import { testDatabase } from './test-database.ts';
import { queueSubject } from './webhooks/queue-subject.ts';

/** The statements that begin and end transactions. */
const TRANSACTION = /^(begin|commit|rollback)$/;

/** The call of a function that writes. */
const CALL = /^\s*select "(\w+)"\(((?:\$\d+(?:, )?)+)\) as outcome$/;

/** The statements of a purge that include all owners, take a lock of their own or read the time of the database. */
const MAINTENANCE = [
  /^select pg_try_advisory_xact_lock\(\d+\) as acquired$/,
  /^select least\(\$1::timestamptz,\s+now\(\) - /,
  /^select max\((expires_at|occurred_at)\)::text as time from \(/,
  /^delete from idempotency\s+where expires_at <= \$1::timestamptz returning owner_id$/,
  /^\s*select owner_id, count\(\*\)::int as count,.* from \(\s+select owner_id, occurred_at from changes\s/s,
  /^select max\(owner_id\) as owner_id from \(\s+select owner_id from (feeds|webhook_queues) /,
  /^select q.owner_id, q.endpoint_id from webhook_queues as q\s/,
  /^select f.owner_id from feeds as f\s+join changes as c on c.owner_id = f.owner_id and /,
  /^select owner_id, aggregate, aggregate_id, version, position from changes\s+where (\(position is not null or type is null\)|type in \('\w+.deleted', '\w+.deleted'\)|aggregate = '\w+' and snapshot is null) and /,
];

/**
 * The deletion of an expired key also checks the database's clock: the clock of one server alone must not delete a
 * record.
 */
const CONFIRMED_BY_THE_DATABASE =
  /^delete from "idempotency" where .* and "expires_at" <= \$3 and "expires_at" <= now\(\) returning "key"$/;

/** The functions of webhooks, whose times are those of the database. */
const WITH_CLOCK = /^webhook_(fan_out|claim|settle|purge)_/;

/** The check for the events of all who wait in a process. On Citus, one statement for each owner takes its place. */
const EVENTS_OF_WAITERS = /^\s*select w\.place::int as place\s+from unnest\(/;

/** The search for owners whose endpoints have something to receive, which a worker makes in the background. */
const DUE_OWNERS = /^\s*select e\.owner_id from webhook_endpoints as e\s/;

/** Returns the breaches that a statement is allowed. */
function allowedBreaches(text: string): readonly string[] {
  if (CONFIRMED_BY_THE_DATABASE.test(text)) return ['now() is called'];
  if (DUE_OWNERS.test(text)) {
    const tables = ['webhook_endpoints', 'webhook_queues', 'feeds', 'changes', 'webhook_deliveries'];
    return [...tables.map((table) => `${table} is not bound to the owner by a parameter`), 'now() is called'];
  }
  if (!EVENTS_OF_WAITERS.test(text)) return [];
  return ['feeds', 'changes'].map((table) => `${table} is not bound to the owner by a parameter`);
}

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

/** Returns the definition of each function of the schema, by name. */
async function functions(): Promise<ReadonlyMap<string, string>> {
  const rows = await execute<{ name: string; definition: string }>(
    database.url,
    `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
     where pronamespace = current_schema()::regnamespace`,
  );
  return new Map(rows.map(({ name, definition }) => [name, definition]));
}

/** Returns the name and the arguments of the function that a statement calls. */
function callIn(text: string): { readonly name: string; readonly passed: readonly string[] } | undefined {
  const [, name, passed] = CALL.exec(text) ?? [];
  return name !== undefined && passed !== undefined ? { name, passed: passed.split(', ') } : undefined;
}

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
  eventFeedContract({ describe, it }, async () => ({
    ...(await open()),
    feed: postgresEventFeed(watched),
    // Its statements include several owners.
    purge: async (cutoff) => {
      const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
      await purge(database.current)({ now: new Date().toISOString(), eventsBefore });
    },
  }));
  checkpointsContract({ describe, it }, () => postgresCheckpoints(watched));
  webhookQueueContract({ describe, it }, () => ({
    ...queueSubject(watched, watched, database.url),
    // Made by MikroORM, which writes values into the text.
    deliveries: postgresWebhookDeliveries(database.current),
    purge: (cutoff) => queueSubject(database.current, database.current, database.url).purge(cutoff),
  }));

  it('every statement filters by one owner in every subquery, and receives times and ids as parameters', async () => {
    const statements = sent();
    expect(statements.length).toBeGreaterThan(40);
    for (const { text } of statements) {
      const breaches = allowedBreaches(text);
      expect({ text, breaches: await statementBreaches(text) }).toEqual({ text, breaches });
    }
  });

  it('every function filters by one owner in every subquery, and is called with the owner first', async () => {
    const defined = await functions();
    for (const [name, definition] of defined) {
      const breaches = WITH_CLOCK.test(name) ? ['clock_timestamp() is called'] : [];
      expect({ name, breaches: await functionBreaches(definition) }).toEqual({ name, breaches });
    }
    const calls = sent().flatMap(({ text }) => callIn(text) ?? []);
    const purging = [...defined.keys()].filter((name) => name.startsWith('webhook_purge_'));
    expect([...calls.map(({ name }) => name), ...purging].toSorted()).toEqual([...defined.keys()].toSorted());
    for (const call of calls) {
      expect(call.passed).toEqual(call.passed.map((_, index) => `$${index + 1}`));
    }
  });

  // Citus folds a comparison with null and drops the filter by owner with it: the statement then runs on every shard.
  it('no statement or function compares a column with null', async () => {
    const defined = await functions();
    for (const { text } of sent()) {
      const called = defined.get(callIn(text)?.name ?? '');
      const compared = called === undefined ? await comparedParameters(text) : await comparedArguments(called);
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

  it('every tenant table is read and written', async () => {
    const all = [...sent().map(({ text }) => text.replaceAll('"', '')), ...(await functions()).values()];
    // The tables of endpoints are written by their repository.
    const tables = ['orders', 'customers', 'idempotency', 'changes', 'feeds', 'checkpoints'];
    for (const table of [...tables, 'webhook_queues', 'webhook_deliveries']) {
      expect(all.some((text) => text.includes(`insert into ${table}`))).toBe(true);
    }
  });
});

describe('the log of deliveries', () => {
  it('is read and changed by statements about one owner', async () => {
    proxy.clear();
    const deliveries = postgresWebhookDeliveries(watched);
    const [endpoint, event] = ['019b0000-000d-7000-8000-000000000001', '019b0000-eeee-7000-8000-00000000000e'];
    const query = { limit: 10, before: 100, status: 'failed' } as const;
    expect((await deliveries.list('owner of a log', endpoint, query)).isOk()).toBe(true);
    expect((await deliveries.redeliver('owner of a log', endpoint, event)).isErr()).toBe(true);
    expect(sent()).toHaveLength(3);
    for (const { text } of sent()) expect(text).toContain(`"owner_id" = 'owner of a log' and`);
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

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

describe('maintenance', () => {
  it('includes several owners only in a purge', async () => {
    const at = '2000-01-01T00:00:00.000Z';
    await insertKey(database.url, 'purged', 'key', { id: idOf(1), version: 1 }, at);
    await insertChanges(database.url, 'purged', [
      { id: idOf(1), version: 1, at },
      { id: idOf(1), version: 2, at },
      { id: idOf(2), version: 1, at, deletion: true },
      { id: idOf(3), version: 1, at },
      { id: idOf(3), version: 2, at: hoursAgo(2), deletion: true },
      { aggregate: 'webhook_endpoint', id: idOf(4), version: 1, at, deletion: true },
    ]);
    proxy.clear();
    await purge(watched)({ now: hoursAgo(0), eventsBefore: hoursAgo(3), historyBefore: hoursAgo(3) });
    expect(sent().filter(({ text }) => text.includes('with old as'))).toHaveLength(4);
    const across = [];
    for (const { text } of sent()) if ((await statementBreaches(text)).length > 0) across.push(text);
    expect(across).toHaveLength(15);
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
      'select * from orders o join changes i on i.owner_id = o.owner_id and i.aggregate_id = o.id where o.owner_id = $1',
      ['changes is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders o, changes i where owner_id = $1',
      ['orders is not bound to the owner by a parameter', 'changes is not bound to the owner by a parameter'],
    ],
    [
      'select (select count(*) from changes i where i.aggregate_id = o.id) from orders o where o.owner_id = $1',
      ['changes is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 and customer_id in (select id from customers)',
      ['customers is not bound to the owner by a parameter'],
    ],
    [
      'with gone as (delete from idempotency where key = $2 returning 1) select * from orders where owner_id = $1',
      ['idempotency is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 union all select * from orders where id = $2',
      ['orders is not bound to the owner by a parameter'],
    ],
    [
      'select * from orders where owner_id = $1 and exists (select from idempotency where owner_id = $2)',
      ['the owner comes by several parameters'],
    ],
    ['update orders set note = $2 where id = $1', ['orders is not bound to the owner by a parameter']],
    ['update orders set owner_id = $2 where owner_id = $1', ['the owner of a row is changed']],
    [
      'update orders o set note = c.name from customers c where o.owner_id = $1 and c.id = o.customer_id',
      ['customers is not bound to the owner by a parameter'],
    ],
    ['delete from changes where aggregate_id = $1', ['changes is not bound to the owner by a parameter']],
    [
      'delete from changes i using orders o where i.owner_id = $1 and i.aggregate_id = o.id',
      ['orders is not bound to the owner by a parameter'],
    ],
    ['insert into idempotency (key) values ($1)', ['idempotency is filled for no owner']],
    [`insert into idempotency (owner_id, key) select 'me', $1`, ['idempotency is filled for no owner']],
    [
      'insert into idempotency (owner_id, key) select $1, $2 on conflict (owner_id, key) do update set owner_id = $3',
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
    ['select * from idempotency where owner_id = $1 and idempotency.key = $2::text', [0, 1]],
    ['update orders set note = $1 where owner_id = $2', [1]],
    ['select $1::text = $2', []],
  ])('finds the parameters that are compared with columns by: %s', async (text, positions) => {
    expect(await comparedParameters(text)).toEqual(positions);
  });

  it.each([
    'select * from orders where owner_id = $1 and id = $2',
    'select * from orders as o where $1::text = o.owner_id',
    'select (select count(*) from changes i where i.owner_id = $1) from orders o where o.owner_id = $1',
    'select * from (select 1) as x left join orders o on o.owner_id = $1 and o.id = $2',
    'with w as (update orders set note = $2 where owner_id = $1 returning id) select id from w',
    'insert into idempotency (owner_id, key) select $1::text, $2 on conflict (owner_id, key) do nothing',
    'select * from api_keys where key_hash = $1',
  ])('accepts: %s', async (text) => {
    expect(await statementBreaches(text)).toEqual([]);
  });
});

/** Returns the definition of a function with this body, in the form of those that write. */
function functionWith(body: string, parameters = 'p_owner_id text, p_id uuid, p_key text'): string {
  return `create or replace function seeded (${parameters}) returns text language plpgsql as $$
  declare
    moved json;
  begin
    ${body}
    return 'written';
  end
$$`;
}

describe('the check of functions', () => {
  it.each([
    ['perform from orders where id = p_id;', ['orders is not bound to the owner by a parameter']],
    [
      'delete from orders where id = p_id returning items into moved;',
      ['orders is not bound to the owner by a parameter'],
    ],
    [
      'if exists (select from idempotency where key = p_key) then return p_key; end if;',
      ['idempotency is not bound to the owner by a parameter'],
    ],
    [
      'if p_key is null then return 1; else update changes set snapshot = null where aggregate_id = p_id; end if;',
      ['changes is not bound to the owner by a parameter'],
    ],
    ['perform from orders where owner_id = p_key;', ['the owner is not its first parameter']],
    ['insert into idempotency (owner_id, key) values (p_key, p_key);', ['the owner is not its first parameter']],
    ['insert into idempotency (key, owner_id) values (p_key, moved);', ['idempotency is filled for no owner']],
    ['insert into idempotency (key) values (p_key);', ['idempotency is filled for no owner']],
    [`p_owner_id := 'me';`, ['a variable is assigned']],
    ['execute p_key;', ['it makes the text of a statement']],
    ['perform pg_notify(p_key, p_key);', ['pg_notify() is called']],
    ['update orders set updated_at = now() where owner_id = p_owner_id;', ['now() is called']],
  ])('rejects: %s', async (body, breaches) => {
    expect(await functionBreaches(functionWith(body))).toEqual(breaches);
  });

  it('rejects an owner that is not the first parameter', async () => {
    const read = 'perform from orders where owner_id = p_owner_id;';
    expect(await functionBreaches(functionWith(read))).toEqual([]);
    expect(await functionBreaches(functionWith(read, 'p_id uuid, p_owner_id text'))).toEqual([
      'the owner is not its first parameter',
    ]);
  });

  it('finds the arguments that are compared with columns', async () => {
    const body = `if p_key <> '' and exists (select from idempotency where owner_id = p_owner_id and key = p_key) then
      return p_key; end if;`;
    expect(await comparedArguments(functionWith(body))).toEqual([0, 2]);
  });
});
