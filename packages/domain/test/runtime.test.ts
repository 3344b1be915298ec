import { type Domain, isUuid } from '@orders/domain';
import { createDomain, systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BAKERY } from './fixtures/a-bakery.ts';

/** Returns a clock that reads these times in turn, and then the last one. */
function clockOf(...times: readonly number[]) {
  let reads = 0;
  return { now: () => new Date(times[Math.min(reads++, times.length - 1)] ?? 0) };
}

describe('the domain of a program', () => {
  const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];

  it('has the clock of the machine, new ids, and the definition of its store', async () => {
    const domain = createDomain(inMemoryStore({ definition: BAKERY }));
    expectTypeOf(domain).toEqualTypeOf<Domain<typeof BAKERY>>();
    const before = new Date().toISOString();
    const { order } = (await domain.placeOrder('shop', { items }))._unsafeUnwrap();
    expect(order.status).toBe('received');
    expect(order.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(order.created_at >= before && order.created_at <= new Date().toISOString()).toBe(true);
  });

  it('takes another clock and other ids', async () => {
    const domain = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
    const { order } = (await domain.placeOrder('shop', { items }))._unsafeUnwrap();
    const again = createDomain({ ...inMemoryStore(), clock: fixedClock(), ids: sequentialIds() });
    expect((await again.placeOrder('shop', { items }))._unsafeUnwrap().order).toEqual(order);
  });
});

describe('the UUIDv7 source', () => {
  it('returns the time, the version and the variant of RFC 9562', () => {
    const id = uuidv7Ids(clockOf(Date.UTC(2026, 0, 2, 3, 4, 5, 678))).next();
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  });

  it('returns ids that increase strictly within a millisecond, beyond its counter, and when the clock runs back', () => {
    const ids = uuidv7Ids(clockOf(...Array<number>(5000).fill(1_000_000), 999_000, 1_000_001));
    const made = Array.from({ length: 10_000 }, () => ids.next());
    expect(made).toEqual(made.toSorted());
    expect(new Set(made).size).toBe(made.length);
  });

  it('begins its counter at a random number of its lower half in each millisecond', () => {
    const ids = uuidv7Ids(clockOf(...Array.from({ length: 200 }, (_, index) => 1_000_000 + index)));
    const counters = Array.from({ length: 200 }, () => Number.parseInt(ids.next().slice(15, 18), 16));
    const steps = counters.slice(1).map((counter, index) => counter - (counters[index] ?? 0));
    expect(Math.max(...counters)).toBeLessThan(0x8_00);
    expect(Math.max(...counters)).toBeGreaterThan(0x4_00);
    expect(new Set(steps).size).toBeGreaterThan(100);
  });

  it('has every variant digit of RFC 9562, as its first random byte has', () => {
    const ids = uuidv7Ids(clockOf(1_000_000));
    const digits = Array.from({ length: 200 }, () => ids.next().charAt(19));
    expect([...new Set(digits)].toSorted()).toEqual(['8', '9', 'a', 'b']);
  });

  it('returns other ids than another source of the same time', () => {
    const clock = clockOf(1_000_000);
    const [first, second] = [uuidv7Ids(clock), uuidv7Ids(clock)];
    const made = Array.from({ length: 1000 }, () => [first.next(), second.next()]).flat();
    expect(new Set(made).size).toBe(2000);
  });

  it('reads the clock of the machine by default', () => {
    const before = Date.now();
    const time = Number.parseInt(uuidv7Ids().next().replaceAll('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(systemClock.now().getTime());
  });
});
