import { describe, expect, it } from 'vitest';
import { aDomain, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

/** Places an order from JSON text, so that a number has the given spelling. */
function place(numbers: { readonly quantity?: string; readonly amount?: string }) {
  const { quantity = '1', amount = '1' } = numbers;
  const text = `{"items": [{"sku": "a", "name": "a", "quantity": ${quantity},
    "unit_price": {"amount": ${amount}, "currency": "EUR"}}]}`;
  return aDomain().placeOrder(OWNER, JSON.parse(text));
}

describe.each([
  ['quantity', 'items[0].quantity', 1, 1_000_000],
  ['amount', 'items[0].unit_price.amount', 0, 1_000_000_000_000],
] as const)('the %s of an item', (number, field, min, max) => {
  const stored = async (spelling: string) => {
    const { order } = await succeeds(place({ [number]: spelling }));
    return number === 'quantity' ? order.items[0]?.quantity : order.items[0]?.unit_price.amount;
  };

  it(`is an integer from ${min} to ${max}, however it is spelled`, async () => {
    for (const value of [min, min + 1, max - 1, max]) expect(await stored(`${value}`)).toBe(value);
    for (const [spelling, value] of [
      ['1.0', 1],
      ['1e3', 1000],
      ['1E+3', 1000],
      ['1200e-2', 12],
    ] as const)
      expect(await stored(spelling)).toBe(value);
  });

  it.each([
    ['out_of_range', [`${min - 1}`, `${max + 1}`, `${-max}`, `${2 ** 53 - 1}`, '1e400', '-1e400', '1e308']],
    ['wrong_type (must be an integer)', ['19.99', '0.5', '1e-3', '999999.5', '"5"', '""', 'true', '[]', '[5]', '{}']],
    ['required', ['null']],
  ])('is otherwise rejected as %s', async (code, spellings) => {
    for (const spelling of spellings)
      expect(await fails(place({ [number]: spelling }))).toMatchObject(invalidFields(`${field}: ${code}`));
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
