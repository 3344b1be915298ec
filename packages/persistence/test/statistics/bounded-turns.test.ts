import { randomUUID } from 'node:crypto';
import { createDomain } from '@orders/domain/runtime';
import { countStatistics, postgresOrderStatistics, postgresStore, rebuildStatistics } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { recountOf } from '../../src/statistics/recount.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { countAll } from './count-all.ts';

const database = testDatabase();
const ALWAYS = ['1900-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'] as const;
const item = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };

async function placed(owner: string) {
  const { sums } = (await postgresOrderStatistics(database.current).sum(owner, ALWAYS, 10))._unsafeUnwrap();
  return sums.find(({ status }) => status === 'placed')?.orders;
}

describe('a turn', () => {
  it('counts few events of large orders, in whichever version they are large', async () => {
    const owner = randomUUID();
    const domain = createDomain(postgresStore(database.current));
    const count = countStatistics(database.current);
    // 108 KB each, of a text that is stored in a few of them.
    const names = Array.from({ length: 50 }, (_, at) => `${'k'.repeat(37)}${at + 10}`);
    const metadata = Object.fromEntries(names.map((name) => [name, '😀'.repeat(500)]));
    for (let batch = 0; batch < 5; batch += 1) {
      const orders = Array.from({ length: 10 }, () => ({
        idempotencyKey: randomUUID(),
        order: { items: [item], metadata },
      }));
      (await domain.placeOrders(owner, orders))._unsafeUnwrap();
    }
    const turn = await count(owner);
    expect(turn).toMatchObject({ isMoreLeft: true });
    expect(turn.events).toBeGreaterThan(0);
    expect(turn.events).toBeLessThan(25);
    await countAll(count, owner);
    const { data } = (await domain.listOrders(owner, { limit: 100 }))._unsafeUnwrap();
    const ids = new Set(data.map(({ id }) => id));
    const none = Object.fromEntries(names.map((name) => [name, null]));
    for (const id of ids) (await domain.changeOrder(owner, id, { metadata: none }))._unsafeUnwrap();
    expect((await count(owner)).events).toBeLessThan(25);
    await countAll(count, owner);
    expect(await placed(owner)).toBe(50);
  });

  it('decompresses few versions to know whether they fit', async () => {
    const owner = randomUUID();
    const domain = createDomain(postgresStore(database.current));
    const names = Array.from({ length: 8 }, (_, at) => `k${at}`);
    const order = { items: [item], metadata: Object.fromEntries(names.map((name) => [name, 'k'.repeat(500)])) };
    const orders = Array.from({ length: 60 }, () => ({ idempotencyKey: randomUUID(), order }));
    (await domain.placeOrders(owner, orders))._unsafeUnwrap();
    const count = countStatistics(database.current);
    expect([(await count(owner)).events, (await count(owner)).events]).toEqual([50, 10]);
  });

  it('counts at most a thousand orders again, of which readers see nothing until all are counted', async () => {
    const owner = randomUUID();
    const domain = createDomain(postgresStore(database.current));
    const count = countStatistics(database.current);
    for (let batch = 0; batch < 11; batch += 1) {
      const orders = Array.from({ length: 100 }, () => ({ idempotencyKey: randomUUID(), order: { items: [item] } }));
      (await domain.placeOrders(owner, orders))._unsafeUnwrap();
    }
    expect(await count(owner)).toMatchObject({ events: 1000, isMoreLeft: true });
    await countAll(count, owner);
    await execute(database.url, `update order_statistics set orders = orders + 7 where owner_id = '${owner}'`);
    const recount = recountOf(database.current);
    await recount.begin(owner);
    expect([await recount.step(owner), await placed(owner)]).toEqual(['counted', 1107]);
    const again = `select sum(orders)::int as orders from order_statistics where owner_id = '${owner}' and revision = 1 and width = 96`;
    expect(await execute(database.url, again)).toEqual([{ orders: 1000 }]);
    // To begin again continues, and what happens meanwhile is counted in both.
    await recount.begin(owner);
    (await domain.placeOrder(owner, { items: [item] }))._unsafeUnwrap();
    expect(await countAll(count, owner)).toBe(1);
    expect(await placed(owner)).toBe(1101);
    expect(await recount.step(owner)).toBe('none');
    const revisions = `select distinct revision::int from order_statistics where owner_id = '${owner}'`;
    expect(await execute(database.url, revisions)).toEqual([{ revision: 1 }]);
    await rebuildStatistics(database.current, owner);
    expect(await placed(owner)).toBe(1101);
    expect(await execute(database.url, revisions)).toEqual([{ revision: 2 }]);
  });
});
