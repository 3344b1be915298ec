import { transactionContract } from '@orders/domain/testing';
import { openDatabase, TransactionFailed } from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { holding, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, AT, domainOf, ITEM } from './a-host.ts';
import { createPickUps, hostOrm, PickUp } from './host-tables.ts';

const tested = testDatabase();
const { open, openPool, outside, count, shelves } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

function openWithOrm() {
  const orm = hostOrm(tested.url);
  return { orm, database: untilFinished(openDatabase({ url: tested.url, orm, poolMax: 2 })) };
}

describe('database.transaction', () => {
  transactionContract({ describe, it }, () => ({
    domain: outside(),
    transaction: (work) => tested.current.transaction(work),
  }));

  it('commits an order and an entity of the host together', async () => {
    const { database, orm } = openWithOrm();
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
    const { database } = openWithOrm();
    const result = await database.transaction(async ({ domain, em }) => {
      const { order } = (await domain.placeOrder('neither', { items: [ITEM] }))._unsafeUnwrap();
      em.create(PickUp, { order_id: order.id, at: AT, shelf: 'a2' });
      await em.flush();
      return err({ type: 'no_shelf' as const });
    });
    expect(result).toEqual(err({ type: 'no_shelf' }));
    expect([await count('neither'), await shelves('a2')]).toEqual([0, []]);
  });

  it('rejects the use of its members after its end', async () => {
    const { database } = openWithOrm();
    const result = await database.transaction((transaction) => Promise.resolve(ok(transaction)));
    const { domain, em, client } = result._unsafeUnwrap();
    const ended = /has ended/;
    await expect(domain.placeOrder('late', { items: [ITEM] })).rejects.toThrow(ended);
    await expect(client.query('select 1')).rejects.toThrow(ended);
    await expect(em.count(PickUp)).rejects.toThrow(ended);
  });

  it('keeps nested transactions of the EntityManager apart', async () => {
    const { database } = openWithOrm();
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
    expect(result.isOk()).toBe(true);
    expect([await count('nested'), await shelves('n1')]).toEqual([1, []]);
  });

  it.each(['commit', 'rollback'] as const)('does not let the EntityManager %s it', async (end) => {
    const { database } = openWithOrm();
    const work = database.transaction(async ({ domain, em }) => {
      await domain.placeOrder(end, { items: [ITEM] });
      await em[end]();
      return ok('done');
    });
    await expect(work).rejects.toThrow('ends the transaction');
    expect(await count(end)).toBe(0);
  });

  it('lets the domain of another database be used inside', async () => {
    expect(await open().transaction(() => outside().listOrders('another'))).toMatchObject({ value: {} });
  });

  it('throws a constraint of the host that the flush violates', async () => {
    const { database } = openWithOrm();
    const occupy = (shelf: string) =>
      database.transaction(async ({ domain, em }) => {
        const { order } = (await domain.placeOrder('shelves', { items: [ITEM] }))._unsafeUnwrap();
        em.create(PickUp, { order_id: order.id, at: AT, shelf });
        return ok(order.id);
      });
    await occupy('s1');
    await expect(occupy('s1')).rejects.toMatchObject({ code: '23505' });
    expect(await count('shelves')).toBe(1);
  });

  it('is not committed after a failed statement whose error was ignored', async () => {
    const result = await open().transaction(async ({ domain, client }) => {
      await domain.placeOrder('ignored', { items: [ITEM] });
      await client.query('select 1 / 0').catch(() => undefined);
      return ok('done');
    });
    const failure = result._unsafeUnwrapErr();
    expect(failure).toBeInstanceOf(TransactionFailed);
    expect(failure).toMatchObject({ type: 'transaction_failed', outcome: 'rolled_back', retryable: false });
    expect(await count('ignored')).toBe(0);
  });

  it.each(['ignores', 'returns'])(
    'fails as a whole, and may be retried, when its work %s a lock that lasts',
    async (does) => {
      const { order } = (await outside().placeOrder(does, { items: [ITEM] }))._unsafeUnwrap();
      const release = await holding(tested.url, `select from orders where id = '${order.id}' for update`);
      const result = await open({ lockTimeoutMs: 100 }).transaction(async ({ domain }) => {
        await domain.placeOrder(does, { items: [ITEM] });
        const cancelled = await domain.cancelOrder(does, order.id);
        expect(cancelled._unsafeUnwrapErr()).toMatchObject({
          type: 'unavailable',
          cause: { type: 'transaction_failed', retryable: true },
        });
        return does === 'returns' ? cancelled : ok('although a write has failed');
      });
      expect(result._unsafeUnwrapErr()).toMatchObject({ outcome: 'rolled_back', retryable: true });
      await release();
      expect(await count(does)).toBe(1);
      expect((await open().transaction(({ domain }) => domain.cancelOrder(does, order.id))).isOk()).toBe(true);
    },
  );

  it('works over a pool of the host, and leaves it open', async () => {
    const pool = openPool({ max: 2 });
    await pool.query('select 1');
    const database = openDatabase({ pool, orm: hostOrm(tested.url) });
    const placed = await database.transaction(async ({ domain, em }) => {
      const { order } = (await domain.placeOrder('pooled', { items: [ITEM] }))._unsafeUnwrap();
      em.create(PickUp, { order_id: order.id, at: AT, shelf: 'p1' });
      await em.flush();
      const inside = em.fork({ keepTransactionContext: true });
      expect(await inside.findOneOrFail(PickUp, { shelf: 'p1' })).toMatchObject({ at: AT });
      return ok(order);
    });
    const order = placed._unsafeUnwrap();
    expect(await domainOf(database).getOrder('pooled', order.id)).toEqual(ok(order));
    expect(await database.migrate()).toEqual([]);
    await database.close();
    expect((await pool.query('select from orders.orders where id = $1', [order.id])).rowCount).toBe(1);
  });

  it('rejects a pool whose sessions have another isolation', async () => {
    const options = '-c default_transaction_isolation=serializable';
    const pool = openPool({ max: 1, options });
    const database = openDatabase({ pool });
    const work = () => database.transaction(({ domain }) => domain.placeOrder('shop', { items: [ITEM] }));
    for (const _ of ['first', 'again'])
      await expect(work()).rejects.toThrow('must be READ COMMITTED, got SERIALIZABLE');
    expect(pool.idleCount).toBe(1);
  });
});
