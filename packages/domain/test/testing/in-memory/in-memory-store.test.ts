import {
  aCustomer,
  aKey,
  anEventOf,
  anEventOfCustomer,
  anItem,
  anOrder,
  fixedClock,
  inMemoryStore,
} from '@orders/domain/testing';
import { type Idempotency, ORDERS, parseOrderQuery, type Position, SCANNED_ELEMENTS_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { fails, OWNER, succeeds } from '../../fixtures/a-domain.ts';

describe('the in-memory store', () => {
  it('is not created with an unknown option', () => {
    const misspelt = { clock: fixedClock(), definitions: ORDERS };
    expect(() => inMemoryStore(misspelt)).toThrow(
      'unknown option "definitions", expected clock, ids, timer, definition',
    );
  });

  it('returns copies of its events', async () => {
    const { orders, events } = inMemoryStore();
    const after = anOrder();
    const event = anEventOf(OWNER, after);
    await succeeds(orders.commit(OWNER, { kind: 'create', after, event, key: undefined }));
    Object.assign(event, { version: 7 });
    for (const copy of events()) Object.assign(copy, { version: 8 });
    expect(events()).toEqual([{ ...event, version: 1 }]);
  });

  it('returns an order that has more items than a page on a page of its own', async () => {
    const { orders } = inMemoryStore();
    const after = anOrder({ items: Array.from({ length: 1001 }, () => anItem()) });
    await succeeds(orders.commit(OWNER, { kind: 'create', after, event: anEventOf(OWNER, after), key: undefined }));
    const page = await succeeds(orders.list(OWNER, parseOrderQuery({})._unsafeUnwrap()));
    expect(page).toEqual({ data: [after], next: null });
  });

  it('rejects an event of another version with the one that is next', async () => {
    const { orders } = inMemoryStore();
    const order = anOrder();
    await succeeds(
      orders.commit(OWNER, { kind: 'create', after: order, event: anEventOf(OWNER, order), key: undefined }),
    );
    const after = { ...order, note: 'x', version: 3 };
    const before = { aggregate: order };
    const change = { kind: 'change', before, after, event: anEventOf(OWNER, after), key: undefined } as const;
    await expect(orders.commit(OWNER, change)).rejects.toThrow('version 2 is next');
    expect(await succeeds(orders.load(OWNER, order.id))).toEqual(before);
  });

  it('takes a key of an order for used by a customer, even with the same fingerprint', async () => {
    const { orders, customers } = inMemoryStore();
    const key = aKey();
    const order = anOrder();
    await succeeds(orders.commit(OWNER, { kind: 'create', after: order, event: anEventOf(OWNER, order), key }));
    const after = aCustomer();
    const creation = { kind: 'create', after, event: anEventOfCustomer(OWNER, after), key } as const;
    const recorded = { sameCommand: false, id: order.id, aggregate: null };
    expect(await fails(customers.commit(OWNER, creation))).toEqual({ type: 'key_used', recorded });
  });

  it('purges expired keys alone, which bounds their number', async () => {
    const { orders } = inMemoryStore();
    const day = (count: number) => new Date(Date.UTC(2026, 0, count)).toISOString();
    /** Returns whether an order was placed, and not the key of another one found. */
    const placeUnder = async (key: Idempotency) => {
      const after = anOrder();
      return (await orders.commit(OWNER, { kind: 'create', after, event: anEventOf(OWNER, after), key })).isOk();
    };
    const [expired, current] = [aKey({ now: day(1), expires_at: day(3) }), aKey({ now: day(1), expires_at: day(9) })];
    for (const key of [expired, current]) expect(await placeUnder(key)).toBe(true);
    for (let count = 0; count < 998; count += 1) await placeUnder(aKey({ now: day(3), expires_at: day(4) }));
    // A write with an earlier time finds its expired key if that is not purged yet.
    expect(await placeUnder(expired)).toBe(false);
    await placeUnder(aKey({ now: day(3), expires_at: day(4) }));
    expect(await placeUnder(current)).toBe(false);
    expect(await placeUnder(expired)).toBe(true);
    // The next purge comes when there are twice as many as were kept.
    const kept = aKey({ now: day(3), expires_at: day(4) });
    await placeUnder(kept);
    await placeUnder(aKey({ now: day(5), expires_at: day(9) }));
    expect(await placeUnder(kept)).toBe(false);
  });
});

describe('a range of another time than that of the sort', () => {
  it('looks at 10,000 orders for a page, which may be empty although others follow', async () => {
    const { orders } = inMemoryStore();
    const count = SCANNED_ELEMENTS_MAX + 2;
    for (let index = 0; index < count; index += 1) {
      const created_at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
      const updated_at = index === count - 1 ? '2026-06-01T00:00:00.000Z' : created_at;
      const after = anOrder({ created_at, updated_at });
      await succeeds(orders.commit(OWNER, { kind: 'create', after, event: anEventOf(OWNER, after), key: undefined }));
    }
    const list = (after?: Position<string>) => {
      const input = { sort: 'created_at', updated_at_from: '2026-05-01T00:00:00Z', ...(after && { after }) };
      return succeeds(orders.list(OWNER, parseOrderQuery(input)._unsafeUnwrap()));
    };
    const first = await list();
    expect(first.data).toEqual([]);
    expect(first.next?.value).toBe(new Date(Date.UTC(2026, 0, 1) + (SCANNED_ELEMENTS_MAX - 1) * 1000).toISOString());
    const second = await list(first.next ?? undefined);
    expect([second.data.length, second.next]).toEqual([1, null]);
  });
});
