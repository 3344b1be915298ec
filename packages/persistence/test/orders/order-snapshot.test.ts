import { anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';

it('a snapshot of an order without charges and quantities stores nothing of them', () => {
  const { adjustments: _, fulfillments: __, subtotal: ___, erased_at: ____, ...members } = anOrder();
  expect(toOrderSnapshot(anOrder(members), null)).toEqual({ ...members, items: null });
});

it('a snapshot of an order does not grow with its items and adjustments', () => {
  const sizes = [1, 9].map((count) => {
    const items = Array.from({ length: count }, () => anItem({ unit_price: { amount: 0, currency: 'EUR' } }));
    const adjustments = Array.from({ length: count }, () => anAdjustment({ amount: { amount: 0, currency: 'EUR' } }));
    return JSON.stringify(toOrderSnapshot(anOrder({ items, adjustments }), null)).length;
  });
  expect(sizes[1]).toBe(sizes[0]);
});
