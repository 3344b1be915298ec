import { createDomain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import {
  type Database,
  openDatabase,
  postgresCustomerRepository,
  postgresOrderRepository,
  TransactionFailed,
} from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { anotherSession } from '../fixtures/another-session.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { createPickUps, hostOrm, PickUp } from './host-tables.ts';

const tested = testDatabase();
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const AT = new Date('2026-01-02T03:04:05.678Z');

beforeAll(() => createPickUps(tested.url));

function open() {
  const orm = hostOrm(tested.url);
  const database = openDatabase({ url: tested.url, orm, poolMax: 2 });
  onTestFinished(() => database.close());
  return { orm, database };
}

function domainOf(database: Database) {
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() });
}

const outside = () => domainOf(tested.current);

describe('database.transaction', () => {
  it('commits an order and an entity of the host together', async () => {
    const { database, orm } = open();
    const placed = await database.transaction(async ({ domain, em }) => {
      const written = await domain.placeOrder('shop', { items: [ITEM] });
      if (written.isErr()) return err(written.error);
      const { order } = written.value;
      em.create(PickUp, { order_id: order.id, at: AT, shelf: 'a1' });
      return ok(order);
    });
    const order = placed._unsafeUnwrap();
    expect(await outside().getOrder('shop', order.id)).toEqual(ok(order));
    expect(await orm.em.fork().findOneOrFail(PickUp, { order_id: order.id })).toMatchObject({ at: AT, shelf: 'a1' });
  });

  it('stores neither when it returns an error', async () => {
    const { database, orm } = open();
    let id = '';
    const result = await database.transaction(async ({ domain, em }) => {
      const { order } = (await domain.placeOrder('shop', { items: [ITEM] }))._unsafeUnwrap();
      id = order.id;
      em.create(PickUp, { order_id: id, at: AT, shelf: 'a2' });
      await em.flush();
      return err({ type: 'no_shelf' as const });
    });
    expect(result).toEqual(err({ type: 'no_shelf' }));
    expect(await outside().getOrder('shop', id)).toEqual(err({ type: 'order_not_found', id }));
    expect(await orm.em.fork().count(PickUp, { shelf: 'a2' })).toBe(0);
  });

  it('stays usable after a rejected write, which is reported as outside', async () => {
    const { database } = open();
    const taken = (await outside().placeOrder('shop', { items: [ITEM], reference: 'T-1' }))._unsafeUnwrap().order;
    const result = await database.transaction(async ({ domain }) => {
      const rejected = await domain.placeOrder('shop', { items: [ITEM], reference: 'T-1' });
      const placed = await domain.placeOrder('shop', { items: [ITEM], reference: 'T-2' });
      return placed.map(({ order }) => ({ rejected, order }));
    });
    const { rejected, order } = result._unsafeUnwrap();
    expect(rejected).toEqual(err({ type: 'reference_taken', order_id: taken.id }));
    expect(await outside().getOrder('shop', order.id)).toEqual(ok(order));
  });

  it('replays a key that it has used itself, and one that was used before', async () => {
    const { database } = open();
    const before = await outside().placeOrder('shop', { items: [ITEM] }, { idempotencyKey: 'before' });
    const result = await database.transaction(async ({ domain }) => {
      const first = await domain.placeOrder('shop', { items: [ITEM] }, { idempotencyKey: 'inside' });
      const second = await domain.placeOrder('shop', { items: [ITEM] }, { idempotencyKey: 'inside' });
      const replayed = await domain.placeOrder('shop', { items: [ITEM] }, { idempotencyKey: 'before' });
      return ok({ first, second, replayed });
    });
    const { first, second, replayed } = result._unsafeUnwrap();
    expect(second).toEqual(first.map((written) => ({ ...written, event: null, replayed: true })));
    expect(replayed).toEqual(before.map((written) => ({ ...written, event: null, replayed: true })));
  });

  it('rejects the use of its members after its end', async () => {
    const { database } = open();
    const result = await database.transaction((transaction) => Promise.resolve(ok(transaction)));
    const { domain, em, client } = result._unsafeUnwrap();
    const ended = /has ended/;
    await expect(domain.placeOrder('late', { items: [ITEM] })).rejects.toThrow(ended);
    await expect(domain.listOrders('late')).rejects.toThrow(ended);
    await expect(client.query('select 1')).rejects.toThrow(ended);
    await expect(em.count(PickUp)).rejects.toThrow(ended);
  });

  it('keeps nested transactions of the EntityManager apart', async () => {
    const { database, orm } = open();
    const result = await database.transaction(async ({ domain, em }) => {
      const kept = (await domain.placeOrder('nested', { items: [ITEM] }))._unsafeUnwrap().order.id;
      const failed = em.transactional(async (nested) => {
        await domain.placeOrder('nested', { items: [ITEM] });
        nested.create(PickUp, { order_id: kept, at: AT, shelf: 'n1' });
        await nested.flush();
        throw new Error('undone');
      });
      await expect(failed).rejects.toThrow('undone');
      return ok(kept);
    });
    const kept = result._unsafeUnwrap();
    expect((await outside().listOrders('nested'))._unsafeUnwrap().data.map(({ id }) => id)).toEqual([kept]);
    expect(await orm.em.fork().count(PickUp, { shelf: 'n1' })).toBe(0);
  });

  it.each(['commit', 'rollback'] as const)('does not let the EntityManager %s it', async (end) => {
    const { database } = open();
    let id = '';
    const work = database.transaction(async ({ domain, em }) => {
      id = (await domain.placeOrder('shop', { items: [ITEM] }))._unsafeUnwrap().order.id;
      await em[end]();
      return ok(id);
    });
    await expect(work).rejects.toThrow('ends the transaction');
    expect(await outside().getOrder('shop', id)).toEqual(err({ type: 'order_not_found', id }));
  });

  it('rejects work that returns no result, and stores nothing', async () => {
    const { database } = open();
    const work = database.transaction(async ({ domain }) => {
      const placed = await domain.placeOrder('no-result', { items: [ITEM] });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a program in JavaScript may
      return placed.isOk() as unknown as typeof placed;
    });
    await expect(work).rejects.toThrow('must return ok()');
    expect((await outside().listOrders('no-result'))._unsafeUnwrap().data).toEqual([]);
  });

  it('throws a constraint of the host that the flush violates', async () => {
    const { database } = open();
    const occupy = (shelf: string) =>
      database.transaction(async ({ domain, em }) => {
        const { order } = (await domain.placeOrder('shelves', { items: [ITEM] }))._unsafeUnwrap();
        em.create(PickUp, { order_id: order.id, at: AT, shelf });
        return ok(order.id);
      });
    await occupy('s1');
    await expect(occupy('s1')).rejects.toMatchObject({ code: '23505' });
    expect((await outside().listOrders('shelves'))._unsafeUnwrap().data).toHaveLength(1);
  });

  it('is not committed after a failed statement whose error was ignored', async () => {
    const { database } = open();
    const result = await database.transaction(async ({ domain, client }) => {
      await domain.placeOrder('ignored', { items: [ITEM] });
      await client.query('select 1 / 0').catch(() => undefined);
      return ok('done');
    });
    const failure = result._unsafeUnwrapErr();
    expect(failure).toBeInstanceOf(TransactionFailed);
    expect(failure).toMatchObject({ type: 'transaction_failed', outcome: 'rolled_back', retryable: false });
    expect((await outside().listOrders('ignored'))._unsafeUnwrap().data).toEqual([]);
  });

  it('fails as a whole, and may be retried, when a row stays locked', async () => {
    const { database } = open();
    const { order } = (await outside().placeOrder('locked', { items: [ITEM] }))._unsafeUnwrap();
    const session = await anotherSession(tested.url);
    await session.query('begin');
    await session.query('select from orders.orders where id = $1 for update', [order.id]);
    const impatient = openDatabase({ url: tested.url, lockTimeoutMs: 100 });
    onTestFinished(() => impatient.close());
    const result = await impatient.transaction(async ({ domain }) => {
      await domain.placeOrder('locked', { items: [ITEM] });
      const cancelled = await domain.cancelOrder('locked', order.id);
      expect(cancelled._unsafeUnwrapErr()).toMatchObject({
        type: 'unavailable',
        cause: { type: 'transaction_failed', retryable: true },
      });
      return ok('although a write has failed');
    });
    expect(result._unsafeUnwrapErr()).toMatchObject({ outcome: 'rolled_back', retryable: true });
    await session.query('rollback');
    expect((await outside().listOrders('locked'))._unsafeUnwrap().data).toHaveLength(1);
    expect((await database.transaction(({ domain }) => domain.cancelOrder('locked', order.id))).isOk()).toBe(true);
  });

  it('results in its failure, also when it returns the error of the use case', async () => {
    const database = openDatabase({ url: tested.url, lockTimeoutMs: 100 });
    onTestFinished(() => database.close());
    const { order } = (await outside().placeOrder('returned', { items: [ITEM] }))._unsafeUnwrap();
    const session = await anotherSession(tested.url);
    await session.query('begin');
    await session.query('select from orders.orders where id = $1 for update', [order.id]);
    const result = await database.transaction(({ domain }) => domain.cancelOrder('returned', order.id));
    expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'transaction_failed', retryable: true });
  });

  it('works over a pool of the host, and leaves it open', async () => {
    const pool = new Pool({ connectionString: tested.url, max: 2 });
    onTestFinished(() => pool.end());
    await pool.query('select 1');
    const database = openDatabase({ pool, orm: hostOrm(tested.url) });
    const placed = await database.transaction(async ({ domain, em }) => {
      const { order } = (await domain.placeOrder('pooled', { items: [ITEM] }))._unsafeUnwrap();
      em.create(PickUp, { order_id: order.id, at: AT, shelf: 'p1' });
      await em.flush();
      expect(await em.fork({ keepTransactionContext: true }).findOneOrFail(PickUp, { shelf: 'p1' })).toMatchObject({
        at: AT,
      });
      return ok(order);
    });
    const order = placed._unsafeUnwrap();
    expect(await domainOf(database).getOrder('pooled', order.id)).toEqual(ok(order));
    expect(await database.pendingMigrations()).toEqual([]);
    await database.migrate();
    await database.close();
    expect(
      (await pool.query<{ id: string }>('select id from orders.orders where id = $1', [order.id])).rows,
    ).toHaveLength(1);
  });

  it('rejects a pool whose sessions have another isolation', async () => {
    const options = '-c default_transaction_isolation=serializable';
    const pool = new Pool({ connectionString: tested.url, max: 1, options });
    onTestFinished(() => pool.end());
    const database = openDatabase({ pool });
    const work = () => database.transaction(({ domain }) => domain.placeOrder('shop', { items: [ITEM] }));
    await expect(work()).rejects.toThrow('must be READ COMMITTED, got SERIALIZABLE');
    await expect(work()).rejects.toThrow('must be READ COMMITTED, got SERIALIZABLE');
    expect(pool.idleCount).toBe(1);
  });
});
