import { parseFeedQuery } from '@orders/domain/events';
import {
  anEventOf,
  anOrder,
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
  postgresEventFeed,
  postgresWebhookDeliveries,
  purge,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idOf, insertChanges, insertKey } from './change-rows.ts';
import { BAKERY } from './definitions/bakery.ts';
import { execute } from './execute.ts';
import { comparedArguments, functionBreaches } from './function-rules.ts';
import { recordedEvents } from './recorded-events.ts';
import { comparedParameters, statementBreaches } from './statement-rules.ts';
import { testDatabase } from './test-database.ts';
import { queueSubject } from './webhooks/queue-subject.ts';
import { decidedCustomers, decidedOrders } from './decided-writes.ts';

/** The statements that begin and end transactions. */
const TRANSACTION = /^(begin|commit|rollback)$/;

/** The call of a function that writes. */
const CALL = /^\s*select "(\w+)"\(((?:\$\d+(?:, )?)+)\) as outcome$/;

/** The statements of a purge that include all owners, take a lock of their own or read the time of the database. */
const MAINTENANCE = [
  /^select pg_try_advisory_xact_lock\(\d+\) as acquired,\s+set_config\('lock_timeout', '250ms', true\)$/,
  /^select least\(\$1::timestamptz,\s+now\(\) - /,
  /^select max\((expires_at|occurred_at)\)::text as time from \(/,
  /^delete from idempotency\s+where expires_at > \$1::timestamptz and expires_at <= \$2::timestamptz and true returning owner_id$/,
  /^\s*select owner_id, count\(\*\)::int as count,.* from \(\s+select owner_id, occurred_at from changes\s/s,
  /^select max\(owner_id\) as owner_id from \(\s+select owner_id from (feeds|webhook_queues) /,
  /^select q.owner_id, q.endpoint_id from webhook_queues as q\s/,
  /^select f.owner_id from feeds as f\s+where .* where c.owner_id = f.owner_id and c.position > f.purged /s,
  /^select owner_id, aggregate, aggregate_id, version, position from changes\s+where (\(position is null and type is not null\) is not true|type in \('\w+.deleted', '\w+.deleted'\)|aggregate = '\w+' and snapshot is null) and /,
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

/** The range of owners for which one such search looks. */
const RANGE_OF_OWNERS = /^\s*select max\(e\.owner_id\) as until, count\(\*\)::int as count from \(/;

/** Returns the breaches that a statement is allowed. */
function allowedBreaches(text: string): readonly string[] {
  if (CONFIRMED_BY_THE_DATABASE.test(text)) return ['now() is called'];
  if (DUE_OWNERS.test(text)) {
    const tables = ['webhook_endpoints', 'webhook_queues', 'feeds', 'changes', 'webhook_deliveries'];
    return [...tables.map((table) => `${table} is not bound to the owner by a parameter`), 'now() is called'];
  }
  if (RANGE_OF_OWNERS.test(text)) return ['webhook_endpoints is not bound to the owner by a parameter'];
  if (!EVENTS_OF_WAITERS.test(text)) return [];
  return ['changes is not bound to the owner by a parameter'];
}

const database = testDatabase();
let proxy: PostgresProxy;
let watched: Database;
let bakery: Database<unknown, typeof BAKERY>;

beforeAll(async () => {
  proxy = await startPostgresProxy(database.url);
  watched = openDatabase({ url: proxy.url });
  bakery = openDatabase({ url: proxy.url, definition: BAKERY });
});

afterAll(async () => {
  await watched.close();
  await bakery.close();
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
    orders: decidedOrders(watched),
    customers: decidedCustomers(watched),
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
    ...queueSubject(watched, watched, database.current),
    // Made by MikroORM, which writes values into the text.
    deliveries: postgresWebhookDeliveries(database.current),
    purge: (cutoff) => queueSubject(database.current, database.current).purge(cutoff),
  }));

  // Orders with custom data and times without a column have statements and functions of their own.
  const openBakery = () => ({
    orders: decidedOrders(bakery),
    customers: decidedCustomers(bakery),
    events: (owner: string) => recordedEvents(database.current, owner),
  });
  describe('of a bakery', () => {
    orderRepositoryContract({ describe, it }, openBakery, BAKERY);
  });

  it('resources of a bakery are read from its feed', async () => {
    const query = parseFeedQuery({ include: ['resource'] }, BAKERY)._unsafeUnwrap();
    const order = anOrder({}, BAKERY);
    await openBakery().orders.insert('owner of a bakery', { order, event: anEventOf('owner of a bakery', order) });
    const page = await postgresEventFeed(bakery).read('owner of a bakery', query);
    expect(page._unsafeUnwrap().data).toMatchObject([{ resource: { data: order } }]);
  });

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
    const texts = sent().map(({ text }) => text);
    const ofOwner = texts.filter((text) => text.includes(`"owner_id" = 'owner of a log' and`));
    expect(ofOwner).toHaveLength(3);
    // The time of the database, which is no one's.
    expect(texts.filter((text) => !ofOwner.includes(text))).toEqual([expect.not.stringContaining(' from ')]);
  });
});

describe('without prepared statements', () => {
  it('no statement has a name', async () => {
    const plain = openDatabase({ url: proxy.url, preparedStatements: false });
    proxy.clear();
    try {
      expect((await postgresApiKeys(plain).find('hash')).isOk()).toBe(true);
      expect((await decidedOrders(plain).find('owner', '00000000-0000-7000-8000-000000000000')).isErr()).toBe(true);
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
