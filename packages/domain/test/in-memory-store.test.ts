import {
  aCustomer,
  aKey,
  anEventOf,
  anEventOfCustomer,
  anItem,
  anOrder,
  customerRepositoryContract,
  fixedClock,
  inMemoryStore,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
} from '@orders/domain/testing';
import { type Idempotency, ORDERS, parseOrderQuery } from '@orders/domain';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { fails, OWNER, succeeds } from './a-domain.ts';

const open = () => {
  const { orders, customers, webhookEndpoints, feed, events } = inMemoryStore();
  return {
    orders,
    customers,
    webhookEndpoints,
    feed,
    events: (owner: string) => Promise.resolve(events().filter((event) => event.owner === owner)),
  };
};

orderRepositoryContract({ describe, it }, open);
customerRepositoryContract({ describe, it }, open);
webhookEndpointRepositoryContract({ describe, it }, open);

describe('the in-memory store', () => {
  it('is not created with an unknown option', () => {
    const misspelt = { clock: fixedClock(), definitions: ORDERS };
    expect(() => inMemoryStore(misspelt)).toThrow('unknown option "definitions", expected clock, definition');
  });

  it('returns copies of its events', async () => {
    const { orders, events } = inMemoryStore();
    const order = anOrder();
    const event = anEventOf(OWNER, order);
    await succeeds(orders.insert(OWNER, { order, event }));
    Object.assign(event, { version: 7 });
    for (const copy of events()) Object.assign(copy, { version: 8 });
    expect(events()).toEqual([{ ...event, version: 1 }]);
  });

  it('returns an order that has more items than a page on a page of its own', async () => {
    const { orders } = inMemoryStore();
    const order = anOrder({ items: Array.from({ length: 1001 }, () => anItem()) });
    await succeeds(orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }));
    const page = await succeeds(orders.list(OWNER, parseOrderQuery({})._unsafeUnwrap()));
    expect(page).toEqual({ data: [order], next: null });
  });

  it('rejects a deletion and another write with the same fingerprint', async () => {
    const { orders } = inMemoryStore();
    const idempotency = aKey();
    const order = anOrder();
    const placed = { order, event: anEventOf(OWNER, order) };
    await succeeds(orders.insert(OWNER, placed));
    const deletion = anEventOf(OWNER, order, { type: 'order.deleted' });
    await succeeds(orders.delete(OWNER, order.id, () => ok(deletion), idempotency));
    const replay = orders.insert(OWNER, placed, idempotency);
    await expect(replay).rejects.toThrow('recorded under the fingerprint of another write');
  });

  it('rejects an event of another version with the one that is next', async () => {
    const { orders } = inMemoryStore();
    const order = anOrder();
    await succeeds(orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }));
    const change = { ...order, note: 'x', version: 3 };
    const decided = ok({ order: change, event: anEventOf(OWNER, change) });
    await expect(orders.update(OWNER, order.id, () => decided)).rejects.toThrow('version 2 is next');
    const unlike = ok({ order: change, event: anEventOf(OWNER, change, { version: 2 }) });
    await expect(orders.update(OWNER, order.id, () => unlike)).rejects.toThrow('version 2, but its order has 3');
  });

  it('names the aggregate that an event does not fit', async () => {
    const { customers } = inMemoryStore();
    const customer = aCustomer();
    await succeeds(customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }));
    const change = { ...customer, name: 'x', version: 3 };
    const unlike = ok({ customer: change, event: anEventOfCustomer(OWNER, change, { version: 2 }) });
    const written = customers.update(OWNER, customer.id, () => unlike);
    await expect(written).rejects.toThrow('version 2, but its customer has 3');
  });

  it('rejects an id that exists, or whose order was deleted, and names it', async () => {
    const { orders } = inMemoryStore();
    const order = anOrder();
    const placed = { order, event: anEventOf(OWNER, order) };
    const message = `the id ${order.id} exists: ids must be unique`;
    await succeeds(orders.insert(OWNER, placed));
    await expect(orders.insert(OWNER, placed)).rejects.toThrow(message);
    await succeeds(orders.delete(OWNER, order.id, () => ok(anEventOf(OWNER, order, { type: 'order.deleted' }))));
    await expect(orders.insert(OWNER, placed)).rejects.toThrow(message);
  });

  it.each([
    [{ note: 'a\0' }, 'text must not contain U+0000 or a lone surrogate'],
    [{ metadata: { '\ud83c': 'a' } }, 'text must not contain U+0000 or a lone surrogate'],
    [{ updated_at: '2026-01-01' }, 'updated_at is not a timestamp'],
  ])('rejects %o, which no store can represent', async (values, message) => {
    const { orders } = inMemoryStore();
    const order = anOrder(values);
    await expect(orders.insert(OWNER, { order, event: anEventOf(OWNER, anOrder()) })).rejects.toThrow(message);
  });

  it('rejects a key of an order for a customer, even with the same fingerprint', async () => {
    const { orders, customers } = inMemoryStore();
    const idempotency = aKey();
    const order = anOrder();
    await succeeds(orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }, idempotency));
    const customer = aCustomer();
    const created = { customer, event: anEventOfCustomer(OWNER, customer) };
    expect(await fails(customers.insert(OWNER, created, idempotency))).toEqual({ type: 'idempotency_key_reused' });
  });

  it('purges expired keys alone, which bounds their number', async () => {
    const { orders } = inMemoryStore();
    const day = (count: number) => new Date(Date.UTC(2026, 0, count)).toISOString();
    const placeUnder = async (idempotency: Idempotency) => {
      const order = anOrder();
      return await succeeds(orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }, idempotency));
    };
    const [expired, current] = [aKey({ now: day(1), expires_at: day(3) }), aKey({ now: day(1), expires_at: day(9) })];
    for (const idempotency of [expired, current]) expect((await placeUnder(idempotency)).replayed).toBe(false);
    for (let count = 0; count < 998; count += 1) await placeUnder(aKey({ now: day(3), expires_at: day(4) }));
    // A write with an earlier time is replayed if its expired key is not purged yet.
    expect((await placeUnder(expired)).replayed).toBe(true);
    await placeUnder(aKey({ now: day(3), expires_at: day(4) }));
    expect((await placeUnder(current)).replayed).toBe(true);
    expect((await placeUnder(expired)).replayed).toBe(false);
    // The next purge comes when there are twice as many as were kept.
    const kept = aKey({ now: day(3), expires_at: day(4) });
    await placeUnder(kept);
    await placeUnder(aKey({ now: day(5), expires_at: day(9) }));
    expect((await placeUnder(kept)).replayed).toBe(true);
  });
});
