import type { Money } from '@orders/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, fails, OWNER, succeeds } from '../fixtures/a-domain.ts';

const MAX = 2n ** 53n - 1n;

interface Line {
  readonly quantity: number;
  readonly amount: number;
}

const exact = ({ quantity, amount }: Line): bigint => BigInt(quantity) * BigInt(amount);

const place = (lines: readonly Line[], currency: string) =>
  aDomain().placeOrder(
    OWNER,
    aBody({ items: lines.map(({ quantity, amount }) => aLine({ quantity, unit_price: { amount, currency } })) }),
  );

/** Computes the expected totals without floating-point arithmetic. */
function expected(lines: readonly Line[], currency: string) {
  const totals = lines.map(exact);
  const long = totals.findIndex((total) => total > MAX);
  if (long >= 0) return { type: 'amount_out_of_range', field: `items[${long}]` };
  const total = totals.reduce((sum, each) => sum + each, 0n);
  if (total > MAX) return { type: 'amount_out_of_range', field: 'items' };
  return { items: totals.map((each) => money(each, currency)), total: money(total, currency) };
}

const money = (amount: bigint, currency: string): Money => ({ amount: Number(amount), currency });

/** Returns the totals that the domain computes. */
async function actual(lines: readonly Line[], currency: string) {
  return await place(lines, currency).match(
    ({ order }) => ({ items: order.items.map(({ total }) => total), total: order.total }),
    (error) => error,
  );
}

const currencies = fc.constantFrom('JPY', 'EUR', 'KWD');
const quantities = fc.integer({ min: 1, max: 1_000_000 });

/** Lines with everyday prices, with any prices, and with totals around the limit. */
const everyday = fc.record({
  quantity: fc.integer({ min: 1, max: 999 }),
  amount: fc.integer({ min: 0, max: 10 ** 10 }),
});
const anySize = fc.record({ quantity: quantities, amount: fc.integer({ min: 0, max: 10 ** 12 }) });
const nearLimit = fc
  .tuple(fc.integer({ min: 9008, max: 1_000_000 }), fc.integer({ min: -2, max: 2 }))
  .map(([quantity, nudge]) => ({ quantity, amount: Math.min(Number(MAX / BigInt(quantity)) + nudge, 10 ** 12) }));

describe.each([
  ['everyday prices', everyday],
  ['any prices', anySize],
  ['prices at the limit', nearLimit],
])('totals of %s', (_, line) => {
  it('are exact for every line and the order, or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 100 }), currencies, async (lines, currency) => {
        expect(await actual(lines, currency)).toEqual(expected(lines, currency));
      }),
    );
  });

  it('are exact for a single line, or rejected', async () => {
    await fc.assert(
      fc.asyncProperty(line, currencies, async (onlyReason, currency) => {
        expect(await actual([onlyReason], currency)).toEqual(expected([onlyReason], currency));
      }),
    );
  });
});

describe('the largest total', () => {
  // 2^53-1 is 6361 * 69431 * 20394401.
  const largest: Line = { quantity: 69_431, amount: 6361 * 20_394_401 };
  const one: Line = { quantity: 1, amount: 1 };
  const nothing: Line = { quantity: 1_000_000, amount: 0 };
  const total = { amount: Number.MAX_SAFE_INTEGER, currency: 'KWD' };

  it('is 2^53-1 for a line and an order', async () => {
    expect(exact(largest)).toBe(MAX);
    const { order } = await succeeds(place([nothing, largest, nothing], 'KWD'));
    expect(order.items[1]?.total).toEqual(total);
    expect(order.total).toEqual(total);
  });

  it('is 2^53-1 for a sum of smaller lines', async () => {
    const half: Line = { quantity: 2 ** 13, amount: 2 ** 39 - 1 };
    const rest: Line = { quantity: 1, amount: 16_383 };
    expect(2n * exact(half) + exact(rest)).toBe(MAX);
    const { order } = await succeeds(place([half, rest, half], 'KWD'));
    expect(order.total).toEqual(total);
  });

  it('is exceeded by one for a line', async () => {
    const error = await fails(place([one, { quantity: 2 ** 19, amount: 2 ** 34 }], 'KWD'));
    expect(error).toEqual({ type: 'amount_out_of_range', field: 'items[1]' });
  });

  it.each([1, 2, 3])('is exceeded by %d for an order', async (amount) => {
    for (const lines of [
      [largest, { quantity: 1, amount }],
      [{ quantity: 1, amount }, largest],
    ]) {
      expect(await fails(place(lines, 'KWD'))).toEqual({ type: 'amount_out_of_range', field: 'items' });
    }
  });

  it('cannot be exceeded temporarily, as negative prices are rejected', async () => {
    const error = await fails(place([largest, { quantity: 1, amount: -1 }], 'KWD'));
    expect(error).toMatchObject({ type: 'validation_failed', errors: [{ field: 'items[1].unit_price.amount' }] });
  });
});
