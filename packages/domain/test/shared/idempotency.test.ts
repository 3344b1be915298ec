import { IDEMPOTENCY_TTL_MS_DEFAULT } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const KEY = { idempotencyKey: 'key-1' };
const REUSED = { type: 'idempotency_key_reused' };

const json = (text: string): unknown => JSON.parse(text);

describe('the fingerprint of a new order', () => {
  const line = '{"sku": "a", "name": "b", "quantity": 1000, "unit_price": {"amount": 1, "currency": "EUR"}}';
  const body = `{"items": [${line}], "customer_id": "${CUSTOMER}", "metadata": {"a": "1", "b": "2", "10": "3"}}`;

  it.each([
    ['white space', body.replaceAll(' ', '\n\t ')],
    ['the order of metadata keys', body.replace('"a": "1", "b": "2"', '"b": "2", "a": "1"')],
    ['the order of fields', body.replace('"sku": "a", "name": "b"', '"name": "b", "sku": "a"')],
    ['the spelling of a number', body.replace('1000', '1e3')],
    ['the case of a UUID', body.replace(CUSTOMER, CUSTOMER.toUpperCase())],
    ['null instead of an absent member', body.replace('{"items"', '{"note": null, "reference": null, "items"')],
    ['a duplicate member, of which the last counts', body.replace('{"items"', '{"items": [], "items"')],
  ])('ignores %s', async (_, other) => {
    expect(other).not.toBe(body);
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, json(body), KEY));
    const again = await succeeds(domain.placeOrder(OWNER, json(other), KEY));
    expect(again).toEqual({ order, event: null, replayed: true });
  });

  it.each([
    ['a value of the metadata', body.replace('"a": "1"', '"a": "2"')],
    ['a key of the metadata', body.replace('"a": "1"', '"__proto__": "1"')],
    ['no metadata', body.replace(/, "metadata": \{.*?\}/, '')],
    ['no customer', body.replace(CUSTOMER, UNKNOWN_ID)],
    ['a note', body.replace('{"items"', '{"note": "n", "items"')],
    ['a quantity', body.replace('1000', '1001')],
    ['another line', body.replace(line, `${line}, ${line}`)],
  ])('differs for %s', async (_, other) => {
    expect(other).not.toBe(body);
    const domain = aDomain();
    await succeeds(domain.placeOrder(OWNER, json(body), KEY));
    expect(await fails(domain.placeOrder(OWNER, json(other), KEY))).toEqual(REUSED);
    expect(domain.events()).toHaveLength(1);
  });

  it('differs for another order of the lines', async () => {
    const domain = aDomain();
    const other = line.replace('"a"', '"c"');
    await succeeds(domain.placeOrder(OWNER, json(body.replace(line, `${line}, ${other}`)), KEY));
    const reordered = json(body.replace(line, `${other}, ${line}`));
    expect(await fails(domain.placeOrder(OWNER, reordered, KEY))).toEqual(REUSED);
  });
});

describe('the fingerprint of a change', () => {
  it('ignores the version precondition and the case of the id', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const patch = { status: 'paid', metadata: { a: '1', b: '2' } };
    const { order } = await succeeds(domain.changeOrder(OWNER, id, patch, { ...KEY, ifVersion: [1] }));
    const other = json('{"metadata": {"b": "2", "a": "1"}, "status": "paid"}');
    for (const options of [{}, { ifVersion: [1] }, { ifVersion: [9] }, { unlessVersion: 'any' }] as const) {
      const again = await succeeds(domain.changeOrder(OWNER, id.toUpperCase(), other, { ...KEY, ...options }));
      expect(again).toEqual({ order, event: null, replayed: true });
    }
  });

  it.each([
    ['no reason', {}, {}],
    ['a null reason', { reason: null }, {}],
    ['a reason', { reason: 'late' }, { cancel_reason: 'late' }],
  ])('is the same for cancelOrder and changeOrder with %s', async (_, input, patch) => {
    for (const first of ['cancel', 'patch']) {
      const domain = aDomain();
      const { id } = await aPlacedOrder(domain);
      const cancel = async () => await succeeds(domain.cancelOrder(OWNER, id, input, KEY));
      const change = async () => await succeeds(domain.changeOrder(OWNER, id, { status: 'cancelled', ...patch }, KEY));
      const { order } = await (first === 'cancel' ? cancel() : change());
      const again = await (first === 'cancel' ? change() : cancel());
      expect(again).toEqual({ order, event: null, replayed: true });
    }
  });

  it('differs for another cancellation reason', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    await succeeds(domain.cancelOrder(OWNER, id, { reason: 'late' }, KEY));
    expect(await fails(domain.cancelOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
    expect(await fails(domain.cancelOrder(OWNER, id, { reason: '' }, KEY))).toEqual(REUSED);
    expect(await fails(domain.changeOrder(OWNER, id, { status: 'cancelled' }, KEY))).toEqual(REUSED);
    const more = { status: 'cancelled', cancel_reason: 'late', note: 'n' };
    expect(await fails(domain.changeOrder(OWNER, id, more, KEY))).toEqual(REUSED);
  });

  it('differs for a cleared and an absent member', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    await succeeds(domain.changeOrder(OWNER, id, {}, KEY));
    for (const patch of [{ note: null }, { metadata: null }, { metadata: { a: null } }, { status: 'pending' }]) {
      expect(await fails(domain.changeOrder(OWNER, id, patch, KEY))).toEqual(REUSED);
    }
  });
});

describe('an idempotency key', () => {
  it('belongs to one command of all kinds', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    for (const id of [order.id, UNKNOWN_ID]) {
      expect(await fails(domain.changeOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await fails(domain.cancelOrder(OWNER, id, {}, KEY))).toEqual(REUSED);
      expect(await fails(domain.deleteOrder(OWNER, id, KEY))).toEqual(REUSED);
    }
    expect(await fails(domain.placeOrder(OWNER, aBody({ customer_id: UNKNOWN_ID }), KEY))).toEqual(REUSED);
    expect(await fails(domain.createCustomer(OWNER, { email: 'x@example.com' }, KEY))).toEqual(REUSED);
    expect(await fails(domain.deleteCustomer(OWNER, CUSTOMER, KEY))).toEqual(REUSED);
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it('is checked after the validation of the input', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    expect(await fails(domain.placeOrder(OWNER, {}, KEY))).toMatchObject(invalidFields('items: required'));
    const mixed = aBody({ items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] });
    expect((await fails(domain.placeOrder(OWNER, mixed, KEY))).type).toBe('currency_mismatch');
    const dear = aBody({ items: [aLine({ quantity: 1e6, unit_price: { amount: 1e12, currency: 'EUR' } })] });
    expect((await fails(domain.placeOrder(OWNER, dear, KEY))).type).toBe('amount_out_of_range');
    const change = domain.changeOrder(OWNER, order.id, { note: 5 }, KEY);
    expect(await fails(change)).toMatchObject(invalidFields('note: wrong_type'));
    const cancel = domain.cancelOrder(OWNER, order.id, { reason: 5 }, KEY);
    expect(await fails(cancel)).toMatchObject(invalidFields('reason: wrong_type'));
  });

  it.each([
    ['an invalid field', { note: 5 }],
    ['two currencies', { items: [aLine(), aLine({ unit_price: { amount: 1, currency: 'USD' } })] }],
    ['an unknown customer', { customer_id: UNKNOWN_ID }],
    ['the reference of another order', { reference: 'PO-1' }],
  ])('is usable for the corrected input after %s', async (_, fields) => {
    const domain = aDomain();
    await aPlacedOrder(domain, { reference: 'PO-1' });
    expect((await domain.placeOrder(OWNER, aBody(fields), KEY)).isErr()).toBe(true);
    expect((await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed).toBe(false);
  });

  it('expires after a day by default, counted from its first use', async () => {
    expect(IDEMPOTENCY_TTL_MS_DEFAULT).toBe(86_400_000);
    const domain = aDomain();
    const place = async () => (await succeeds(domain.placeOrder(OWNER, aBody(), KEY))).replayed;
    expect(await place()).toBe(false);
    domain.clock.advance(IDEMPOTENCY_TTL_MS_DEFAULT / 2);
    expect(await place()).toBe(true);
    domain.clock.advance(IDEMPOTENCY_TTL_MS_DEFAULT / 2 - 1);
    expect(await place()).toBe(true);
    domain.clock.advance(1);
    expect(await place()).toBe(false);
  });

  it('expires exactly when the embedder says, and is free for any command then', async () => {
    const domain = aDomain({ idempotencyTtlMs: 1000 });
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    domain.clock.advance(999);
    expect(await fails(domain.cancelOrder(OWNER, order.id, {}, KEY))).toEqual(REUSED);
    domain.clock.advance(1);
    expect((await succeeds(domain.cancelOrder(OWNER, order.id, {}, KEY))).replayed).toBe(false);
  });
});
