import { ITEMS_METADATA_BYTES_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aBody, aDomain, aLine, fails, invalidFields, OWNER, succeeds } from '../fixtures/a-domain.ts';

const place = (...items: readonly object[]) => aDomain().placeOrder(OWNER, aBody({ items: items.map(lineOf) }));
const lineOf = (metadata: unknown) => aLine({ metadata });
const keys = (count: number, value = 'x') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}`, value]));

describe('the metadata of an item', () => {
  it('is kept as it was sent, and is an empty object without any', async () => {
    const metadata = Object.fromEntries([
      ['z', '1'],
      ['__proto__', '2'],
      ['10', '“é” 🎁'],
      ['constructor', '3'],
    ]);
    const { order } = await succeeds(place(metadata, {}));
    expect(order.items.map((item) => JSON.stringify(item.metadata))).toEqual([JSON.stringify(metadata), '{}']);
  });

  it.each([
    ['a list', [], ': wrong_type (must be an object)'],
    ['a null value', { a: null }, '["a"]: wrong_type (must be a string)'],
    ['a number', { a: 1 }, '["a"]: wrong_type'],
    ['an empty value', { a: '' }, '["a"]: too_short (must have at least 1 character)'],
    ['a value of 256 characters', { a: 'é'.repeat(256) }, '["a"]: too_long (must have at most 255 characters)'],
    ['an empty key', { '': 'x' }, '[""]: too_short'],
    ['a key of 41 characters', { [`${'k'.repeat(41)}`]: 'x' }, `["${'k'.repeat(41)}"]: too_long`],
    ['21 keys', keys(21), ': too_long (must have at most 20 keys)'],
  ])('is rejected with %s', async (_, metadata, error) => {
    expect(await fails(place({ a: 'x' }, metadata))).toMatchObject(invalidFields(`items[1].metadata${error}`));
  });

  it('has at most 16 KiB of JSON in an order, counted in bytes', async () => {
    const full = keys(20, 'x'.repeat(255));
    const left = ITEMS_METADATA_BYTES_MAX - 3 * JSON.stringify(full).length;
    const long = 'x'.repeat(255);
    const frame = JSON.stringify({ a: long, b: long, c: '' }).length;
    const items = (bytes: number) => [full, full, full, { a: long, b: long, c: `é${'x'.repeat(bytes - frame - 2)}` }];
    expect((await place(...items(left))).isOk()).toBe(true);
    const error = 'items: too_long (must have at most 16384 bytes of metadata as JSON in all)';
    expect(await fails(place(...items(left + 1)))).toMatchObject(invalidFields(error));
    const imported = { ...aBody({ items: items(left + 1).map(lineOf) }), reference: 'R-1' };
    expect(await fails(aDomain().importOrder(OWNER, imported))).toMatchObject(invalidFields(error));
  });

  it('counts for a retry, where null and an empty object are none', async () => {
    const domain = aDomain();
    const key = { idempotencyKey: 'k' };
    const placed = (metadata: unknown) => domain.placeOrder(OWNER, aBody({ items: [lineOf(metadata)] }), key);
    const { order } = await succeeds(placed(undefined));
    for (const none of [null, {}]) expect(await succeeds(placed(none))).toMatchObject({ order, replayed: true });
    expect(await fails(placed({ a: 'b' }))).toMatchObject({ type: 'idempotency_key_reused' });
  });
});
