import { createDomain, defineOrders, LOOKUP_VALUE_LENGTH_MAX, OWN_LOOKUPS_MAX } from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';

const OWNER = 'garage';
const items = [{ sku: 'OIL', name: 'Oil change', quantity: 1, unit_price: { amount: 9900, currency: 'EUR' } }];
const CARS = {
  lifecycle: { open: ['done', 'void'], done: [], void: [] },
  initial: 'open',
  cancel: 'void',
  custom: { parse: (input: unknown) => ok(input), schema: {} },
} as const;

/** Returns a domain whose orders are found by what `find` returns of their custom data. */
function aGarage(find: (custom: unknown) => unknown) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a program in JavaScript may return anything
  const definition = defineOrders({ ...CARS, lookups: { vin: find as () => string } });
  const store = inMemoryStore({ definition });
  const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, definition);
  const found = async (value: string) => {
    const page = (await domain.listOrders(OWNER, { lookup: `own.vin:${value}` }))._unsafeUnwrap();
    return page.data.length;
  };
  return { domain, store, found };
}

const long = (length: number) => '😀'.repeat(length);
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at}`);

describe('a lookup of a definition', () => {
  it.each<[what: string, find: (custom: unknown) => unknown, values: readonly string[]]>([
    ['a text', (custom) => custom, ['W1']],
    ['texts, each once', (custom) => [custom, 'W2', custom], ['W1', 'W2']],
    ['no text', () => null, []],
    ['no texts', () => [], []],
    ['empty ones, which are left out', () => ['', 'W2'], ['W2']],
    ['the longest', () => long(LOOKUP_VALUE_LENGTH_MAX), [long(LOOKUP_VALUE_LENGTH_MAX)]],
    ['the most, some twice', () => [...numbered(OWN_LOOKUPS_MAX), '0'], numbered(OWN_LOOKUPS_MAX)],
  ])('finds an order by %s', async (_, find, values) => {
    const { domain, found } = aGarage(find);
    (await domain.placeOrder(OWNER, { items, custom: 'W1' }))._unsafeUnwrap();
    for (const value of ['W1', 'W2', '0', ...values]) expect(await found(value)).toBe(values.includes(value) ? 1 : 0);
  });

  it('is not called without custom data', async () => {
    const { domain } = aGarage(() => expect.fail('called'));
    const { order } = (await domain.placeOrder(OWNER, { items }))._unsafeUnwrap();
    expect((await domain.changeOrder(OWNER, order.id, { note: 'x' })).isOk()).toBe(true);
  });

  it.each<[what: string, find: () => unknown]>([
    ['a longer text', () => long(LOOKUP_VALUE_LENGTH_MAX + 1)],
    ['one too many', () => numbered(OWN_LOOKUPS_MAX + 1)],
    ['a number', () => 7],
    ['a number among texts', () => ['W1', 7]],
    ['nothing', () => undefined],
    ['text that no store has', () => '\0'],
    [
      'an exception',
      () => {
        throw new TypeError('a bug');
      },
    ],
  ])('that returns %s is an error of each command that sets custom data, and of no other', async (_, find) => {
    const { domain, store } = aGarage((custom) => (custom === 'wrong' ? find() : null));
    const error = { type: 'validation_failed', errors: [{ field: 'custom' }] };
    expect((await domain.placeOrder(OWNER, { items, custom: 'wrong' }))._unsafeUnwrapErr()).toMatchObject(error);
    const imported = { reference: 'R1', items, custom: 'wrong' };
    expect((await domain.importOrder(OWNER, imported))._unsafeUnwrapErr()).toMatchObject(error);
    const { order } = (await domain.placeOrder(OWNER, { items, custom: 'right' }))._unsafeUnwrap();
    const changed = await domain.changeOrder(OWNER, order.id, { custom: 'wrong' });
    expect(changed._unsafeUnwrapErr()).toMatchObject(error);

    const earlier = defineOrders(CARS);
    const before = createDomain(
      { ...store, orders: { ...store.orders, definition: earlier }, clock: fixedClock(), ids: sequentialIds(9) },
      earlier,
    );
    const { order: old } = (await before.placeOrder(OWNER, { items, custom: 'wrong' }))._unsafeUnwrap();
    expect((await domain.cancelOrder(OWNER, old.id)).isOk()).toBe(true);
    expect((await domain.changeOrder(OWNER, old.id, { external_ids: { shop: ['1'] } })).isOk()).toBe(true);
    const { data } = (await domain.listOrders(OWNER, { lookup: 'external.shop:1' }))._unsafeUnwrap();
    expect(data.map(({ id }) => id)).toEqual([old.id]);
  });

  it.each<[fault: string, more: object]>([
    ['lookups need custom', { custom: undefined, lookups: { vin: () => null } }],
    ['lookups must be at most 38', { lookups: Object.fromEntries(numbered(39).map((n) => [`n${n}`, () => null])) }],
    ['lookups must be an object', { lookups: [] }],
    ['the lookup "vin" must be a function', { lookups: { vin: 'vin' } }],
    ['the lookup "a:b" must be a function with a name', { lookups: { 'a:b': () => null } }],
  ])('has a definition without faults: %s', (fault, more) => {
    expect(() => defineOrders({ ...CARS, ...more })).toThrow(`defineOrders: ${fault}`);
  });
});

it('a search for orders finds those of a buyer in any case, page by page', async () => {
  const { domain } = aGarage(() => null);
  for (const email of ['Ada@example.com', 'eve@example.com', 'ada@EXAMPLE.com'])
    (await domain.placeOrder(OWNER, { items, buyer: { email } }))._unsafeUnwrap();
  const search = { buyer_email: 'ADA@example.com', limit: 1 };
  const first = (await domain.searchOrders(OWNER, search))._unsafeUnwrap();
  const next = (await domain.searchOrders(OWNER, { ...search, after: first.next ?? undefined }))._unsafeUnwrap();
  expect([...first.data, ...next.data].map(({ buyer }) => buyer?.email)).toEqual([
    'ada@EXAMPLE.com',
    'Ada@example.com',
  ]);
  expect(next.next).toBeNull();
});
