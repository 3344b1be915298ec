import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { createDomain, type Domain, type Idempotency, type Order } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { execute } from './execute.ts';
import { recordedEvents } from './recorded-events.ts';
import { testDatabase } from './test-database.ts';
import { type DecidedOrders, decidedCustomers, decidedOrders } from './decided-writes.ts';

/** The repositories of one server. */
interface Server {
  readonly database: Database;
  readonly orders: DecidedOrders;
  readonly domain: Domain;
}

const database = testDatabase();
const servers: Server[] = [];

// Two servers whose pools are smaller than the number of concurrent requests.
beforeAll(() => {
  for (let count = 0; count < 2; count += 1) servers.push(server());
});
afterAll(async () => {
  for (const { database: opened } of servers) await opened.close();
});

function first(): Server {
  const [one] = servers;
  if (!one) throw new Error('the servers exist only while the tests run');
  return one;
}

function second(): Server {
  return servers[1] ?? first();
}

function server(): Server {
  const opened = openDatabase({
    url: database.url,
    preparedStatements: inject('preparedStatements'),
    // These tests do not limit the wait of the last request in the queue.
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    lockTimeoutMs: 60_000,
  });
  const orders = decidedOrders(opened);
  const customers = decidedCustomers(opened);
  const clock = { now: () => new Date() };
  return {
    database: opened,
    orders,
    domain: createDomain({ orders, customers, clock, ids: { next: () => randomUUIDv7() } }),
  };
}

/** Runs `work` `count` times concurrently, on both servers in turn. */
async function atOnce<T>(count: number, act: (server: Server, index: number) => PromiseLike<T>): Promise<T[]> {
  const turns = Array.from({ length: count / servers.length }, () => servers).flat();
  return await Promise.all(turns.map(act));
}

async function placed(owner: string): Promise<Order> {
  const order = anOrder();
  const orders = decidedOrders(database.current);
  return (await orders.insert(owner, { order, event: anEventOf(owner, order) }))._unsafeUnwrap().order;
}

/** Returns the versions that the owner's events record. */
async function versions(owner: string): Promise<readonly number[]> {
  const events = await recordedEvents(database.current, owner);
  return events.map(({ version }) => version).toSorted((left, right) => left - right);
}

describe('fifty concurrent retries of one request', () => {
  const once = { idempotencyKey: 'one' };

  it('place one order, and all return the same bytes', async () => {
    const owner = randomUUID();
    const items = [{ sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }];
    const input = { items, reference: 'PO-1', metadata: { 10: 'ten', b: 'Ü', a: '' } };
    const results = await atOnce(50, ({ domain }) => domain.placeOrder(owner, input, once));
    const outcomes = results.map((result) => result._unsafeUnwrap());
    expect(outcomes.filter(({ replayed }) => replayed)).toHaveLength(49);
    expect(new Set(outcomes.map(({ order }) => JSON.stringify(order))).size).toBe(1);
    const kept = await execute(database.url, `select id from orders where owner_id = '${owner}'`);
    expect(kept).toEqual([{ id: outcomes[0]?.order.id }]);
    expect(await versions(owner)).toEqual([1]);
  });

  it('create one customer, and all return the same bytes', async () => {
    const owner = randomUUID();
    const input = { email: 'ada@example.com', name: 'Ada', metadata: { 10: 'ten', b: 'Ü', a: '' } };
    const results = await atOnce(50, ({ domain }) => domain.createCustomer(owner, input, once));
    const outcomes = results.map((result) => result._unsafeUnwrap());
    expect(outcomes.filter(({ replayed }) => replayed)).toHaveLength(49);
    expect(new Set(outcomes.map(({ customer }) => JSON.stringify(customer))).size).toBe(1);
    const kept = await execute(database.url, `select id from customers where owner_id = '${owner}'`);
    expect(kept).toEqual([{ id: outcomes[0]?.customer.id }]);
    expect(await versions(owner)).toEqual([1]);
  });

  it('are applied as one change, and all return the same result', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner);
    const results = await atOnce(50, ({ domain }) => domain.changeOrder(owner, id, { note: 'soon' }, once));
    const outcomes = results.map((result) => result._unsafeUnwrap());
    expect(outcomes.filter(({ replayed }) => replayed)).toHaveLength(49);
    expect(new Set(outcomes.map(({ order }) => JSON.stringify(order))).size).toBe(1);
    expect(await versions(owner)).toEqual([1, 2]);
  });
});

describe('two hundred concurrent changes of one order', () => {
  it('all succeed with distinct versions, with at most three decisions each', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner);
    const decided = new Map<number, number>();
    const results = await atOnce(200, ({ orders }, index) =>
      orders.update(owner, id, (before) => {
        decided.set(index, (decided.get(index) ?? 0) + 1);
        const order = { ...before, note: `note ${index}`, version: before.version + 1 };
        return ok({ order, event: anEventOf(owner, order, { id: randomUUIDv7() }) });
      }),
    );
    const written = results.map((result) => result._unsafeUnwrap().order);
    const each = Array.from({ length: 200 }, (_, index) => index + 2);
    expect(written.map(({ version }) => version).toSorted((left, right) => left - right)).toEqual(each);
    expect(written.map(({ note }) => note)).toEqual(each.map((_, index) => `note ${index}`));
    expect(await versions(owner)).toEqual([1, ...each]);
    const last = written.find(({ version }) => version === 201);
    expect((await decidedOrders(database.current).find(owner, id))._unsafeUnwrap()).toEqual(last);
    expect(decided.size).toBe(200);
    expect(Math.max(...decided.values())).toBeLessThanOrEqual(3);
    // Ensures that the changes really competed.
    expect(Math.max(...decided.values())).toBeGreaterThan(1);
  });
});

describe('twenty concurrent cancellations of one order', () => {
  it('cancel it once, and reject the others as already cancelled', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner);
    const results = await atOnce(20, ({ domain }, index) =>
      domain.cancelOrder(owner, id, { reason: `reason ${index}` }),
    );
    const cancelled = results.flatMap((result) => (result.isOk() ? [result.value.order] : []));
    expect(cancelled).toMatchObject([{ status: 'cancelled', version: 2 }]);
    const refusals = results.flatMap((result) => (result.isErr() ? [result.error] : []));
    const rejection = { type: 'order_already_cancelled', cancelled_at: cancelled[0]?.cancelled_at, current_version: 2 };
    expect(refusals).toEqual(Array.from({ length: 19 }, () => rejection));
    expect((await servers[0]?.domain.getOrder(owner, id))?._unsafeUnwrap()).toEqual(cancelled[0]);
    expect(await versions(owner)).toEqual([1, 2]);
  });
});

describe('two concurrent writes with keys', () => {
  const keyOf = (fingerprint: string): Idempotency => ({
    key: 'one',
    fingerprint,
    now: '2026-01-01T00:00:00.000Z',
    expires_at: '2100-01-01T00:00:00.000Z',
  });
  const change = (owner: string) => (before: Order) => {
    const order = { ...before, note: 'changed', version: before.version + 1 };
    return ok({ order, event: anEventOf(owner, order, { id: randomUUIDv7() }) });
  };
  const deletion = (owner: string) => (order: Order) =>
    ok(anEventOf(owner, order, { type: 'order.deleted', id: randomUUIDv7() }));
  const noChange = (order: Order) => ok({ order, event: null });

  it('that change different orders with one key: one is stored, and the other has no effect', async () => {
    for (let round = 0; round < 20; round += 1) {
      const owner = randomUUID();
      const both = [await placed(owner), await placed(owner)];
      const results = await atOnce(2, ({ orders }, index) => {
        const { id } = both[index] ?? anOrder();
        return orders.update(owner, id, change(owner), keyOf(id));
      });
      const outcomes = results.map((result) => (result.isOk() ? 'changed' : result.error.type));
      expect(outcomes.toSorted()).toEqual(['changed', 'idempotency_key_reused']);
      expect(await versions(owner)).toEqual([1, 1, 2]);
      const changed = both[outcomes.indexOf('changed')];
      const keys = await execute(
        database.url,
        `select aggregate_id as id from idempotency where owner_id = '${owner}'`,
      );
      expect(keys).toEqual([{ id: changed?.id }]);
    }
  });

  it('that place an order and change another with one key: one is stored, and the other has no effect', async () => {
    for (let round = 0; round < 20; round += 1) {
      const owner = randomUUID();
      const { id } = await placed(owner);
      const order = anOrder();
      const results = await atOnce(2, ({ orders }, index) =>
        index === round % 2
          ? orders.update(owner, id, change(owner), keyOf('change'))
          : orders.insert(owner, { order, event: anEventOf(owner, order) }, keyOf('place')),
      );
      const outcomes = results.map((result) => (result.isOk() ? 'stored' : result.error.type));
      expect(outcomes.toSorted()).toEqual(['idempotency_key_reused', 'stored']);
      expect([
        [1, 1],
        [1, 2],
      ]).toContainEqual(await versions(owner));
    }
  });

  it('that delete an order and, with another key, change nothing of it: both retries return what their write did', async () => {
    for (let round = 0; round < 20; round += 1) {
      const owner = randomUUID();
      const order = await placed(owner);
      const { id } = order;
      const touch = ({ orders }: Server) => orders.update(owner, id, noChange, { ...keyOf('no-op'), key: 'no-op' });
      const remove = ({ orders }: Server) => orders.delete(owner, id, deletion(owner), keyOf('delete'));
      const [touched, deleted] = await Promise.all(
        round % 2 === 0 ? [touch(first()), remove(second())] : [touch(second()), remove(first())],
      );
      expect(deleted._unsafeUnwrap()).toMatchObject({ event: { version: 2 }, replayed: false });
      expect((await remove(second()))._unsafeUnwrap()).toEqual({ event: null, replayed: true });
      const retried = await touch(second());
      const replayed = ok({ order, event: null, replayed: true });
      expect(retried).toEqual(touched.isOk() ? replayed : err({ type: 'order_not_found', id }));
    }
  });
});
