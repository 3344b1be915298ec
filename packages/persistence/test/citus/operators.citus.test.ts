import { type OrderDefinition, ORDERS } from '@orders/domain';
import {
  type JobWork,
  type OrdersOfOwners,
  type OwnersOrderQuery,
  type OwnersOrderQueryInput,
  parseOwnersOrderQuery,
  parseOwnersOrderSearch,
} from '@orders/domain/operators';
import { createDomain } from '@orders/domain/runtime';
import { anEventOfEndpoint, aWebhookEndpoint } from '@orders/domain/testing';
import {
  countPendingErasures,
  countStatistics,
  countUnnumbered,
  type Database,
  distribute,
  openDatabase,
  postgresApiKeys,
  postgresAudit,
  postgresDeliveriesOfOwners,
  postgresEndpointsOfOwners,
  postgresOperatorJobs,
  postgresOrderComments,
  postgresOrderFinder,
  postgresOrderStatistics,
  postgresOwners,
  postgresOwnerSettings,
  postgresRecordedEndpoints,
  postgresStore,
  postgresTimelines,
  rebuildLookups,
  recordedTransactions,
  runJobs,
  type Transaction,
} from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import type { Result } from 'neverthrow';
import { beforeAll, expect, inject, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { endpointId, insertDeliveries, insertEndpoint } from '../fixtures/delivery-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { upTo } from '../fixtures/feed-rows.ts';
import { countAll } from '../statistics/count-all.ts';
import { twoPhaseCommits } from './cluster-database.ts';
import { distinct, expectOneTaskEach } from './distributed-database.ts';
import { type OwnCluster, ownersOfOthers, startOwnCluster } from './own-cluster.ts';

const OWNERS = upTo(16).map((number) => `owner ${String(number).padStart(2, '0')}`);
const BY = { actor: 'operator:1', reason: 'a ticket' };
const AT = '2026-01-01T00:00:00.000Z';
const LATER = '2100-01-01T00:00:00.000Z';
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const ORDER = {
  items: [ITEM],
  reference: 'PO-1',
  external_ids: { shop: ['1'] },
  buyer: { email: 'ada@example.com' },
};

let cluster: OwnCluster;
let url: string;
let database: Database<unknown, OrderDefinition>;
const orders = new Map<string, string>();

beforeAll(async () => {
  cluster = await startOwnCluster(inject('citusUrl'));
  url = cluster.coordinator.url;
  // Longer than on a machine of its own: a node that is killed refuses connections at once.
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set citus.node_connection_timeout = '30s'`);
  database = opened(url);
  await database.migrate();
  await distribute(database);
  const domain = createDomain(postgresStore(database), ORDERS);
  for (const owner of OWNERS) {
    await insertEndpoint(url, owner, endpointId(1));
    orders.set(owner, (await domain.placeOrder(owner, ORDER))._unsafeUnwrap().order.id);
    await newNumbering(database).run(owner);
    await insertDeliveries(url, owner, endpointId(1), [1, 1], { status: `'failed'` });
    await countAll(countStatistics(database), owner);
    const key = { keyHash: owner, prefix: owner, owner, scopes: [], created_at: AT, expires_at: null };
    (await postgresApiKeys(database).insert(key, BY))._unsafeUnwrap();
    (await postgresAudit(database).record({ ...BY, owner, action: 'get_order', subject: null }))._unsafeUnwrap();
  }
  return async () => {
    await database.close();
    await cluster.stop();
  };
});

function opened(of: string): typeof database {
  return openDatabase<OrderDefinition>({ url: of, definition: ORDERS });
}

const queryOf = (input: OwnersOrderQueryInput) => parseOwnersOrderQuery(input, ORDERS)._unsafeUnwrap();

/** Returns all pages. */
async function find(on: typeof database, owner: string | null, query: OwnersOrderQuery) {
  const pages: OrdersOfOwners[] = [];
  for (let after: OrdersOfOwners['next'] = null; pages.length === 0 || after;) {
    const found: OrdersOfOwners = (await postgresOrderFinder(on).find(owner, query, after))._unsafeUnwrap();
    pages.push(found);
    after = found.next;
  }
  return pages;
}

/** Returns what a job has done. */
async function jobDone(on: typeof database, work: JobWork) {
  const jobs = postgresOperatorJobs(on);
  const { id } = (await jobs.create({ ...work, dry_run: false }, new Date().toISOString(), BY))._unsafeUnwrap();
  await runJobs(on);
  return (await jobs.get(id))._unsafeUnwrap();
}

/** Does everything about one owner that operators do. */
async function operate(on: typeof database, owner: string): Promise<void> {
  const id = orders.get(owner) ?? '';
  const entry = { ...BY, owner, action: 'an_operation', subject: id };
  const options = { actor: BY.actor };
  const write = <T, E>(work: (transaction: Transaction<unknown, OrderDefinition>) => PromiseLike<Result<T, E>>) =>
    recordedTransactions(on)(owner, work, () => entry);
  const endpoint = aWebhookEndpoint<OrderDefinition>();
  const event = anEventOfEndpoint(owner, endpoint);
  const results = [
    await write(({ domain }) => domain.changeOrder(owner, id, { external_ids: { shop: ['2'] } }, options)),
    await write(({ domain }) => domain.addItems(owner, id, { items: [ITEM] }, options)),
    await write(({ domain }) => domain.correctOrder(owner, id, { status: 'shipped', reason: null }, options)),
    await postgresRecordedEndpoints(on, () => entry).commit(owner, {
      kind: 'create',
      after: endpoint,
      event,
      key: undefined,
    }),
    await postgresOrderComments(on).add(owner, { order_id: id, text: 'late', key: 'k' }, BY),
    await postgresAudit(on).record(entry),
  ];
  expect(results.map((result) => result.isOk())).toEqual(results.map(() => true));
  const { records } = (await postgresAudit(on).list({ owner, before: null, limit: 10 }))._unsafeUnwrap();
  expect(records).toHaveLength(results.length + 2);
  const query = { limit: 10, afterVersion: 0, afterComment: null };
  expect((await postgresTimelines(on).read(owner, id, query))._unsafeUnwrap().data).toHaveLength(5);
  const { sums } = (await postgresOrderStatistics(on).sum(owner, [AT, LATER], 10))._unsafeUnwrap();
  expect(sums).toHaveLength(1);
  for (const input of [{}, { lookup: 'external.shop:2' }, { reference: 'PO-1' }, { ids: [id] }])
    expect(await find(on, owner, queryOf(input))).toMatchObject([{ data: [{ owner, id }] }]);
  expect(await rebuildLookups(on, owner)).toBe(0);
  (await createDomain(postgresStore(on), ORDERS).placeOrder(owner, { items: [ITEM] }))._unsafeUnwrap();
  const done = { status: 'done', taken: 1, failed: 0 };
  expect(await jobDone(on, { kind: 'redeliver', filter: { owner, status: 'failed' } })).toMatchObject(done);
  expect(await jobDone(on, { kind: 'cancel', filter: { owner, statuses: ['pending'] } })).toMatchObject(done);
}

/** Statements about no owner, and those that are bound to a transaction, which send others to the node. */
const APART = /operator_(jobs|audit)\b|\bexecute_bound_|^select date_trunc\(/;

it('what operators do to one owner is one task each, and committed in one phase', async () => {
  const proxy = await startPostgresProxy(url);
  const watched = opened(proxy.url);
  await operate(watched, OWNERS[0] ?? '');
  await watched.close();
  await proxy.close();
  const statements = distinct(proxy.statements).filter(({ text }) => !APART.test(text));
  expect(statements.length).toBeGreaterThan(15);
  await expectOneTaskEach(url, statements);

  const nodes = [cluster.coordinator, ...cluster.workers].map((node) => node.url);
  const before = await twoPhaseCommits({ nodes });
  const own = opened(url);
  await operate(own, OWNERS[1] ?? '');
  await own.close();
  expect(await twoPhaseCommits({ nodes })).toBe(before);
});

/** The owners that were found, and whether it says that it is about all. */
type Found = readonly [rows: readonly { readonly owner: string | null }[], isWhole: boolean];

/** Expects that the owners of a node that is down are named, because they have credentials. */
async function ordersBy(query: OwnersOrderQuery): Promise<Found> {
  const pages = await find(database, null, query);
  const [data, passedOver] = [pages.flatMap((each) => each.data), pages.flatMap((each) => each.passedOver)];
  expect(new Set([...data.map(({ owner }) => owner), ...passedOver])).toEqual(new Set(OWNERS));
  return [data, pages.every(({ owners }) => owners !== null) && passedOver.length === 0];
}

const page = { owner: null, after: null, limit: 100 };
const deliveries = { ...page, endpoint_id: null, status: null, from: null, before: null };
const search = parseOwnersOrderSearch({ buyer_email: ORDER.buyer.email }, ORDERS)._unsafeUnwrap();
const among = { status: ['pending', 'shipped', 'cancelled'], created_at_from: AT, currency: 'EUR', total_from: '1' };

/** What operators find about all owners. */
const LISTS: Readonly<Record<string, () => Promise<Found>>> = {
  owners: async () => {
    const { owners, is_complete: isComplete } = (await postgresOwners(database).list(null, 100))._unsafeUnwrap();
    return [owners, isComplete];
  },
  'the newest orders': () => ordersBy(queryOf({})),
  'orders by id': () => ordersBy(queryOf({ ids: [...orders.values()] })),
  'orders by reference': () => ordersBy(queryOf({ reference: 'PO-1' })),
  'orders by status, time and total': () => ordersBy(queryOf(among)),
  'orders by email': () => ordersBy(search),
  endpoints: async () => {
    const found = (await postgresEndpointsOfOwners(database)(page))._unsafeUnwrap();
    return [found?.data ?? [], found?.owners.all === OWNERS.length];
  },
  deliveries: async () => {
    const found = (await postgresDeliveriesOfOwners(database)(deliveries))._unsafeUnwrap();
    return [found?.data ?? [], found?.owners.all === OWNERS.length];
  },
  records: async () => {
    const found = (await postgresAudit(database).list({ owner: null, before: null, limit: 1000 }))._unsafeUnwrap();
    return [found.records.filter(({ action }) => action === 'get_order'), found.is_complete];
  },
};

it('what operators list of all owners is that of other nodes while a worker is down', async () => {
  const [worker] = cluster.workers;
  if (!worker) throw new Error('the cluster has no workers');
  const living = await ownersOfOthers(url, OWNERS, worker);
  const down = OWNERS.filter((owner) => !living.includes(owner));
  expect([living.length > 0, down.length > 0]).toEqual([true, true]);
  const listAll = async (owners: readonly string[]) => {
    const isWhole = owners === OWNERS;
    for (const [name, list] of Object.entries(LISTS)) {
      const [rows, saysWhole] = await list();
      const found = [...new Set(rows.map(({ owner }) => `${owner}`))].toSorted();
      expect({ name, found, saysWhole }).toEqual({ name, found: owners, saysWhole: isWhole });
    }
    let reported = 0;
    const options = { onNodeDown: () => void (reported += 1) };
    await countPendingErasures(database, options);
    await countUnnumbered(database, options);
    expect(reported).toBe(isWhole ? 0 : 2);
  };
  const cancelled = () => jobDone(database, { kind: 'cancel', filter: { statuses: ['pending'] } });
  // The two that were operated have no pending order.
  const pendingOf = (owners: readonly string[]) => owners.filter((owner) => owner > (OWNERS[1] ?? '')).length;

  await worker.kill();
  await listAll(living);
  expect(await cancelled()).toMatchObject({ status: 'done', taken: pendingOf(living), failed: 0, node_down: true });
  for (const owner of [down[0] ?? '', living[0] ?? '']) {
    const settings = postgresOwnerSettings(database);
    expect((await settings.change(owner, { suspended: true }, AT, BY)).isOk()).toBe(true);
    const comment = { order_id: orders.get(owner) ?? '', text: 'down' };
    expect((await postgresOrderComments(database).add(owner, comment, BY)).isOk()).toBe(living.includes(owner));
  }
  const set = (await postgresOwners(database).listSet(null, 10))._unsafeUnwrap();
  expect([set.owners.length, set.is_complete]).toEqual([2, false]);

  await worker.restart();
  await expect.poll(() => execute(url, 'select from orders').then(() => 'up', String)).toBe('up');
  await listAll(OWNERS);
  expect(await cancelled()).toMatchObject({ status: 'done', taken: pendingOf(down), failed: 0, node_down: false });
});
