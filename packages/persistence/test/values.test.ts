import { randomUUIDv7 } from 'node:crypto';
import { createDomain, untyped } from '@orders/domain';
import { postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from './test-database.ts';

const OWNER = 'owner';
const database = testDatabase();
let domain: ReturnType<typeof createDomain>;

beforeAll(() => {
  domain = createDomain({
    orders: postgresOrderRepository(database.current),
    customers: postgresCustomerRepository(database.current),
    clock: { now: () => new Date() },
    ids: { next: randomUUIDv7 },
  });
});

type Fields = Readonly<Record<string, unknown>>;

const line = (fields: Fields = {}) => ({
  sku: 'MUG',
  name: 'Mug',
  quantity: 1,
  unit_price: { amount: 1999, currency: 'EUR' },
  ...fields,
});

/** Places an order with a key, and reads it in every possible way. */
async function readEverywhere(fields: Fields): Promise<{ readonly placed: Fields; readonly seen: readonly unknown[] }> {
  const body = { items: [line()], ...fields };
  const options = { idempotencyKey: randomUUIDv7() };
  const { order } = (await domain.placeOrder(OWNER, body, options))._unsafeUnwrap();
  const replay = (await domain.placeOrder(OWNER, body, options))._unsafeUnwrap();
  const listed = (await domain.listOrders(OWNER, { limit: 1 }))._unsafeUnwrap();
  const unchanged = (await domain.changeOrder(OWNER, order.id, {}))._unsafeUnwrap();
  const found = (await domain.getOrder(OWNER, order.id))._unsafeUnwrap();
  return { placed: { ...order }, seen: [replay.order, listed.data[0], unchanged.order, found] };
}

describe('accepted values are read back unchanged, from the order, its key and its list', () => {
  it.each<[what: string, fields: Fields]>([
    ['emoji, also joined ones', { note: '🎉 👩‍👩‍👧‍👦 🇪🇺'.repeat(20), reference: '👍🏽' }],
    ['text from right to left, with marks', { note: 'שלום \u202eעולם\u202c مرحبا', reference: 'طلب-٧' }],
    ['control characters, quotes, backslashes', { note: '\u0001\t\r\n\u001f"\'\\ \u007f\u0085\u2028', reference: "'" }],
    ['text that is not normalized', { note: 'e\u0301 \u00e9 ﬁ', reference: 'e\u0301' }],
    ['spaces at both ends', { note: '  \u00a0 ', reference: ' a ' }],
    [
      'code points beyond the first plane, up to the maximum length',
      { note: '𝔘'.repeat(2000), reference: '𝔘'.repeat(64) },
    ],
    ['an empty note', { note: '' }],
    [
      'the largest amounts',
      { items: [line({ quantity: 9007, unit_price: { amount: 1_000_000_000_000, currency: 'KWD' } })] },
    ],
    ['amounts of nothing', { items: [line({ unit_price: { amount: 0, currency: 'JPY' } })] }],
    [
      'a hundred items',
      { items: Array.from({ length: 100 }, (_, n) => line({ sku: `SKU-${n}`, name: '名'.repeat(255) })) },
    ],
    [
      'metadata keys that have a meaning in JavaScript',
      { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${(n * 7) % 50}`, 'v'.repeat(500)])) },
    ],
    [
      'metadata keys that mean something to JavaScript',
      { metadata: Object.fromEntries(['__proto__', 'constructor', 'toString'].map((key) => [key, 'v'])) },
    ],
    ['metadata keys that look like numbers, quotes and dots', { metadata: { '2': 'b', '1': 'a', 'a."b"': "'" } }],
  ])('%s', async (_, fields) => {
    const { placed, seen } = await readEverywhere(fields);
    expect(placed).toMatchObject(fields);
    for (const order of seen) expect(JSON.stringify(order)).toBe(JSON.stringify(placed));
  });
});

describe('the domain rejects text that PostgreSQL cannot store, and reports the field', () => {
  it.each([
    ['U+0000', 'a\u0000b'],
    ['half of a surrogate pair', 'a\ud800b'],
    ['the other half', '\udc00'],
  ])('%s', async (_, text) => {
    const body = {
      items: [line({ sku: text, name: text })],
      reference: text,
      note: text,
      metadata: { k: text, [text]: 'v' },
    };
    const refused = (await domain.placeOrder(OWNER, body))._unsafeUnwrapErr();
    const fields = 'errors' in refused ? refused.errors.map(({ field }) => field) : [];
    expect(new Set(fields)).toEqual(
      new Set([
        'items[0].sku',
        'items[0].name',
        'reference',
        'note',
        'metadata["k"]',
        `metadata[${JSON.stringify(text)}]`,
      ]),
    );
    const { order } = (await domain.placeOrder(OWNER, { items: [line()] }))._unsafeUnwrap();
    for (const change of [{ note: text }, { metadata: { k: text } }, { status: 'cancelled', cancel_reason: text }]) {
      expect((await untyped(domain).changeOrder(OWNER, order.id, change))._unsafeUnwrapErr().type).toBe(
        'validation_failed',
      );
    }
    const customer = { email: `${text}@example.com`, name: text };
    expect((await domain.createCustomer(OWNER, customer))._unsafeUnwrapErr().type).toBe('validation_failed');
  });
});

it('the domain rejects any text, or it is read back unchanged', async () => {
  // Generates any UTF-16, including lone surrogates and U+0000.
  const unit = fc.oneof(fc.constantFrom(0, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xfffe, 0xffff), fc.nat(0xffff));
  const broken = fc.string({ unit: unit.map((code) => String.fromCharCode(code)), maxLength: 8 });
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 70 }), broken);
  const outcomes: string[] = [];
  await fc.assert(
    fc.asyncProperty(text, text, text, async (note, name, key) => {
      const fields = { note, metadata: { [key]: note } };
      const outcome = await domain.placeOrder(OWNER, { items: [line({ name })], ...fields }).match(
        async ({ order }) => {
          const found = (await domain.getOrder(OWNER, order.id))._unsafeUnwrap();
          expect(found).toMatchObject({ ...fields, items: [{ name }] });
          return 'kept';
        },
        ({ type }) => Promise.resolve(type),
      );
      outcomes.push(outcome);
    }),
    { numRuns: 300, seed: 20260101 },
  );
  expect(new Set(outcomes)).toEqual(new Set(['kept', 'validation_failed']));
});
