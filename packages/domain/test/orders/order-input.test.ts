import { describe, expect, it, vi } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  aPlacedOrder,
  fails,
  invalidFields,
  NOW,
  OWNER,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const place = (input: unknown) => aDomain().placeOrder(OWNER, input);
const line = (fields: Readonly<Record<string, unknown>>) => aBody({ items: [aLine(fields)] });
const lines = (count: number) => aBody({ items: Array.from({ length: count }, () => aLine()) });
const amount = (value: unknown) => line({ unit_price: { amount: value, currency: 'EUR' } });
const currency = (value: unknown) => line({ unit_price: { amount: 1, currency: value } });

async function change(patch: unknown) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return fails(domain.changeOrder(OWNER, id, patch));
}

const STATUSES = 'pending, paid, shipped, delivered, cancelled';
const CURRENCY = 'items[0].unit_price.currency: invalid_value (must be an ISO 4217 currency code in upper case)';
const UNPAIRED = 'cancel_reason: invalid_value (can be set only together with status cancelled)';
const READ_ONLY = [
  ['id', 'status', 'total', 'cancel_reason', 'available_transitions', 'version', 'created_at', 'updated_at'],
  ['paid_at', 'shipped_at', 'delivered_at', 'cancelled_at'],
].flat();

describe('the input of a new order', () => {
  it.each<readonly [string, unknown, string]>([
    ['no items', {}, 'items: required (is required)'],
    ['null items', aBody({ items: null }), 'items: required'],
    ['items that are not an array', aBody({ items: { 0: aLine() } }), 'items: wrong_type (must be an array)'],
    ['an empty array of items', lines(0), 'items: too_short (must have at least 1 item)'],
    ['a hundred and one items', lines(101), 'items: too_long (must have at most 100 items)'],
    ['items without content', aBody({ items: Object.assign([], { length: 1 }) }), 'items[0]: wrong_type'],
    ['an item that is text', aBody({ items: ['MUG'] }), 'items[0]: wrong_type (must be an object)'],
    ['an item that is null', aBody({ items: [aLine(), null] }), 'items[1]: wrong_type'],
    ['an item that is an array', aBody({ items: [[]] }), 'items[0]: wrong_type'],
    ['an item without a sku', line({ sku: undefined }), 'items[0].sku: required'],
    ['an item with a null name', line({ name: null }), 'items[0].name: required'],
    ['an item without a quantity', line({ quantity: undefined }), 'items[0].quantity: required'],
    ['an item without a price', line({ unit_price: undefined }), 'items[0].unit_price: required'],
    ['a null price', line({ unit_price: null }), 'items[0].unit_price: required'],
    [
      'a price that is a number',
      line({ unit_price: 1999 }),
      'items[0].unit_price: wrong_type (must be an object with amount and currency)',
    ],
    ['a price that is an array', line({ unit_price: [1999, 'EUR'] }), 'items[0].unit_price: wrong_type'],
    ['a price without an amount', amount(undefined), 'items[0].unit_price.amount: required'],
    ['a price without a currency', currency(null), 'items[0].unit_price.currency: required'],
    ['a currency that is a number', currency(978), 'items[0].unit_price.currency: wrong_type (must be a string)'],
    ['a currency in lower case', currency('eur'), CURRENCY],
    ['a currency without prices', currency('XAU'), CURRENCY],
    ['a currency that is no text', currency('\0'), CURRENCY],
    ['an inherited member name as currency', currency('constructor'), CURRENCY],
    ['a customer_id that is a number', aBody({ customer_id: 7 }), 'customer_id: wrong_type (must be a string)'],
    ['a customer_id that is not a UUID', aBody({ customer_id: 'c-7' }), 'customer_id: invalid_format (must be a UUID)'],
    [
      'an unknown customer_id',
      aBody({ customer_id: UNKNOWN_ID }),
      'customer_id: not_found (must be the id of an existing customer)',
    ],
    ['metadata that is an array', aBody({ metadata: [] }), 'metadata: wrong_type (must be an object)'],
    ['metadata that is text', aBody({ metadata: 'a=b' }), 'metadata: wrong_type'],
    ['metadata that is a Map', aBody({ metadata: new Map([['a', 'b']]) }), 'metadata: wrong_type'],
    ['an unknown field', aBody({ colour: 'red' }), 'colour: unknown_field (is not a known field)'],
    ...READ_ONLY.map((name) => [`its ${name}`, aBody({ [name]: null }), `${name}: read_only (is read-only)`] as const),
    ['the id of an item', line({ id: null }), 'items[0].id: read_only'],
    ['the total of an item', line({ total: null }), 'items[0].total: read_only'],
  ])('is rejected with %s', async (_, body, field) => {
    expect(await fails(place(body))).toMatchObject(invalidFields(field));
  });

  it.each([null, undefined, [], [aBody()], 'items', 5, true])('is rejected as a whole if it is %o', async (body) => {
    expect(await fails(place(body))).toMatchObject(invalidFields(': wrong_type (must be an object)'));
    expect(await change(body)).toMatchObject(invalidFields(': wrong_type (must be an object)'));
  });

  it('is rejected with unknown fields at every level, also those with the names of inherited members', async () => {
    const unit_price = { amount: 1, currency: 'EUR', tax: 1 };
    const inherited = Object.fromEntries<unknown>([
      ['__proto__', { items: [] }],
      ['constructor', 1],
    ]);
    expect(
      await fails(place({ ...aBody({ items: [aLine({ color: 'blue', unit_price })] }), ...inherited })),
    ).toMatchObject(
      invalidFields(
        '__proto__: unknown_field',
        'constructor: unknown_field',
        'items[0].color: unknown_field',
        'items[0].unit_price.tax: unknown_field',
      ),
    );
  });

  it('may be an object without a prototype, with a hundred items', async () => {
    const placed = await place(Object.assign(Object.create(null), lines(100)));
    expect(placed._unsafeUnwrap().order.items).toHaveLength(100);
  });
});

describe('the patch of an order', () => {
  it.each([
    ['an unknown field', { colour: 'blue' }, 'colour: unknown_field'],
    ['the reason under another member name', { reason: 'x' }, 'reason: unknown_field'],
    ['items', { items: [] }, 'items: read_only'],
    ['its id', { id: 'x' }, 'id: read_only'],
    ['its total', { total: { amount: 1, currency: 'EUR' } }, 'total: read_only'],
    ['its available transitions', { available_transitions: [] }, 'available_transitions: read_only'],
    ['a time', { cancelled_at: NOW }, 'cancelled_at: read_only'],
    ['a null status', { status: null }, 'status: required (cannot be cleared)'],
    ['a status that is a number', { status: 2 }, 'status: wrong_type (must be a string)'],
    ['a status that is a list', { status: ['paid'] }, 'status: wrong_type'],
    ['an unknown status', { status: 'refunded' }, `status: invalid_value (must be one of ${STATUSES})`],
    ['a status in upper case', { status: 'PAID' }, 'status: invalid_value'],
    ['an inherited member name as status', { status: 'constructor' }, 'status: invalid_value'],
    ['a customer_id that is not a UUID', { customer_id: '' }, 'customer_id: invalid_format'],
    ['metadata that is an array', { metadata: [] }, 'metadata: wrong_type (must be an object or null)'],
    ['a reason without a status', { cancel_reason: 'x' }, UNPAIRED],
    ['a null reason without a status', { cancel_reason: null }, UNPAIRED],
    ['a reason with another status', { status: 'paid', cancel_reason: 'x' }, UNPAIRED],
  ])('is rejected with %s', async (_, patch, field) => {
    expect(await change(patch)).toMatchObject(invalidFields(field));
  });
});

describe('the input of a cancellation', () => {
  it.each([
    ['null as input', null, ': wrong_type (must be an object)'],
    ['text as input', 'please', ': wrong_type'],
    ['an array as input', [], ': wrong_type'],
    ['the reason under another member name', { cancel_reason: 'x' }, 'cancel_reason: unknown_field'],
    ['a status', { status: 'cancelled' }, 'status: unknown_field'],
  ])('is rejected with %s', async (_, input, field) => {
    expect(await fails(aDomain().cancelOrder(OWNER, UNKNOWN_ID, input))).toMatchObject(invalidFields(field));
  });
});

describe('validation_failed', () => {
  it('lists all invalid fields together', async () => {
    const body = {
      items: [aLine({ sku: '', quantity: 0 }), 7, aLine({ name: 5, unit_price: { amount: -1, currency: 'EURO' } })],
      customer_id: 'c-7',
      reference: '',
      note: 5,
      metadata: { 'a.b': 1, 'say "hi"': null },
      version: 3,
    };
    expect(await fails(place(body))).toMatchObject(
      invalidFields(
        'version: read_only',
        'items[0].sku: too_short (must have at least 1 character)',
        'items[0].quantity: out_of_range (must be from 1 to 1000000)',
        'items[1]: wrong_type',
        'items[2].name: wrong_type',
        'items[2].unit_price.amount: out_of_range',
        'items[2].unit_price.currency: invalid_value',
        'customer_id: invalid_format',
        'reference: too_short',
        'note: wrong_type',
        'metadata["a.b"]: wrong_type',
        'metadata["say \\"hi\\""]: wrong_type (must be a string)',
      ),
    );
  });

  it('lists at most one hundred fields', async () => {
    const items = Array.from({ length: 100 }, () => aLine({ sku: '' }));
    const fields = items.map((_, index) => `items[${index}].sku: too_short`);
    expect(await fails(place({ items, note: 5 }))).toMatchObject(invalidFields(...fields));
  });

  it('reads no further members after a hundred invalid fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, 1]));
    const body = { ...unknown, items: Array.from({ length: 100 }, () => aLine(unknown)), metadata: { '': 1 } };
    const domain = aDomain();
    const lookups = vi.spyOn(Array.prototype, 'includes');
    const failed = domain.placeOrder(OWNER, body);
    const count = lookups.mock.calls.length;
    lookups.mockRestore();
    expect(count).toBeLessThanOrEqual(2 * 100);
    const fields = Array.from({ length: 100 }, (_, index) => `m${index}: unknown_field`);
    expect(await fails(failed)).toMatchObject(invalidFields(...fields));
  });
});
