import type { Order, OrderWritten } from '@orders/domain';
import type { Result } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, invalidFields, OWNER } from '../fixtures/a-domain.ts';

type Body = (text: unknown) => Readonly<Record<string, unknown>>;
type Send = (text: unknown) => Promise<Result<OrderWritten, unknown>>;

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

const reference: Body = (text) => ({ reference: text });
const externalId: Body = (id) => ({ external_ids: { erp: [id] } });
const note: Body = (text) => ({ note: text });
const value: Body = (text) => ({ metadata: { 'a.b': text } });
const cancelled: Body = (text) => ({ status: 'cancelled', cancel_reason: text });

const skuOf = (order: Order) => order.items[0]?.sku;
const nameOf = (order: Order) => order.items[0]?.name;
const referenceOf = (order: Order) => order.reference;
const externalIdOf = (order: Order) => order.external_ids['erp']?.[0];
const noteOf = (order: Order) => order.note;
const valueOf = (order: Order) => order.metadata['a.b'];
const reasonOf = (order: Order) => order.cancel_reason;

/** Texts of the inputs of use cases: their path in errors, their limits, how they are sent, and where they are stored. */
type TextField = readonly [field: string, min: number, max: number, send: Send, stored: (order: Order) => unknown];

const FIELDS: readonly (readonly [name: string, ...TextField])[] = [
  ['the SKU of an item', 'items[0].sku', 1, 64, placing((sku) => ({ items: [aLine({ sku })] })), skuOf],
  ['the name of an item', 'items[0].name', 1, 255, placing((name) => ({ items: [aLine({ name })] })), nameOf],
  ['a reference', 'reference', 1, 64, placing(reference), referenceOf],
  ['a changed reference', 'reference', 1, 64, changing(reference), referenceOf],
  ['an external id', 'external_ids["erp"][0]', 1, 255, placing(externalId), externalIdOf],
  ['a changed external id', 'external_ids["erp"][0]', 1, 255, changing(externalId), externalIdOf],
  ['a note', 'note', 0, 2000, placing(note), noteOf],
  ['a changed note', 'note', 0, 2000, changing(note), noteOf],
  ['a metadata value', 'metadata["a.b"]', 0, 500, placing(value), valueOf],
  ['a changed metadata value', 'metadata["a.b"]', 0, 500, changing(value), valueOf],
  ['a cancellation reason', 'reason', 0, 500, cancelling((reason) => ({ reason })), reasonOf],
  ['a cancellation reason in a change', 'cancel_reason', 0, 500, changing(cancelled), reasonOf],
];

const PARTIES = [
  ['buyer', { name: 255, company: 255, phone: 40, tax_id: 40 }],
  [
    'shipping_address',
    { name: 255, company: 255, line1: 255, line2: 255, city: 100, region: 100, postal_code: 20, phone: 40 },
  ],
] as const;

const MEMBERS = PARTIES.flatMap(([field, lengths]) =>
  Object.entries(lengths).map(([name, max]): (typeof FIELDS)[number] => {
    const body: Body = (text) => ({ [field]: { ...(field !== 'buyer' && { country: 'DE' }), [name]: text } });
    const stored = (order: Order): unknown => Reflect.get(order[field] ?? {}, name);
    return [`the ${name} of a ${field}`, `${field}.${name}`, 1, max, placing(body), stored];
  }),
);

const ALL = [...FIELDS, ...MEMBERS];

describe.each(ALL)('%s', (_, field, min, max, send, stored) => {
  const keeps = async (text: string) => stored((await send(text))._unsafeUnwrap().order) === text;
  const errorFor = async (text: unknown) => (await send(text))._unsafeUnwrapErr();
  const invalid = (code: string) => invalidFields(`${field}: ${code}`);

  it(`has from ${min} to ${max} code points`, async () => {
    const kept = ['x'.repeat(min), 'x'.repeat(max), '🎁'.repeat(max), `${'🎁'.repeat(max - 1)}x`];
    for (const text of kept) expect(await keeps(text)).toBe(true);
    const rejected = ['x'.repeat(max + 1), 'x'.repeat(max * 3), '🎁'.repeat(max + 1), `${'🎁'.repeat(max)}x`];
    for (const text of rejected)
      expect(await errorFor(text)).toMatchObject(invalid(`too_long (must have at most ${max} characters)`));
  });

  it('is stored unchanged, without trimming, normalisation or escaping', async () => {
    for (const text of [' \te\u0301\r\n', '\u0001\u001f\u007f\ufeff\uffff\u202e', `'; drop table "orders" -- \\u0000`])
      expect(await keeps(text.slice(0, max))).toBe(true);
  });

  it('is text that can be stored', async () => {
    for (const input of [5, true, {}, ['text']])
      expect(await errorFor(input)).toMatchObject(invalid('wrong_type (must be a string)'));
    for (const text of ['a\0b', '\0'])
      expect(await errorFor(text)).toMatchObject(invalid('invalid_value (must not contain U+0000)'));
    for (const text of ['a\ud83cb', '\udf81', '\udf81\ud83c'])
      expect(await errorFor(text)).toMatchObject(invalid('invalid_value (must not contain a lone surrogate)'));
  });
});

it.each(ALL.filter(([, , min]) => min > 0))('%s is not empty', async (_, field, _min, _max, send) => {
  const error = invalidFields(`${field}: too_short (must have at least 1 character)`);
  expect((await send(''))._unsafeUnwrapErr()).toMatchObject(error);
});
