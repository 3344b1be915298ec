import { describe, expect, it } from 'vitest';
import { aDomain, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

/** Places an order from JSON text, so that a number has the given spelling. */
function place(numbers: { readonly quantity?: string; readonly amount?: string }) {
  const { quantity = '1', amount = '1' } = numbers;
  const text = `{"items": [{"sku": "a", "name": "a", "quantity": ${quantity},
    "unit_price": {"amount": ${amount}, "currency": "EUR"}}]}`;
  return aDomain().placeOrder(OWNER, JSON.parse(text));
}

const inputs = [
  { number: 'quantity', field: 'items[0].quantity', min: 1, max: 1_000_000 },
  { number: 'amount', field: 'items[0].unit_price.amount', min: 0, max: 1_000_000_000_000 },
] as const;

describe.each(inputs)('the $number of an item', ({ number, field, min, max }) => {
  const stored = async (spelling: string) => {
    const { order } = await succeeds(place({ [number]: spelling }));
    return number === 'quantity' ? order.items[0]?.quantity : order.items[0]?.unit_price.amount;
  };
  const errorFor = (spelling: string) => fails(place({ [number]: spelling }));

  it.each([min, min + 1, max - 1, max])('may be %d', async (value) => {
    expect(await stored(`${value}`)).toBe(value);
  });

  it.each([min - 1, max + 1, -max, Number.MAX_SAFE_INTEGER])('may not be %d', async (value) => {
    expect(await errorFor(`${value}`)).toMatchObject(invalidFields(`${field}: out_of_range`));
  });

  it.each([
    ['1.0', 1],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['1200e-2', 12],
    ['19.00', 19],
  ])('may be spelled %s', async (spelling, value) => {
    expect(await stored(spelling)).toBe(value);
  });

  it.each(['19.99', '0.5', '1e-3', '999999.5', '"5"', '""', 'true', 'false', '[]', '[5]', '{}'])(
    'is rejected as %s',
    async (spelling) => {
      expect(await errorFor(spelling)).toMatchObject(invalidFields(`${field}: wrong_type`));
    },
  );

  it.each(['1e400', '-1e400', '1e308'])('is out of range as %s', async (spelling) => {
    expect(await errorFor(spelling)).toMatchObject(invalidFields(`${field}: out_of_range`));
  });

  it('is rejected as null', async () => {
    expect(await errorFor('null')).toMatchObject(invalidFields(`${field}: required`));
  });
});

describe('negative zero', () => {
  it.each(['-0', '-0.0', '-0e5'])('is stored as zero for an amount %s, including totals', async (spelling) => {
    const { order } = await succeeds(place({ amount: spelling, quantity: '3' }));
    expect(order.items[0]?.unit_price.amount).toBe(0);
    expect(order.items[0]?.total.amount).toBe(0);
    expect(order.total.amount).toBe(0);
  });

  it('is out of range for a quantity', async () => {
    expect(await fails(place({ quantity: '-0' }))).toMatchObject(invalidFields('items[0].quantity: out_of_range'));
  });
});
