import { describe, expect, it } from 'vitest';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { anApi, anApiOf } from '../fixtures/an-api.ts';
import { aNewItem, aNewOrder } from '../fixtures/new-orders.ts';

/** A character outside of the basic plane in the longest form that JSON has, until {@link escaped} finishes it. */
const WIDE = '\u{1F4E6}';
const text = (length: number) => WIDE.repeat(length);
/** Returns JSON in which each such character takes twelve bytes. */
const escaped = (value: unknown) => JSON.stringify(value).replaceAll(WIDE, String.raw`\ud83d\udce6`);

const METADATA = Object.fromEntries(
  Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(2, '-') + text(38), text(500)]),
);
/** Those of 100 items have 16,300 bytes as JSON, and 16 KiB are allowed. */
const ITEM_METADATA = { a: text(36), b: 'xxxx' };
const LARGEST_ITEM = aNewItem({ sku: text(64), name: text(255), quantity: 1_000_000, metadata: ITEM_METADATA });
const ADDRESS = {
  ...Object.fromEntries(['name', 'company', 'line1', 'line2'].map((name) => [name, text(255)])),
  city: text(100),
  region: text(100),
  postal_code: text(20),
  phone: text(40),
  country: 'DE',
};
const PARTIES = {
  external_ids: { ['s'.repeat(40)]: Array.from({ length: 20 }, (_, n) => `${n}`.padEnd(2, '-') + text(253)) },
  buyer: { name: text(255), company: text(255), email: `${text(250)}@${text(3)}`, phone: text(40), tax_id: text(40) },
  shipping_address: ADDRESS,
  billing_address: ADDRESS,
};
const LARGEST_ADJUSTMENT = {
  type: 'shipping',
  name: text(255),
  amount: { amount: 1_000_000_000_000, currency: 'EUR' },
  included: false,
  item: 99,
};
const LARGEST_ORDER = aNewOrder({
  items: Array(100).fill(LARGEST_ITEM),
  adjustments: Array(100).fill(LARGEST_ADJUSTMENT),
  reference: text(64),
  ...PARTIES,
  note: text(2000),
  metadata: METADATA,
});
/** Replaces all metadata. */
const LARGEST_PATCH = {
  note: text(2000),
  reference: text(63),
  ...PARTIES,
  metadata: { ...METADATA, ...Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`old-${n}`, null])) },
};

const headers = { 'content-type': 'application/json' };

describe('a body', () => {
  it('is accepted at its largest, with every character escaped', async () => {
    const { acme } = await anApi();
    const placed = await acme.send({ method: 'POST', url: '/v1/orders', headers, payload: escaped(LARGEST_ORDER) });
    expect(placed.status).toBe(201);
    const { url } = await acme.place();
    const changed = await acme.send({ method: 'PATCH', url, headers, payload: escaped(LARGEST_PATCH) });
    expect(changed.status).toBe(200);
    const payload = escaped({ email: `${text(250)}@${text(3)}`, name: text(255), metadata: METADATA });
    expect((await acme.send({ method: 'POST', url: '/v1/customers', headers, payload })).status).toBe(201);
  });

  it.each([
    ['POST', '/v1/orders', 1_336_466],
    ['PATCH', '/v1/orders/019b0000-ffff-7000-8000-000000000000', 803_334],
    ['POST', '/v1/customers', 330_630],
    ['POST', '/v1/orders/019b0000-ffff-7000-8000-000000000000/cancel', 449_852],
    ['POST', '/v1/webhook_endpoints/019b0000-ffff-7000-8000-000000000000/secrets', 65_536],
  ] as const)('is read up to what a valid one can need: %s %s', async (method, url, limit) => {
    const { acme } = await anApi();
    const send = (bytes: number) => acme.send({ method, url, headers, payload: '{}'.padEnd(bytes) });
    expect((await send(limit)).status).not.toBe(413);
    const response = await send(limit + 1);
    expect(response).toMatchObject({ status: 413, body: { detail: `The body must be at most ${limit} bytes.` } });
  });

  // None of these is valid JSON, so that a parser has not seen it.
  it.each([
    ['lists', '['],
    ['objects in lists', '[{"a":'],
    ['items', '{"items":[[', '['],
    ['metadata', '{"metadata":{"a":', '{"a":'],
  ])('is rejected before it is parsed if it is nested too deeply: %s', async (_, first, more = first) => {
    const { acme } = await anApi();
    const response = await acme.send({ method: 'POST', url: '/v1/orders', headers, payload: first + more.repeat(1e5) });
    const errors = [{ field: '', code: 'invalid_value', message: 'must be nested at most 33 times' }];
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
  });

  it('may be nested as deeply as custom data', async () => {
    const { acme } = await anApiOf(BAKERY);
    const lists = (depth: number) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
    const fields = async (depth: number) => (await acme.post('/v1/orders', aNewOrder({ custom: lists(depth) }))).text;
    expect(await fields(32)).toContain('"field":"custom.0","message":"is unknown"');
    expect(await fields(33)).toContain('"field":"","message":"must be nested at most 33 times"');
  });

  it.each([
    ['unknown members', 7582, Array.from({ length: 70_000 }, (_, n) => `"f${n}":1`).join()],
    ['items', 7582, `"items":[${'1,'.repeat(300_000)}`],
    ['metadata', 7582, `"metadata":{${Array.from({ length: 50_000 }, (_, n) => `"${n}":null`).join()}`],
  ])('is rejected before it is parsed if it has too many members and elements: %s', async (_, most, members) => {
    const { acme } = await anApi();
    const response = await acme.send({ method: 'POST', url: '/v1/orders', headers, payload: `{${members}` });
    const errors = [{ field: '', code: 'too_long', message: `must have at most ${most} members and elements` }];
    expect(response).toMatchObject({ status: 422, body: { code: 'validation_failed', errors } });
  });

  it('may have as many elements as custom data has room for', async () => {
    const { acme } = await anApiOf(BAKERY);
    const response = await acme.post('/v1/orders', aNewOrder({ custom: Array(8000).fill(0) }));
    expect(response).toMatchObject({ status: 422, body: { errors: [{ field: 'custom.0', code: 'unknown_field' }] } });
  });

  it('has characters that count neither as members nor as nesting inside of text', async () => {
    const { acme } = await anApi();
    const note = `${'[{,'.repeat(600)}\\"`;
    expect((await acme.post('/v1/orders', aNewOrder({ note }))).body).toMatchObject({ note });
  });
});
