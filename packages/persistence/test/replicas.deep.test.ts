import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Order, parseOrderQuery } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { execute } from './execute.ts';
import { startStreamingPair, type StreamingPair } from './streaming-standby.ts';
import { testDatabase } from './test-database.ts';

const OWNER = 'owner';
const PATIENTLY = { timeout: 30_000, interval: 100 };
const LIST = /row_number\(\) over|from customers as o/;

/** A primary of another cluster, with the schema and other data. */
const foreign = testDatabase();
let pair: StreamingPair;

beforeAll(async () => {
  pair = await startStreamingPair();
});

afterAll(async () => {
  await pair.stop();
});

/** Everything that reads and writes a database with these replicas, for the length of the test. */
function open(replicaUrls: readonly string[], url = pair.primary.url) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const preparedStatements = inject('preparedStatements');
  const database = openDatabase({ url, replicaUrls, connectTimeoutMs: 2000, preparedStatements, warn });
  onTestFinished(() => database.close());
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  const page = { sort: '-created_at', limit: 100, offset: 0, after: null } as const;
  return {
    database,
    orders,
    customers,
    warnings,
    place: async (order: Order = anOrder(), key?: string) => {
      const record = {
        key: key ?? '',
        fingerprint: 'f',
        now: order.created_at,
        expires_at: '2100-01-01T00:00:00.000Z',
      };
      const event = anEventOf(OWNER, order);
      return (await orders.insert(OWNER, { order, event }, key === undefined ? undefined : record))._unsafeUnwrap();
    },
    create: async (customer = aCustomer()) =>
      (await customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }))._unsafeUnwrap(),
    listedOrders: async () => {
      const query = parseOrderQuery({})._unsafeUnwrap();
      return (await orders.list(OWNER, { ...query, ...page }))._unsafeUnwrap().data.map(({ id }) => id);
    },
    listedCustomers: async () => (await customers.list(OWNER, page))._unsafeUnwrap().data.map(({ id }) => id),
  };
}

/** A replica whose lists are counted. */
async function counted(url: string) {
  const proxy = await startPostgresProxy(url);
  onTestFinished(() => proxy.close());
  return {
    url: proxy.url,
    proxy,
    lists: () => proxy.statements.filter(({ text }) => LIST.test(text)).length,
    clear: () => proxy.clear(),
  };
}

function withPath(url: string, pathname: string, search = ''): string {
  return Object.assign(new URL(url), { pathname, search }).href;
}

/** Lists until a list was read from `replica`. */
async function untilReadFrom(replica: { lists: () => number }, list: () => Promise<unknown>): Promise<void> {
  const before = replica.lists();
  await expect
    .poll(async () => {
      await list();
      return replica.lists();
    }, PATIENTLY)
    .toBeGreaterThan(before);
}

describe('with a replica', () => {
  it('lists are read from it and everything else from the primary', async () => {
    const replica = await counted(pair.standby.url);
    const primary = await counted(pair.primary.url);
    const { orders, customers, place, create, listedOrders, listedCustomers } = open([replica.url], primary.url);
    const { order } = await place();
    const { customer } = await create();
    await untilReadFrom(replica, listedOrders);
    await execute(pair.standby.url, 'select pg_wal_replay_pause()');
    onTestFinished(async () => void (await execute(pair.standby.url, 'select pg_wal_replay_resume()')));
    const recent = await place(anOrder(), 'recent');
    primary.clear();
    replica.clear();
    expect(await listedOrders()).not.toContain(recent.order.id);
    expect(await listedCustomers()).toContain(customer.id);
    expect([replica.lists(), primary.lists()]).toEqual([2, 0]);
    expect((await orders.find(OWNER, recent.order.id))._unsafeUnwrap()).toEqual(recent.order);
    expect((await customers.find(OWNER, customer.id))._unsafeUnwrap()).toEqual(customer);
    expect(await place(anOrder(), 'recent')).toMatchObject({ replayed: true, order: { id: recent.order.id } });
    const unchanged = (before: Order) => ok({ order: before, event: null });
    expect((await orders.update(OWNER, order.id, unchanged))._unsafeUnwrap().order).toEqual(order);
  });

  it('that is more than ten seconds behind, lists are read from the primary, and from it again later', async () => {
    const replica = await counted(pair.standby.url);
    const { place, listedOrders, warnings } = open([replica.url]);
    await place();
    await untilReadFrom(replica, listedOrders);
    await execute(pair.standby.url, 'select pg_wal_replay_pause()');
    const { order } = await place();
    const began = performance.now();
    await expect.poll(listedOrders, PATIENTLY).toContain(order.id);
    // Within the bound, one check, and the time that a check counts.
    expect(performance.now() - began).toBeLessThan(10_000 + 1000 + 3000 + 5000);
    await expect.poll(() => listedOrders().then(() => warnings), PATIENTLY).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^replica 1 \(127\.0\.0\.1:\d+\/orders\).*more than 10 s behind$/),
    ]);
    const before = replica.lists();
    for (let count = 0; count < 5; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(replica.lists()).toBe(before);
    await execute(pair.standby.url, 'select pg_wal_replay_resume()');
    await untilReadFrom(replica, listedOrders);
    expect(await listedOrders()).toContain(order.id);
  });

  it('that receives nothing more, lists are read from the primary', async () => {
    const replica = await counted(pair.standby.url);
    const { listedOrders } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    pair.cutStream();
    onTestFinished(() => pair.restoreStream());
    // It has all that the primary wrote; but it cannot be known for how long.
    await expect
      .poll(async () => {
        const before = replica.lists();
        for (let count = 0; count < 5; count += 1) await listedOrders();
        return replica.lists() - before;
      }, PATIENTLY)
      .toBe(0);
    pair.restoreStream();
    await untilReadFrom(replica, listedOrders);
  });
});

describe('a replica that cannot be read from', () => {
  beforeAll(async () => {
    await execute(pair.primary.url, 'create database empty');
    await execute(pair.primary.url, 'create database older');
    const older = withPath(pair.primary.url, '/older');
    await execute(
      older,
      'create table orders (owner_id text, id uuid); create table customers (owner_id text, id uuid)',
    );
    const replicated = () => execute(withPath(pair.standby.url, '/older'), 'select * from customers');
    await vi.waitFor(replicated, PATIENTLY);
  });

  const withPassword = (url: string) => Object.assign(new URL(url), { password: 'secret' }).href;
  it.each<[what: string, url: () => string, reason: RegExp]>([
    ['refuses connections', () => 'postgresql://orders:secret@127.0.0.1:1/orders', /ECONNREFUSED/],
    ['refuses the password (28P01)', () => withPassword(pair.standby.url), /password authentication failed/],
    ['has no such database (3D000)', () => withPath(pair.standby.url, '/nowhere'), /database "nowhere" does not exist/],
    ['has no schema (42P01)', () => withPath(pair.standby.url, '/empty'), /SQLSTATE 42P01$/],
    ['has an older schema (42703)', () => withPath(pair.standby.url, '/older'), /SQLSTATE 42703$/],
    ['has no TLS', () => withPath(pair.standby.url, '/orders', '?sslmode=verify-full'), /does not support SSL/],
    ['is a primary of another cluster', () => foreign.url, /it is no standby of this primary$/],
    ['is the primary itself', () => pair.primary.url, /it is no standby of this primary$/],
  ])('because it %s, is replaced by the primary, and reported once for a pause', async (_, url, reason) => {
    const { place, listedOrders, listedCustomers, warnings } = open([url()]);
    const began = performance.now();
    const { order } = await place();
    await expect
      .poll(async () => {
        expect(await listedOrders()).toContain(order.id);
        await listedCustomers();
        return warnings.length;
      }, PATIENTLY)
      .toBe(1);
    for (let count = 0; count < 10; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(warnings.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 5000);
    expect([...new Set(warnings)]).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).toMatch(/^replica 1 \([^@]+\) is not read from for 5 s: /);
    expect(warnings[0]).not.toContain('secret');
  });

  it('because it takes connections and never responds, keeps no list waiting', async () => {
    let connections = 0;
    const silent = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const address = silent.address();
    const url = `postgresql://orders:secret@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/orders`;
    const { place, listedOrders, warnings } = open([url]);
    const { order } = await place();
    await expect
      .poll(() => listedOrders().then((ids) => [ids.includes(order.id), connections]), PATIENTLY)
      .toEqual([true, 1]);
    await expect.poll(() => warnings, PATIENTLY).toHaveLength(1);
    for (let count = 0; count < 10; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(connections).toBe(1);
  });

  it('once it was read from, is replaced by the primary in the same list', async () => {
    const replica = await counted(pair.standby.url);
    const { place, listedOrders, warnings } = open([replica.url]);
    const { order } = await place();
    await untilReadFrom(replica, listedOrders);
    const cut = replica.proxy.fault(1, 'cut_before', ({ text }) => LIST.test(text));
    await expect.poll(() => listedOrders().then(() => cut.statement !== undefined), PATIENTLY).toBe(true);
    expect(await listedOrders()).toContain(order.id);
    expect(warnings.filter((warning) => warning.includes('is not read from for 5 s'))).toHaveLength(1);
  });
});

describe('two replicas', () => {
  it('are read from in turn', async () => {
    const replicas = [await counted(pair.standby.url), await counted(pair.standby.url)];
    const { listedOrders, listedCustomers } = open(replicas.map(({ url }) => url));
    for (const replica of replicas) await untilReadFrom(replica, listedOrders);
    for (const replica of replicas) replica.clear();
    for (const list of [listedOrders, listedCustomers, listedOrders, listedOrders]) await list();
    expect(replicas.map(({ lists }) => lists())).toEqual([2, 2]);
  });

  it('of which one is dead, are read from the other alone', async () => {
    const alive = await counted(pair.standby.url);
    const primary = await counted(pair.primary.url);
    const replicaUrls = ['postgresql://orders:secret@127.0.0.1:1/orders', alive.url];
    const { listedOrders, warnings } = open(replicaUrls, primary.url);
    await untilReadFrom(alive, listedOrders);
    alive.clear();
    primary.clear();
    for (let count = 0; count < 10; count += 1) await listedOrders();
    expect([alive.lists(), primary.lists()]).toEqual([10, 0]);
    expect(new Set(warnings).size).toBe(1);
  });
});

describe('a read that fails on the primary, too', () => {
  it('fails as it does there', async () => {
    const replica = await counted(pair.standby.url);
    const { database, listedOrders } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    const broken = { name: '', text: 'select nothing_of_the_kind' };
    await expect(database.readAnywhere((executor) => executor.execute(broken, []))).rejects.toMatchObject({
      code: '42703',
    });
  });

  it('for a reason of its own, pauses no replica', async () => {
    const replica = await counted(pair.standby.url);
    const { database, listedOrders, warnings } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    const broken = { name: '', text: 'select 1 / 0' };
    await expect(database.readAnywhere((executor) => executor.execute(broken, []))).rejects.toMatchObject({
      code: '22012',
    });
    expect(warnings).toEqual([]);
  });
});

describe('while the primary is gone', () => {
  it('lists go on to be read from a replica that was current', async () => {
    const replica = await counted(pair.standby.url);
    const primary = await startPostgresProxy(pair.primary.url);
    const { listedOrders } = open([replica.url], primary.url);
    await untilReadFrom(replica, listedOrders);
    await primary.close();
    for (const end = performance.now() + 5000; performance.now() < end;) {
      await listedOrders();
      await sleep(50);
    }
    expect(replica.lists()).toBeGreaterThan(10);
  });
});

describe('a standby that was not promoted', () => {
  it('is read from, and refuses writes as unavailable', async () => {
    const { orders, place, listedOrders } = open([]);
    const { order } = await place();
    const standby = open([], pair.standby.url);
    await expect.poll(standby.listedOrders, PATIENTLY).toContain(order.id);
    expect(await listedOrders()).toContain(order.id);
    const refused = { type: 'unavailable', cause: { code: '25006' } };
    const another = anOrder();
    const insertion = standby.orders.insert(OWNER, { order: another, event: anEventOf(OWNER, another) });
    expect((await insertion)._unsafeUnwrapErr()).toMatchObject(refused);
    const customer = aCustomer();
    const creation = standby.customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) });
    expect((await creation)._unsafeUnwrapErr()).toMatchObject(refused);
    const removal = () => ok(anEventOf(OWNER, order));
    expect((await standby.orders.delete(OWNER, order.id, removal))._unsafeUnwrapErr()).toMatchObject(refused);
    expect((await orders.find(OWNER, order.id)).isOk()).toBe(true);
  });
});
