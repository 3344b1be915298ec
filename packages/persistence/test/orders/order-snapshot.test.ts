import { ORDER_FIELDS } from '@orders/domain';
import { anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { expect, it } from 'vitest';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';

it('a snapshot of an order stores nothing of lists that are empty, and of fields that are not set', () => {
  const { metadata, ...fields } = ORDER_FIELDS;
  const elsewhere = ['adjustments', 'fulfillments', 'subtotal', 'corrected_at', 'erased_at', ...Object.keys(fields)];
  const order = anOrder();
  const stored: unknown = JSON.parse(JSON.stringify(toOrderSnapshot(order, null)));
  const members = Object.entries(order).filter(([name]) => !elsewhere.includes(name));
  expect(stored).toEqual({ ...Object.fromEntries(members), items: order.items.length, metadata: metadata.unset });
});

it('a snapshot of an order does not grow with its items and adjustments', () => {
  const sizes = [1, 9].map((count) => {
    const items = Array.from({ length: count }, () => anItem({ unit_price: { amount: 0, currency: 'EUR' } }));
    const adjustments = Array.from({ length: count }, () => anAdjustment({ amount: { amount: 0, currency: 'EUR' } }));
    return JSON.stringify(toOrderSnapshot(anOrder({ items, adjustments }), null)).length;
  });
  expect(sizes[1]).toBe(sizes[0]);
});
