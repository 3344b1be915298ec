import type { OrdersClient } from '@orders/client';
import { propertyRuns } from '@orders/property-runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uncheckedCast } from '../../src/calls/unchecked-cast.ts';
import { comparable, DOORS, euros, NO_ID, take, TEA } from './doors.ts';

class Labelled {
  readonly label = 'a';
  readonly secret = Symbol('left out');
  get computed(): string {
    return 'of the prototype';
  }
}

const sparse: unknown[] = [];
sparse[2] = 'c';

/** Values that JSON has not, or has otherwise. */
const STRANGE: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => Number.NaN,
  () => -Infinity,
  () => -0,
  () => 1e21,
  () => 450n,
  () => 2n ** 63n,
  () => new Date('2026-01-02T03:04:05.678Z'),
  () => new Date(Number.NaN),
  () => new Labelled(),
  () => new Map([['a', 1]]),
  () => new Set(['a']),
  () => sparse,
  () => Symbol('a'),
  () => () => 'a',
  () => ({ toJSON: () => 'a text' }),
  () => ({ toJSON: () => undefined }),
  () => ({ a: undefined, b: { c: undefined, d: [undefined] }, [Symbol('e')]: 1 }),
  () => new Uint8Array([1, 2]),
  () => /a/,
  () => new Proxy(['a'], {}),
  () => Object.fromEntries([['__proto__', 1]]),
  () => '\ud800',
  () => '__proto__',
];

const ORDER = { items: [TEA], metadata: { a: 'b', c: undefined }, note: 'n', reference: undefined, adjustments: [] };
const FEE = { type: 'fee', name: 'f', amount: euros(1) };
const TIME = '2025-01-01T00:00:00Z';

/** A valid input of each call that has one, and the call. */
const CALLS: readonly (readonly [input: object, (orders: OrdersClient, id: string, input: unknown) => unknown])[] = [
  [ORDER, async (orders, _, input) => orders.place(uncheckedCast(input))],
  [{ order: ORDER }, async (orders, _, input) => orders.placeMany([uncheckedCast(input)])],
  [{ ...ORDER, id: NO_ID, created_at: TIME }, async (orders, _, input) => orders.importMany([uncheckedCast(input)])],
  [{ note: 'x', metadata: { a: null, c: 'd' } }, async (orders, id, input) => orders.change(id, uncheckedCast(input))],
  [{ adjustments: [FEE] }, async (orders, id, input) => orders.adjust(id, uncheckedCast(input))],
  [{ items: [TEA], adjustments: [FEE] }, async (orders, id, input) => orders.addItems(id, uncheckedCast(input))],
  [{ items: undefined }, async (orders, id, input) => orders.fulfill(id, uncheckedCast(input))],
  [
    { items: [{ item_id: NO_ID, quantity: 1 }] },
    async (orders, id, input) => orders.returnItems(id, uncheckedCast(input)),
  ],
  [{ items: undefined, adjustments: [FEE] }, async (orders, id, input) => orders.cancel(id, uncheckedCast(input))],
  [{ email: 'a@example.com' }, async (orders, _, input) => orders.customers.create(uncheckedCast(input))],
  [{ email: 'a@example.com' }, async (orders, _, input) => orders.customers.search(uncheckedCast(input))],
  [
    { url: 'https://receiver.example', types: ['order.placed'] },
    async (orders, _, input) => orders.webhooks.create(uncheckedCast(input)),
  ],
  [
    { limit: 2, status: ['paid'], created_at_from: TIME },
    async (orders, _, input) => orders.list(uncheckedCast(input)).page(),
  ],
  [{ limit: 2, types: ['order.placed'] }, async (orders, _, input) => orders.events.page(uncheckedCast(input))],
  [{ interval: 'day', from: TIME, before: TIME }, async (orders, _, input) => orders.statistics(uncheckedCast(input))],
];

/** Returns the places in a value, first its own. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, each]) => placesIn(each).map((place) => [key, ...place]))];
}

/** Returns a copy of `value` with `other` at a place. */
function withAt(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  const members = new Map<string, unknown>(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  members.set(key, withAt(members.get(key), rest, other));
  return Array.isArray(value) ? [...members.values()] : Object.fromEntries(members);
}

/** A query explains a wrong type in another way. */
const fieldsOf = (errors: readonly { readonly field: string }[]) => errors.map(({ field }) => field).toSorted();

it('an input that JSON has not, or has otherwise, has the same result through every door', async () => {
  const doors = await Promise.all(DOORS.map(([, open]) => open()));
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...STRANGE)), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...CALLS), changes, async ([valid, call], strange) => {
      // A query or an element of a batch that is no object is a mistake of the program.
      const places = placesIn(valid).slice(['limit', 'interval', 'order'].some((name) => name in valid) ? 1 : 0);
      const input = strange.reduce<unknown>(
        (changed, [at, make]) => withAt(changed, places[at % places.length] ?? [], make()),
        valid,
      );
      const results = await Promise.all(
        doors.map(async ({ orders }) => {
          const { order } = (await orders.place({ items: [TEA] }))._unsafeUnwrap();
          return comparable(await call(orders, order.id, input), fieldsOf);
        }),
      );
      expect(results[0]).toEqual(results[1]);
    }),
    propertyRuns(150),
  );
});

describe.each(DOORS)('an input through %s', (_, open) => {
  it('may have a bigint that a number can hold, and members that are undefined, at every depth', async () => {
    const { orders } = await open();
    const unit_price = uncheckedCast<typeof TEA.unit_price>({ amount: 450n, currency: 'EUR', tax: undefined });
    const metadata = uncheckedCast<Record<string, string>>({ a: undefined, b: 'c' });
    const placed = await orders.place({ items: [{ ...TEA, unit_price }], metadata });
    expect(placed._unsafeUnwrap().order).toMatchObject({ total: { amount: 900 }, metadata: { b: 'c' } });
    const large = uncheckedCast<typeof TEA.unit_price>({ amount: 2n ** 53n, currency: 'EUR' });
    const rejected = (await orders.place({ items: [{ ...TEA, unit_price: large }] }))._unsafeUnwrapErr();
    expect(rejected).toMatchObject({ errors: [{ field: 'items[0].unit_price.amount', code: 'wrong_type' }] });
  });

  it('that contains itself is a mistake of the program, and nothing is sent', async () => {
    const { orders } = await open();
    const input: { items: [typeof TEA]; self?: unknown } = { items: [TEA] };
    input.self = input;
    expect(() => orders.place(input)).toThrow(TypeError);
    await expect(orders.placeMany([{ order: input }])).rejects.toThrow(TypeError);
    expect(await take(orders.list())).toEqual([]);
  });
});
