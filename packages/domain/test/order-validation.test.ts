import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, aPlacedOrder, badFields, NOW, OWNER, refuses, succeeds } from './a-domain.ts';

/** Input as a client sends it. */
const json = (text: string): unknown => JSON.parse(text);

const place = (input: unknown) => aDomain().placeOrder(OWNER, input);
const line = (fields: Readonly<Record<string, unknown>>) => aBody({ items: [aLine(fields)] });
const lines = (count: number) => aBody({ items: Array.from({ length: count }, () => aLine()) });
const amount = (value: unknown) => line({ unit_price: { amount: value, currency: 'EUR' } });
const currency = (value: unknown) => line({ unit_price: { amount: 1, currency: value } });

async function change(patch: unknown) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return refuses(domain.changeOrder(OWNER, id, patch));
}

async function cancel(input: unknown) {
  const domain = aDomain();
  const { id } = await aPlacedOrder(domain);
  return refuses(domain.cancelOrder(OWNER, id, input));
}

describe('a request for an order is refused', () => {
  it.each([
    ['no items', {}, 'items: required'],
    ['null items', aBody({ items: null }), 'items: required'],
    ['items that are no array', aBody({ items: { 0: aLine() } }), 'items: wrong_type'],
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
    ['a currency nobody is charged in', currency('XAU'), 'items[0].unit_price.currency: invalid_value'],
    ['a member of every object for a currency', currency('constructor'), 'items[0].unit_price.currency: invalid_value'],
    ['a customer_id that is a number', aBody({ customer_id: 7 }), 'customer_id: wrong_type'],
    ['a customer_id that is no UUID', aBody({ customer_id: 'c-7' }), 'customer_id: invalid_format'],
    ['metadata that is an array', aBody({ metadata: [] }), 'metadata: wrong_type'],
    ['metadata that is text', aBody({ metadata: 'a=b' }), 'metadata: wrong_type'],
    ['metadata that is a Map', aBody({ metadata: new Map([['a', 'b']]) }), 'metadata: wrong_type'],
  ])('with %s', async (_, body, field) => {
    expect(await refuses(place(body))).toMatchObject(badFields(field));
  });

  it.each([null, undefined, [], [aBody()], 'items', 5, true])('that is %o, naming the body itself', async (body) => {
    expect(await refuses(place(body))).toMatchObject(badFields(': wrong_type'));
    expect(await change(body)).toMatchObject(badFields(': wrong_type'));
  });

  it('with an unknown field, wherever it is', async () => {
    const refusal = await refuses(
      place({ ...aBody({ items: [aLine({ color: 'blue', unit_price: { ...price, tax: 1 } })] }), colour: 'blue' }),
    );
    expect(refusal).toMatchObject(
      badFields('colour: unknown_field', 'items[0].color: unknown_field', 'items[0].unit_price.tax: unknown_field'),
    );
  });

  it('with a field that every object has by nature, when it is sent', async () => {
    const body = json('{"__proto__": {"items": []}, "constructor": 1, "toString": 2}');
    expect(await refuses(place(body))).toMatchObject(
      badFields('__proto__: unknown_field', 'constructor: unknown_field', 'toString: unknown_field', 'items: required'),
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
  ])('with %s, which the system sets', async (field) => {
    expect(await refuses(place(aBody({ [field]: null })))).toMatchObject(badFields(`${field}: read_only`));
  });

  it.each(['id', 'total'])('with the %s of an item, which the system sets', async (field) => {
    expect(await refuses(place(line({ [field]: null })))).toMatchObject(badFields(`items[0].${field}: read_only`));
  });
});

const price = { amount: 1, currency: 'EUR' };

describe('a request to change an order is refused', () => {
  it.each([
    ['an unknown field', { colour: 'blue' }, 'colour: unknown_field'],
    ['the reason under the name of the other door', { reason: 'x' }, 'reason: unknown_field'],
    ['items', { items: [] }, 'items: read_only'],
    ['its id', { id: 'x' }, 'id: read_only'],
    ['its version', { version: 1 }, 'version: read_only'],
    ['its total', { total: price }, 'total: read_only'],
    ['what it may become', { available_transitions: [] }, 'available_transitions: read_only'],
    ['a time', { cancelled_at: NOW }, 'cancelled_at: read_only'],
    ['a null status', { status: null }, 'status: required'],
    ['a status that is a number', { status: 2 }, 'status: wrong_type'],
    ['a status that is a list', { status: ['paid'] }, 'status: wrong_type'],
    ['an unknown status', { status: 'refunded' }, 'status: invalid_value'],
    ['a status in upper case', { status: 'PAID' }, 'status: invalid_value'],
    ['a member of every object for a status', { status: 'constructor' }, 'status: invalid_value'],
    ['a customer_id that is no UUID', { customer_id: '' }, 'customer_id: invalid_format'],
    ['metadata that is an array', { metadata: [] }, 'metadata: wrong_type'],
    ['a reason without a status', { cancel_reason: 'x' }, 'cancel_reason: invalid_value'],
    ['a null reason without a status', { cancel_reason: null }, 'cancel_reason: invalid_value'],
    ['a reason with another status', { status: 'paid', cancel_reason: 'x' }, 'cancel_reason: invalid_value'],
  ])('with %s', async (_, patch, field) => {
    expect(await change(patch)).toMatchObject(badFields(field));
  });
});

describe('a request to cancel an order is refused', () => {
  it.each([
    ['null for a body', null, ': wrong_type'],
    ['text for a body', 'please', ': wrong_type'],
    ['an array for a body', [], ': wrong_type'],
    ['the reason under the name of the other door', { cancel_reason: 'x' }, 'cancel_reason: unknown_field'],
    ['a status', { status: 'cancelled' }, 'status: unknown_field'],
  ])('with %s', async (_, input, field) => {
    expect(await cancel(input)).toMatchObject(badFields(field));
  });
});

describe('a refusal', () => {
  it('names every bad field at once, each with a sentence', async () => {
    const body = {
      items: [aLine({ sku: '', quantity: 0 }), 7, aLine({ name: 5, unit_price: { amount: -1, currency: 'EURO' } })],
      customer_id: 'c-7',
      reference: '',
      note: 5,
      metadata: { 'a.b': 1, 'say "hi"': null },
      version: 3,
    };
    const refusal = await refuses(place(body));
    expect(refusal).toMatchObject(
      badFields(
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
    const messages = 'errors' in refusal ? refusal.errors.map(({ message }) => message) : [];
    for (const message of messages) expect(message).toMatch(/^(must|is|cannot) /);
  });

  it('names at most a hundred', async () => {
    const items = Array.from({ length: 100 }, () => aLine({ sku: '' }));
    const fields = items.map((_, index) => `items[${index}].sku: too_short`);
    expect(await refuses(place({ items }))).toMatchObject(badFields(...fields));
    expect(await refuses(place({ items, note: 5 }))).toMatchObject(badFields(...fields));
  });
});

describe('an order', () => {
  it('may be asked for with an object that has no prototype', async () => {
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
