import {
  aKey,
  anEventOf,
  anItem,
  anOrder,
  customerRepositoryContract,
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
} from '@orders/domain/testing';
import { parseOrderQuery } from '@orders/domain';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { OWNER, succeeds } from './a-domain.ts';

const open: OpenSubject = () => {
  const { orders, customers, events } = inMemoryStore();
  return {
    orders,
    customers,
    events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)),
  };
};

orderRepositoryContract({ describe, it }, open);
customerRepositoryContract({ describe, it }, open);

describe('the store in memory', () => {
  it('hands out copies of its events', async () => {
    const { orders, events } = inMemoryStore();
    const order = anOrder();
    const event = anEventOf(OWNER, order);
    await succeeds(orders.insert(OWNER, { order, event }));
    Object.assign(event, { version: 7 });
    for (const copy of events()) Object.assign(copy, { version: 8 });
    expect(events()).toEqual([{ ...event, version: 1 }]);
  });

  it('has a page for an order alone that has more items than a page may', async () => {
    const { orders } = inMemoryStore();
    const order = anOrder({ items: Array.from({ length: 1001 }, () => anItem()) });
    await succeeds(orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }));
    const page = await succeeds(orders.list(OWNER, parseOrderQuery({})._unsafeUnwrap()));
    expect(page).toEqual({ data: [order], next: null });
  });

  it('tells a caller who gives a deletion and another write one fingerprint', async () => {
    const { orders } = inMemoryStore();
    const once = aKey();
    const order = anOrder();
    const placed = { order, event: anEventOf(OWNER, order) };
    await succeeds(orders.insert(OWNER, placed));
    await succeeds(orders.delete(OWNER, order.id, () => ok(placed.event), once));
    expect(() => orders.insert(OWNER, placed, once)).toThrow('recorded under the fingerprint of another write');
  });
});
