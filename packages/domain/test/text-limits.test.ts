import type { Order, OrderWritten } from '@orders/domain';
import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, badFields, OWNER, refuses } from './a-domain.ts';

/** Somewhere that text comes in. */
interface Door {
  readonly door: string;
  /** How a refusal names it. */
  readonly field: string;
  readonly min: number;
  readonly max: number;
  readonly send: (text: unknown) => Promise<Result<OrderWritten, unknown>>;
  /** What an order has of it. */
  readonly kept: (order: Order) => unknown;
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

const doors: readonly Door[] = [
  {
    door: 'the sku of an item',
    field: 'items[0].sku',
    min: 1,
    max: 64,
    send: placing(sku),
    kept: (order) => order.items[0]?.sku,
  },
  {
    door: 'the name of an item',
    field: 'items[0].name',
    min: 1,
    max: 255,
    send: placing(name),
    kept: (order) => order.items[0]?.name,
  },
  { door: 'a reference', field: 'reference', min: 1, max: 64, send: placing(reference), kept: referenceOf },
  { door: 'a new reference', field: 'reference', min: 1, max: 64, send: changing(reference), kept: referenceOf },
  { door: 'a note', field: 'note', min: 0, max: 2000, send: placing(note), kept: noteOf },
  { door: 'a new note', field: 'note', min: 0, max: 2000, send: changing(note), kept: noteOf },
  { door: 'a metadata value', field: 'metadata["a.b"]', min: 0, max: 500, send: placing(value), kept: valueOf },
  { door: 'a new metadata value', field: 'metadata["a.b"]', min: 0, max: 500, send: changing(value), kept: valueOf },
  {
    door: 'a reason to cancel',
    field: 'reason',
    min: 0,
    max: 500,
    send: cancelling((reason) => ({ reason })),
    kept: reasonOf,
  },
  {
    door: 'a reason in a change',
    field: 'cancel_reason',
    min: 0,
    max: 500,
    send: changing(cancelled),
    kept: reasonOf,
  },
];

describe.each(doors)('$door', ({ field, min, max, send, kept }) => {
  const keeps = async (text: string) => kept((await send(text))._unsafeUnwrap().order) === text;
  const refusal = async (text: unknown) => (await send(text))._unsafeUnwrapErr();

  it(`has from ${min} to ${max} characters`, async () => {
    expect(await keeps('x'.repeat(min))).toBe(true);
    expect(await keeps('x'.repeat(max))).toBe(true);
    expect(await refusal('x'.repeat(max + 1))).toMatchObject(badFields(`${field}: too_long`));
    expect(await refusal('x'.repeat(max * 3))).toMatchObject(badFields(`${field}: too_long`));
  });

  it('is measured in code points', async () => {
    expect(await keeps('🎁'.repeat(max))).toBe(true);
    expect(await keeps(`${'🎁'.repeat(max - 1)}x`)).toBe(true);
    expect(await refusal('🎁'.repeat(max + 1))).toMatchObject(badFields(`${field}: too_long`));
    expect(await refusal(`${'🎁'.repeat(max)}x`)).toMatchObject(badFields(`${field}: too_long`));
  });

  it('is kept as it is: no space trimmed, no letter composed, nothing escaped', async () => {
    expect(await keeps(' \te\u0301\r\n')).toBe(true);
    expect(await keeps('\u0001\u001f\u007f\ufeff\uffff\u202e')).toBe(true);
    expect(await keeps(`'; drop table "orders" -- \\u0000`)).toBe(true);
  });

  it.each([5, true, {}, ['text']])('is text, not %o', async (input) => {
    expect(await refusal(input)).toMatchObject(badFields(`${field}: wrong_type`));
  });

  it.each([
    ['U+0000', 'a\0b'],
    ['U+0000 alone', '\0'],
    ['a high surrogate alone', 'a\ud83cb'],
    ['a low surrogate alone', '\udf81'],
    ['surrogates in the wrong order', '\udf81\ud83c'],
  ])('does not hold %s', async (_, text) => {
    expect(await refusal(text)).toMatchObject(badFields(`${field}: invalid_value`));
  });
});

describe('text that may not be empty', () => {
  const needed = doors.filter(({ min }) => min > 0);

  it.each(needed)('is $door', async ({ field, send }) => {
    expect((await send(''))._unsafeUnwrapErr()).toMatchObject(badFields(`${field}: too_short`));
  });

  it('is that of four doors', () => {
    expect(needed).toHaveLength(4);
  });
});

describe('text that is one of a few words', () => {
  it.each(['\0', '\ud83c', 'EUR\0'])('is not %j', async (text) => {
    const items = [aLine({ unit_price: { amount: 1, currency: text } })];
    const currency = badFields('items[0].unit_price.currency: invalid_value');
    expect(await refuses(aDomain().placeOrder(OWNER, aBody({ items })))).toMatchObject(currency);
    const customer = badFields('customer_id: invalid_format');
    expect(await refuses(aDomain().placeOrder(OWNER, aBody({ customer_id: text })))).toMatchObject(customer);
    const status = (await changing((word) => ({ status: word }))(text))._unsafeUnwrapErr();
    expect(status).toMatchObject(badFields('status: invalid_value'));
  });
});
