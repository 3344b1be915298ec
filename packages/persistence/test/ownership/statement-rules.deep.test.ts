import { type OrderDefinition, ORDERS } from '@orders/domain';
import { parseFeedQuery } from '@orders/domain/events';
import { type JobWork, parseOwnersOrderQuery } from '@orders/domain/operators';
import {
  anEventOf,
  anOrder,
  aCustomer,
  anEventOfCustomer,
  checkpointsContract,
  orderStatisticsContract,
  customerRepositoryContract,
  eventFeedContract,
  type Open,
  orderRepositoryContract,
  ownerCheckpointsContract,
  type StoreSubject,
  webhookQueueContract,
} from '@orders/domain/testing';
import {
  type Database,
  discardDeliveries,
  openDatabase,
  postgresAudit,
  postgresCheckpoints,
  postgresCustomerRepository,
  postgresDeliveriesOfOwners,
  postgresEndpointsOfOwners,
  postgresEventFeed,
  postgresOperatorJobs,
  postgresOrderComments,
  postgresOrderFinder,
  postgresOrderRepository,
  postgresOwners,
  postgresTimelines,
  postgresWebhookDeliveries,
  purge,
  countStatistics,
  rebuildLookups,
  rebuildStatistics,
  runJobs,
} from '@orders/persistence';
import { type PostgresProxy, type Statement, startPostgresProxy } from '@orders/postgres-proxy';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BAKERY } from '../definitions/bakery.ts';
import { endpointId, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { comparedArguments, functionBreaches } from './function-rules.ts';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { comparedParameters, statementBreaches } from './statement-rules.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { contractSubject } from '../fixtures/contract-subject.ts';
import { countAll } from '../statistics/count-all.ts';

/** The statements that begin and end transactions. */
const TRANSACTION = /^(begin|commit|rollback)$/;

/** The call of a function that writes. */
const CALL = /^\s*select "orders"\."(\w+)"\(((?:\$\d+(?:, )?)+)\) as outcome$/;

/**
 * The deletion of an expired key also checks the database's clock: the clock of one server alone must not delete a
 * record.
 */
const CONFIRMED_BY_THE_DATABASE =
  /^\s*delete from "orders"\.idempotency\s+where .* and expires_at <= \$3 and expires_at <= now\(\)\s+returning key$/s;

/** The functions of webhooks, whose times are those of the database. */
const WITH_CLOCK = /^webhook_(fan_out|claim|settle|purge|resume)_/;

/** The time at which deliveries that waited for discarded ones are due. */
const TIME_OF_DELIVERIES = /^select date_trunc\('milliseconds', clock_timestamp\(\)\)::text as now$/;

/** The check for the events of all who wait in a process. On Citus, one statement for each owner takes its place. */
const EVENTS_OF_WAITERS = /^\s*select w\.place::int as place\s+from unnest\(/;

/** The search for owners whose endpoints have something to receive, which a worker makes in the background. */
const DUE_OWNERS = /^\s*select e\.owner_id from "orders"\.webhook_endpoints as e\s/;

/** The range of owners for which one such search looks. */
const RANGE_OF_OWNERS = /^\s*select max\(e\.owner_id\) as until, count\(\*\)::int as count from \(/;

/** The claims of checkpoints and jobs, whose times are those of the database. */
const CLAIMS =
  /^\s*(?:update "orders"\.(?:checkpoints as c|operator_jobs as j) set|insert into "orders"\.checkpoints \().*now\(\)/s;

/** The range of owners with a feed for which the next statement looks. */
const RANGE_OF_FEEDS = /^\s*select max\(o\.owner_id\) as until.* from "orders"\.feeds/s;

/** The search for owners whose events a consumer of all owners has not handled, and for those without a feed yet. */
const OWNERS_BEHIND = /^\s*select f\.owner_id from "orders"\.feeds as f\s/;
const OWNERS_WITHOUT_POSITIONS = /^\s*select owner_id, count\(\*\)::int as count, min\(occurred_at\)/;

/** Returns the breaches that a statement is allowed. */
function allowedBreaches(text: string): readonly string[] {
  const unbound = (...tables: readonly string[]) =>
    tables.map((table) => `${table} is not bound to the owner by a parameter`);
  if (CONFIRMED_BY_THE_DATABASE.test(text) || CLAIMS.test(text)) return ['now() is called'];
  if (TIME_OF_DELIVERIES.test(text)) return ['clock_timestamp() is called'];
  if (DUE_OWNERS.test(text)) {
    const tables = unbound('webhook_endpoints', 'webhook_queues', 'feeds', 'changes', 'webhook_deliveries');
    return [...tables, 'now() is called'];
  }
  if (RANGE_OF_OWNERS.test(text)) return unbound('webhook_endpoints');
  if (RANGE_OF_FEEDS.test(text)) return unbound('feeds');
  if (OWNERS_BEHIND.test(text)) return unbound('feeds', 'checkpoints', 'changes');
  if (OWNERS_WITHOUT_POSITIONS.test(text)) return unbound('changes');
  return EVENTS_OF_WAITERS.test(text) ? unbound('changes') : [];
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

/**
 * Returns the definition of each function of the schema that runs on the node of an owner, by name. The one that binds a
 * statement to a transaction runs where that was begun.
 */
async function functions(): Promise<ReadonlyMap<string, string>> {
  const rows = await execute<{ name: string; definition: string }>(
    database.url,
    `select proname as name, pg_get_functiondef(oid) as definition from pg_proc
     where pronamespace = current_schema()::regnamespace and proname not like 'execute\\_bound\\_%'`,
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
  const open = (() => ({
    orders: postgresOrderRepository(watched),
    customers: postgresCustomerRepository(watched),
    events: (owner) => recordedEvents(database.current, owner),
  })) satisfies Open<StoreSubject>;
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);
  eventFeedContract({ describe, it }, () => ({
    ...open(),
    feed: postgresEventFeed(watched),
    // Its statements include several owners.
    purge: async (cutoff) => {
      const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
      await purge(database.current)({ now: new Date().toISOString(), eventsBefore });
    },
  }));
  checkpointsContract({ describe, it }, () => postgresCheckpoints(watched));
  ownerCheckpointsContract({ describe, it }, () => ({
    ...contractSubject(watched, watched, database.current),
    purge: (cutoff) => contractSubject(database.current, database.current).purge(cutoff),
  }));
  webhookQueueContract({ describe, it }, () => ({
    ...contractSubject(watched, watched, database.current),
    // Made by MikroORM, which writes values into the text.
    webhookDeliveries: postgresWebhookDeliveries(database.current),
    purge: (cutoff) => contractSubject(database.current, database.current).purge(cutoff),
  }));

  orderStatisticsContract({ describe, it }, () => ({
    ...contractSubject(watched, watched, database.current),
    count: async (owner) => {
      await countAll(countStatistics(watched), owner);
      await rebuildStatistics(watched, owner);
    },
  }));

  it('deliveries are discarded', async () => {
    expect(await discardDeliveries(watched, 'owner without deliveries', '2026-01-01T00:00:00.000Z')).toBe(0);
  });

  it('an endpoint is resumed', async () => {
    const [owner, endpoint] = ['owner without endpoints', '00000000-0000-7000-8000-000000000000'];
    expect((await postgresWebhookDeliveries(watched).resume(owner, endpoint)).isOk()).toBe(true);
  });

  it('several creates are stored together', async () => {
    const owner = 'owner of several';
    const creation = <A, Event>(after: A, event: Event) => ({ kind: 'create' as const, after, event, key: undefined });
    const [order, customer] = [anOrder(), aCustomer()];
    const own = anOrder({}, BAKERY);
    const { id, created_at, updated_at } = aCustomer();
    const erasure = {
      id,
      email_key: 'ada@example.com',
      customer_id: null,
      status: 'pending',
      version: 1,
      created_at,
      updated_at,
    } as const;
    const { erasures } = postgresCustomerRepository(watched);
    const requested = { ...anEventOfCustomer(owner, aCustomer({ id })), type: 'erasure.requested' } as const;
    const request = creation(erasure, requested);
    const stored = [
      await openBakery().orders.commitAll?.(owner, [creation(own, anEventOf(owner, own))], false),
      await postgresOrderRepository(watched).commitAll?.(owner, [creation(order, anEventOf(owner, order))], false),
      await postgresCustomerRepository(watched).commitAll?.(
        owner,
        [creation(customer, anEventOfCustomer(owner, customer))],
        false,
      ),
      await erasures.commitAll?.(owner, [request], false),
    ];
    expect(stored.map((result) => result?._unsafeUnwrap())).toEqual(stored.map(() => [ok(null)]));
    expect((await erasures.commitAll?.(owner, [request], false))?._unsafeUnwrap()).toEqual([err({ type: 'id_taken' })]);
  });

  it('orders are commented', async () => {
    const owner = 'owner of comments';
    const after = anOrder();
    const create = { kind: 'create', after, event: anEventOf(owner, after), key: undefined } as const;
    await postgresOrderRepository(watched).commit(owner, create);
    const comments = postgresOrderComments(watched);
    for (const key of ['key', 'key', undefined])
      await comments.add(owner, { order_id: after.id, text: 'late', key }, { actor: 'operator:1', reason: null });
    expect((await comments.list(owner, after.id, { after: null, limit: 9 }))._unsafeUnwrap()).toHaveLength(2);
  });

  it('lookups are rebuilt', async () => {
    const owner = 'owner of lookups';
    const order = anOrder({ external_ids: { erp: ['1'] } });
    const event = anEventOf(owner, order);
    await postgresOrderRepository(watched).commit(owner, { kind: 'create', after: order, event, key: undefined });
    await execute(database.url, `delete from order_lookups where owner_id = '${owner}'`);
    expect(await rebuildLookups(watched, owner)).toBe(1);
  });

  // Orders with custom data and times without a column have statements and functions of their own.
  const openBakery = () => ({
    orders: postgresOrderRepository(bakery),
    customers: postgresCustomerRepository(bakery),
    events: (owner: string) => recordedEvents(database.current, owner),
  });
  describe('of a bakery', () => {
    orderRepositoryContract({ describe, it }, openBakery, BAKERY);
  });

  it('resources of a bakery are read from its feed', async () => {
    const query = parseFeedQuery({ include: ['resource'] }, BAKERY)._unsafeUnwrap();
    const owner = 'owner of a bakery';
    const order = anOrder({}, BAKERY);
    const event = anEventOf(owner, order);
    await openBakery().orders.commit(owner, { kind: 'create', after: order, event, key: undefined });
    const page = await postgresEventFeed(bakery).read(owner, query);
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
});

it('what operators read of several owners is bounded by a limit, and receives times and ids as parameters', async () => {
  const before = proxy.statements.length;
  const [owner, at] = ['owner of operators', '2026-01-02T00:00:00.000Z'];
  const after = anOrder();
  const { id } = after;
  const event = { ...anEventOf(owner, after), actor: 'certificate:0' };
  (
    await postgresOrderRepository(watched).commit(owner, { kind: 'create', after, event, key: undefined })
  )._unsafeUnwrap();
  await insertEndpoint(database.url, owner, endpointId(1));
  const audit = postgresAudit(watched);
  await audit.record({ owner, actor: 'operator:1', action: 'get_order', subject: id, reason: null });
  const directory = postgresOwners(watched);
  const finder = postgresOrderFinder(watched);
  const orders = [{}, { reference: 'r' }, { lookup: 'external.shop:1' }, { ids: [id] }];
  const timeline = { limit: 9, afterVersion: 0, afterComment: null };
  const webhooks = { owner: null, after: null, limit: 9 };
  const deliveries = { ...webhooks, endpoint_id: null, status: null, from: null, before: at };
  const reads = [
    audit.list({ owner: null, before: null, limit: 9 }),
    audit.list({ owner, before: null, limit: 9 }),
    directory.list(null, 9),
    directory.listSet(null, 9),
    directory.describe([owner]),
    ...orders.map((input) => finder.find(null, parseOwnersOrderQuery(input, ORDERS)._unsafeUnwrap(), null)),
    postgresTimelines(watched).read(owner, id, timeline),
    postgresEndpointsOfOwners(watched)(webhooks),
    postgresDeliveriesOfOwners(watched)(deliveries),
    postgresOperatorJobs(watched).list({ before: null, limit: 9 }),
  ];
  const ofAny = openDatabase<OrderDefinition>({ url: proxy.url, definition: ORDERS });
  for (const work of [
    { kind: 'cancel', filter: { owner, currency: 'EUR', total_from: 1 } },
    { kind: 'redeliver', filter: { owner, status: 'failed' } },
  ] satisfies readonly JobWork[])
    (
      await postgresOperatorJobs(watched).create({ ...work, dry_run: true }, at, { actor: 'command:a', reason: null })
    )._unsafeUnwrap();
  await runJobs(ofAny);
  await ofAny.close();
  const results = await Promise.all(reads);
  expect(results.filter((result) => result.isErr() && result.error.type === 'unavailable')).toEqual([]);
  const texts = new Set(proxy.statements.slice(before).map(({ text }) => text));
  expect(texts.size).toBeGreaterThan(15);
  for (const text of texts) {
    // Consumers of all owners search for them by the same statements, range by range.
    if (TRANSACTION.test(text) || allowedBreaches(text).length > 0) continue;
    expect({ text, breaches: await statementBreaches(text, [], true) }).toEqual({ text, breaches: [] });
  }
});
