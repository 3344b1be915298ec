import { BAKERY } from '../../fixtures/a-bakery.ts';
import { createDomain } from '@orders/domain/runtime';
import { fixedClock, inMemoryStore, sequentialIds, transactionContract } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';

const ITEM = { sku: 'RYE', name: 'Rye bread', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } };

transactionContract({ describe, it }, () => {
  const store = inMemoryStore();
  return { domain: createDomain(store), transaction: store.transaction };
});

describe('the transaction of an in-memory store', () => {
  it('has the definition, the clock and the ids of the store, and publishes its events at the commit', async () => {
    const store = inMemoryStore({ definition: BAKERY, clock: fixedClock(), ids: sequentialIds(7) });
    const { order } = (
      await store.transaction(async ({ domain }) => {
        const placed = await domain.placeOrder('bakery', { items: [ITEM] });
        const changed = await domain.changeOrder('bakery', placed._unsafeUnwrap().order.id, { status: 'baking' });
        expect(store.events()).toEqual([]);
        return changed;
      })
    )._unsafeUnwrap();
    expect(order).toMatchObject({ status: 'baking', created_at: '2026-01-02T03:04:05.678Z' });
    expect(order.id).toContain('-0007-');
    expect(store.events().map(({ type }) => type)).toEqual(['order.placed', 'order.baking']);
  });

  it('goes on from what another one has committed, and a store goes on alone after it', async () => {
    const store = inMemoryStore();
    const domain = createDomain(store);
    const { order } = (
      await store.transaction((inside) => inside.domain.placeOrder('a', { items: [ITEM] }))
    )._unsafeUnwrap();
    const failed = store.transaction(async (inside) => {
      await inside.domain.deleteOrder('a', order.id);
      throw new Error('of the host');
    });
    await expect(failed).rejects.toThrow('of the host');
    expect(await domain.getOrder('a', order.id)).toEqual(ok(order));
    expect((await domain.cancelOrder('a', order.id)).isOk()).toBe(true);
  });
});
