import { anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';

it('a snapshot of an order stores nothing of lists that are empty, and of what is not set', () => {
  const order = anOrder();
  const { id, status, items, metadata, total, version, created_at, updated_at } = order;
  const stored: unknown = JSON.parse(JSON.stringify(toOrderSnapshot(order, null)));
  const members = { id, status, items: items.length, metadata, total, version, created_at, updated_at };
  expect(stored).toEqual(members);
});

it('a snapshot of an order does not grow with its items and adjustments', () => {
  const sizes = [1, 9].map((count) => {
    const items = Array.from({ length: count }, () => anItem({ unit_price: { amount: 0, currency: 'EUR' } }));
    const adjustments = Array.from({ length: count }, () => anAdjustment({ amount: { amount: 0, currency: 'EUR' } }));
    return JSON.stringify(toOrderSnapshot(anOrder({ items, adjustments }), null)).length;
  });
  expect(sizes[1]).toBe(sizes[0]);
});
