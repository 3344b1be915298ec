import { describe, expect, it, vi } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, fails, invalidFields, NOW, OWNER, succeeds } from './a-domain.ts';

/** Parses JSON as a client sends it. */
const json = (text: string): unknown => JSON.parse(text);

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

async function cancel(input: unknown) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return fails(domain.cancelOrder(OWNER, id, input));
}

describe('the input of a new order', () => {
  it.each([
    ['no items', {}, 'items: required'],
    ['null items', aBody({ items: null }), 'items: required'],
    ['items that are not an array', aBody({ items: { 0: aLine() } }), 'items: wrong_type'],
    ['an empty array of items', lines(0), 'items: too_short'],
    ['a hundred and one items', lines(101), 'items: too_long'],
    ['items without content', aBody({ items: Object.assign([], { length: 1 }) }), 'items[0]: wrong_type'],
    ['an item that is text', aBody({ items: ['MUG'] }), 'items[0]: wrong_type'],
    ['an item that is null', aBody({ items: [aLine(), null] }), 'items[1]: wrong_type'],
    ['an item that is an array', aBody({ items: [[]] }), 'items[0]: wrong_type'],
    ['an item without a sku', line({ sku: undefined }), 'items[0].sku: required'],
    ['an item with a null name', line({ name: null }), 'items[0].name: required'],
    ['an item without a quantity', line({ quantity: undefined }), 'items[0].quantity: required'],
    ['an item without a price', line({ unit_price: undefined }), 'items[0].unit_price: required'],
    ['a null price', line({ unit_price: null }), 'items[0].unit_price: required'],
    ['a price that is a number', line({ unit_price: 1999 }), 'items[0].unit_price: wrong_type'],
    ['a price that is an array', line({ unit_price: [1999, 'EUR'] }), 'items[0].unit_price: wrong_type'],
    ['a price without an amount', amount(undefined), 'items[0].unit_price.amount: required'],
    ['a price without a currency', currency(null), 'items[0].unit_price.currency: required'],
    ['a currency that is a number', currency(978), 'items[0].unit_price.currency: wrong_type'],
    ['a currency in lower case', currency('eur'), 'items[0].unit_price.currency: invalid_value'],
    ['a currency without prices', currency('XAU'), 'items[0].unit_price.currency: invalid_value'],
    ['an inherited member name as currency', currency('constructor'), 'items[0].unit_price.currency: invalid_value'],
    ['a customer_id that is a number', aBody({ customer_id: 7 }), 'customer_id: wrong_type'],
    ['a customer_id that is not a UUID', aBody({ customer_id: 'c-7' }), 'customer_id: invalid_format'],
    ['metadata that is an array', aBody({ metadata: [] }), 'metadata: wrong_type'],
    ['metadata that is text', aBody({ metadata: 'a=b' }), 'metadata: wrong_type'],
    ['metadata that is a Map', aBody({ metadata: new Map([['a', 'b']]) }), 'metadata: wrong_type'],
  ])('is rejected with %s', async (_, body, field) => {
    expect(await fails(place(body))).toMatchObject(invalidFields(field));
  });

  it.each([null, undefined, [], [aBody()], 'items', 5, true])('is rejected as a whole if it is %o', async (body) => {
    expect(await fails(place(body))).toMatchObject(invalidFields(': wrong_type'));
    expect(await change(body)).toMatchObject(invalidFields(': wrong_type'));
  });

  it('is rejected with unknown fields at every level', async () => {
    const error = await fails(
      place({ ...aBody({ items: [aLine({ color: 'blue', unit_price: { ...price, tax: 1 } })] }), colour: 'blue' }),
    );
    expect(error).toMatchObject(
      invalidFields('colour: unknown_field', 'items[0].color: unknown_field', 'items[0].unit_price.tax: unknown_field'),
    );
  });

  it('is rejected with fields that have the names of inherited members', async () => {
    const body = json('{"__proto__": {"items": []}, "constructor": 1, "toString": 2}');
    expect(await fails(place(body))).toMatchObject(
      invalidFields(
        '__proto__: unknown_field',
        'constructor: unknown_field',
        'toString: unknown_field',
        'items: required',
      ),
    );
  });

  it.each([
    'id',
    'status',
    'total',
    'cancel_reason',
    'available_transitions',
    'version',
    'created_at',
    'updated_at',
    'paid_at',
    'shipped_at',
    'delivered_at',
    'cancelled_at',
  ])('is rejected with the read-only field %s', async (field) => {
    expect(await fails(place(aBody({ [field]: null })))).toMatchObject(invalidFields(`${field}: read_only`));
  });

  it.each(['id', 'total'])('is rejected with the read-only field %s of an item', async (field) => {
    expect(await fails(place(line({ [field]: null })))).toMatchObject(invalidFields(`items[0].${field}: read_only`));
  });
});

const price = { amount: 1, currency: 'EUR' };

describe('the patch of an order', () => {
  it.each([
    ['an unknown field', { colour: 'blue' }, 'colour: unknown_field'],
    ['the reason under another member name', { reason: 'x' }, 'reason: unknown_field'],
    ['items', { items: [] }, 'items: read_only'],
    ['its id', { id: 'x' }, 'id: read_only'],
    ['its version', { version: 1 }, 'version: read_only'],
    ['its total', { total: price }, 'total: read_only'],
    ['its available transitions', { available_transitions: [] }, 'available_transitions: read_only'],
    ['a time', { cancelled_at: NOW }, 'cancelled_at: read_only'],
    ['a null status', { status: null }, 'status: required'],
    ['a status that is a number', { status: 2 }, 'status: wrong_type'],
    ['a status that is a list', { status: ['paid'] }, 'status: wrong_type'],
    ['an unknown status', { status: 'refunded' }, 'status: invalid_value'],
    ['a status in upper case', { status: 'PAID' }, 'status: invalid_value'],
    ['an inherited member name as status', { status: 'constructor' }, 'status: invalid_value'],
    ['a customer_id that is not a UUID', { customer_id: '' }, 'customer_id: invalid_format'],
    ['metadata that is an array', { metadata: [] }, 'metadata: wrong_type'],
    ['a reason without a status', { cancel_reason: 'x' }, 'cancel_reason: invalid_value'],
    ['a null reason without a status', { cancel_reason: null }, 'cancel_reason: invalid_value'],
    ['a reason with another status', { status: 'paid', cancel_reason: 'x' }, 'cancel_reason: invalid_value'],
  ])('is rejected with %s', async (_, patch, field) => {
    expect(await change(patch)).toMatchObject(invalidFields(field));
  });
});

describe('the input of a cancellation', () => {
  it.each([
    ['null as input', null, ': wrong_type'],
    ['text as input', 'please', ': wrong_type'],
    ['an array as input', [], ': wrong_type'],
    ['the reason under another member name', { cancel_reason: 'x' }, 'cancel_reason: unknown_field'],
    ['a status', { status: 'cancelled' }, 'status: unknown_field'],
  ])('is rejected with %s', async (_, input, field) => {
    expect(await cancel(input)).toMatchObject(invalidFields(field));
  });
});

describe('validation_failed', () => {
  it('lists all invalid fields together, each with a message', async () => {
    const body = {
      items: [aLine({ sku: '', quantity: 0 }), 7, aLine({ name: 5, unit_price: { amount: -1, currency: 'EURO' } })],
      customer_id: 'c-7',
      reference: '',
      note: 5,
      metadata: { 'a.b': 1, 'say "hi"': null },
      version: 3,
    };
    const error = await fails(place(body));
    expect(error).toMatchObject(
      invalidFields(
        'version: read_only',
        'items[0].sku: too_short',
        'items[0].quantity: out_of_range',
        'items[1]: wrong_type',
        'items[2].name: wrong_type',
        'items[2].unit_price.amount: out_of_range',
        'items[2].unit_price.currency: invalid_value',
        'customer_id: invalid_format',
        'reference: too_short',
        'note: wrong_type',
        'metadata["a.b"]: wrong_type',
        'metadata["say \\"hi\\""]: wrong_type',
      ),
    );
    const messages = 'errors' in error ? error.errors.map(({ message }) => message) : [];
    for (const message of messages) expect(message).toMatch(/^(must|is|cannot) /);
  });

  it('lists at most one hundred fields', async () => {
    const items = Array.from({ length: 100 }, () => aLine({ sku: '' }));
    const fields = items.map((_, index) => `items[${index}].sku: too_short`);
    expect(await fails(place({ items }))).toMatchObject(invalidFields(...fields));
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

describe('a new order', () => {
  it('may be an object without a prototype', async () => {
    const { order } = await succeeds(place(Object.assign(Object.create(null), aBody())));
    expect(order.items).toHaveLength(1);
  });

  it('may have from one to a hundred items', async () => {
    for (const count of [1, 100]) {
      const { order } = await succeeds(place(lines(count)));
      expect(order.items).toHaveLength(count);
    }
  });
});
