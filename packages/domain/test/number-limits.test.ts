import { describe, expect, it } from 'vitest';
import { aDomain, badFields, OWNER, refuses, succeeds } from './a-domain.ts';

/** A request as a client sends it, so that numbers are spelled as in JSON. */
function place(numbers: { readonly quantity?: string; readonly amount?: string }) {
  const { quantity = '1', amount = '1' } = numbers;
  const text = `{"items": [{"sku": "a", "name": "a", "quantity": ${quantity},
    "unit_price": {"amount": ${amount}, "currency": "EUR"}}]}`;
  return aDomain().placeOrder(OWNER, JSON.parse(text));
}

const doors = [
  { number: 'quantity', field: 'items[0].quantity', min: 1, max: 1_000_000 },
  { number: 'amount', field: 'items[0].unit_price.amount', min: 0, max: 1_000_000_000_000 },
] as const;

describe.each(doors)('the $number of an item', ({ number, field, min, max }) => {
  const kept = async (spelling: string) => {
    const { order } = await succeeds(place({ [number]: spelling }));
    return number === 'quantity' ? order.items[0]?.quantity : order.items[0]?.unit_price.amount;
  };
  const refusal = (spelling: string) => refuses(place({ [number]: spelling }));

  it.each([min, min + 1, max - 1, max])('may be %d', async (value) => {
    expect(await kept(`${value}`)).toBe(value);
  });

  it.each([min - 1, max + 1, -max, Number.MAX_SAFE_INTEGER])('may not be %d', async (value) => {
    expect(await refusal(`${value}`)).toMatchObject(badFields(`${field}: out_of_range`));
  });

  it.each([
    ['1.0', 1],
    ['1e3', 1000],
    ['1E+3', 1000],
    ['1200e-2', 12],
    ['19.00', 19],
  ])('may be spelled %s', async (spelling, value) => {
    expect(await kept(spelling)).toBe(value);
  });

  it.each(['19.99', '0.5', '1e-3', '999999.5', '"5"', '""', 'true', 'false', '[]', '[5]', '{}'])(
    'is a whole number, not %s',
    async (spelling) => {
      expect(await refusal(spelling)).toMatchObject(badFields(`${field}: wrong_type`));
    },
  );

  it.each(['1e400', '-1e400', '1e308'])('is within its bounds however large, not %s', async (spelling) => {
    expect(await refusal(spelling)).toMatchObject(badFields(`${field}: out_of_range`));
  });

  it('is not null', async () => {
    expect(await refusal('null')).toMatchObject(badFields(`${field}: required`));
  });
});

describe('minus nought', () => {
  it.each(['-0', '-0.0', '-0e5'])('spelled %s is nought when it is an amount, in every total too', async (spelling) => {
    const { order } = await succeeds(place({ amount: spelling, quantity: '3' }));
    expect(order.items[0]?.unit_price.amount).toBe(0);
    expect(order.items[0]?.total.amount).toBe(0);
    expect(order.total.amount).toBe(0);
  });

  it('is too little when it is a quantity', async () => {
    expect(await refuses(place({ quantity: '-0' }))).toMatchObject(badFields('items[0].quantity: out_of_range'));
  });
});
