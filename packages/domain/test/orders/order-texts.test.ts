import type { Order, OrderWritten } from '@orders/domain';
import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, fails, invalidFields, OWNER } from '../fixtures/a-domain.ts';

/** A text field of the input of a use case. */
interface TextField {
  readonly name: string;
  /** Path of the field in errors. */
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly send: (text: unknown) => Promise<Result<OrderWritten, unknown>>;
  /** Returns the stored text of an order. */
  readonly stored: (order: Order) => unknown;
}

type Body = (text: unknown) => Readonly<Record<string, unknown>>;

const placing = (body: Body) => async (text: unknown) => await aDomain().placeOrder(OWNER, aBody(body(text)));

const changing = (patch: Body) => async (text: unknown) => {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return await domain.changeOrder(OWNER, id, patch(text));
};

const cancelling = (input: Body) => async (text: unknown) => {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return await domain.cancelOrder(OWNER, id, input(text));
};

const sku: Body = (text) => ({ items: [aLine({ sku: text })] });
const name: Body = (text) => ({ items: [aLine({ name: text })] });
const reference: Body = (text) => ({ reference: text });
const note: Body = (text) => ({ note: text });
const value: Body = (text) => ({ metadata: { 'a.b': text } });
const cancelled: Body = (text) => ({ status: 'cancelled', cancel_reason: text });

const referenceOf = (order: Order) => order.reference;
const noteOf = (order: Order) => order.note;
const valueOf = (order: Order) => order.metadata['a.b'];
const reasonOf = (order: Order) => order.cancel_reason;

const inputs: readonly TextField[] = [
  {
    name: 'the SKU of an item',
    field: 'items[0].sku',
    min: 1,
    max: 64,
    send: placing(sku),
    stored: (order) => order.items[0]?.sku,
  },
  {
    name: 'the name of an item',
    field: 'items[0].name',
    min: 1,
    max: 255,
    send: placing(name),
    stored: (order) => order.items[0]?.name,
  },
  { name: 'a reference', field: 'reference', min: 1, max: 64, send: placing(reference), stored: referenceOf },
  { name: 'a changed reference', field: 'reference', min: 1, max: 64, send: changing(reference), stored: referenceOf },
  { name: 'a note', field: 'note', min: 0, max: 2000, send: placing(note), stored: noteOf },
  { name: 'a changed note', field: 'note', min: 0, max: 2000, send: changing(note), stored: noteOf },
  { name: 'a metadata value', field: 'metadata["a.b"]', min: 0, max: 500, send: placing(value), stored: valueOf },
  {
    name: 'a changed metadata value',
    field: 'metadata["a.b"]',
    min: 0,
    max: 500,
    send: changing(value),
    stored: valueOf,
  },
  {
    name: 'a cancellation reason',
    field: 'reason',
    min: 0,
    max: 500,
    send: cancelling((reason) => ({ reason })),
    stored: reasonOf,
  },
  {
    name: 'a cancellation reason in a change',
    field: 'cancel_reason',
    min: 0,
    max: 500,
    send: changing(cancelled),
    stored: reasonOf,
  },
];

describe.each(inputs)('$name', ({ field, min, max, send, stored }) => {
  const keeps = async (text: string) => stored((await send(text))._unsafeUnwrap().order) === text;
  const errorFor = async (text: unknown) => (await send(text))._unsafeUnwrapErr();

  it(`has from ${min} to ${max} characters`, async () => {
    expect(await keeps('x'.repeat(min))).toBe(true);
    expect(await keeps('x'.repeat(max))).toBe(true);
    expect(await errorFor('x'.repeat(max + 1))).toMatchObject(invalidFields(`${field}: too_long`));
    expect(await errorFor('x'.repeat(max * 3))).toMatchObject(invalidFields(`${field}: too_long`));
  });

  it('is limited in code points', async () => {
    expect(await keeps('🎁'.repeat(max))).toBe(true);
    expect(await keeps(`${'🎁'.repeat(max - 1)}x`)).toBe(true);
    expect(await errorFor('🎁'.repeat(max + 1))).toMatchObject(invalidFields(`${field}: too_long`));
    expect(await errorFor(`${'🎁'.repeat(max)}x`)).toMatchObject(invalidFields(`${field}: too_long`));
  });

  it('is stored unchanged, without trimming, normalisation or escaping', async () => {
    expect(await keeps(' \te\u0301\r\n')).toBe(true);
    expect(await keeps('\u0001\u001f\u007f\ufeff\uffff\u202e')).toBe(true);
    expect(await keeps(`'; drop table "orders" -- \\u0000`)).toBe(true);
  });

  it.each([5, true, {}, ['text']])('is rejected as %o', async (input) => {
    expect(await errorFor(input)).toMatchObject(invalidFields(`${field}: wrong_type`));
  });

  it.each([
    ['U+0000', 'a\0b'],
    ['U+0000 alone', '\0'],
    ['a lone high surrogate', 'a\ud83cb'],
    ['a lone low surrogate', '\udf81'],
    ['surrogates in the wrong order', '\udf81\ud83c'],
  ])('is rejected with %s', async (_, text) => {
    expect(await errorFor(text)).toMatchObject(invalidFields(`${field}: invalid_value`));
  });
});

describe('a required text', () => {
  const needed = inputs.filter(({ min }) => min > 0);

  it.each(needed)('is rejected if empty: $name', async ({ field, send }) => {
    expect((await send(''))._unsafeUnwrapErr()).toMatchObject(invalidFields(`${field}: too_short`));
  });

  it('is one of four fields', () => {
    expect(needed).toHaveLength(4);
  });
});

describe('text with a fixed set of values', () => {
  it.each(['\0', '\ud83c', 'EUR\0'])('is rejected as %j', async (text) => {
    const items = [aLine({ unit_price: { amount: 1, currency: text } })];
    const currency = invalidFields('items[0].unit_price.currency: invalid_value');
    expect(await fails(aDomain().placeOrder(OWNER, aBody({ items })))).toMatchObject(currency);
    const customer = invalidFields('customer_id: invalid_format');
    expect(await fails(aDomain().placeOrder(OWNER, aBody({ customer_id: text })))).toMatchObject(customer);
    const status = (await changing((word) => ({ status: word }))(text))._unsafeUnwrapErr();
    expect(status).toMatchObject(invalidFields('status: invalid_value'));
  });
});
