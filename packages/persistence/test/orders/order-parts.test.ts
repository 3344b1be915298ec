import type { AnyOrder } from '@orders/domain';
import { aFulfillment, anAdjustment, anOrder } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { storedLists } from '../../src/orders/order-parts.ts';
import type { StoredParts } from '../../src/tables/order-entity.ts';

const sent = aFulfillment([]);
const order = anOrder({ adjustments: [anAdjustment({ id: 'a1' })], fulfillments: [sent] });
const { id, type, name, amount, created_at } = anAdjustment({ id: 'a1' });

/** What the row has of the order. */
const row: StoredParts = {
  items: [],
  adjustments: [{ id, type, name, amount: amount.amount, created_at }],
  fulfillments: [{ id: sent.id, created_at, items: [] }],
};

/** Returns the names of the lists that a write sends. */
const namesOf = (written: AnyOrder, before: StoredParts | null): readonly string[] =>
  Object.entries(storedLists(written, before)).flatMap(([list, text]) => (text === null ? [] : [list]));

describe('the lists that a write of an order sends', () => {
  it('are all of a new order, but for empty ones', () => {
    expect(namesOf(order, null)).toEqual(['adjustments', 'fulfillments']);
    expect(namesOf(anOrder(), null)).toEqual([]);
  });

  it('are those that the row has otherwise', () => {
    expect(namesOf({ ...order, note: 'x' }, row)).toEqual([]);
    const adjustments = [...order.adjustments, anAdjustment()];
    expect(namesOf({ ...order, adjustments }, row)).toEqual(['adjustments']);
    const fulfillments = [{ ...sent, cancelled_at: created_at }];
    expect(namesOf({ ...order, fulfillments }, row)).toEqual(['fulfillments']);
  });
});
