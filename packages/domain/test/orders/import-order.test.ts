import {
  defineOrders,
  FULFILLMENTS_MAX,
  IMPORTED_VERSION_MAX,
  type Order,
  untyped,
  createDomain,
} from '@orders/domain';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aDomainTogether,
  aLine,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  invalidFields,
  NOW,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const EARLY = '2025-01-01T00:00:00.000Z';
const LATER = '2025-02-01T00:00:00.000Z';
const LAST = '2025-03-01T00:00:00.000Z';
const FUTURE = '2026-01-02T03:04:05.679Z';
const [ID, ITEM, OTHER_ITEM, SENT] = ['1', '2', '3', '4'].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`);
const price = (amount: number, currency = 'EUR') => ({ amount, currency });

/** Returns an order of another system. */
const anImport = (fields: object = {}) => ({ id: ID, created_at: EARLY, items: [aLine({ id: ITEM })], ...fields });

/** An order with everything that an order can have. */
const FULL = anImport({
  reference: 'PO-7',
  customer_id: CUSTOMER,
  note: 'left at the door',
  metadata: { shop: 'old' },
  status: 'cancelled',
  cancel_reason: 'lost',
  paid_at: '2025-01-01T03:00:00.000+02:00',
  cancelled_at: LAST,
  version: 9,
  items: [
    aLine({ id: ITEM, quantity: 5, cancelled_quantity: 1, returned_quantity: 2, fulfilled_quantity: 3 }),
    aLine({ id: OTHER_ITEM }),
  ],
  adjustments: [
    { type: 'shipping', name: 'Post', amount: price(495), item: 1, created_at: EARLY },
    { type: 'shipping', name: 'Post', amount: price(-495), item_id: OTHER_ITEM, created_at: LATER },
    { type: 'refund', name: 'Sorry', amount: price(-100) },
  ],
  fulfillments: [
    { items: [{ item_id: ITEM, quantity: 4 }], created_at: EARLY, cancelled_at: LATER },
    { id: SENT, items: [{ item: 0, quantity: 3 }], created_at: LATER, tracking: { number: '00340434' } },
  ],
  total: price(5 * 1999 - 100),
});

/** Returns the error of an import. */
const errorOf = async (input: unknown) => await fails(aDomain().importOrder(OWNER, input));

/** Members of an import, and its invalid fields. */
const INVALID: readonly (readonly [object, ...string[]])[] = [
  [{ id: null }, 'id: required (is required, or else reference)'],
  [{ id: 'PO-1' }, 'id: invalid_format'],
  [{ available_transitions: [], subtitle: '' }, 'subtitle: unknown_field'],
  [{ version: 0 }, 'version: out_of_range'],
  [{ version: IMPORTED_VERSION_MAX + 1 }, 'version: out_of_range'],
  [{ created_at: FUTURE }, 'created_at: out_of_range (must not be after now)'],
  [{ created_at: '2025-01-01' }, 'created_at: invalid_format'],
  [{ updated_at: '2024-12-31T00:00:00Z' }, `updated_at: out_of_range (must not be before ${EARLY})`],
  [{ status: 'lost' }, 'status: invalid_value'],
  [{ status: 'paid' }, 'paid_at: required (is required, as the status is paid)'],
  [{ paid_at: LATER }, 'paid_at: invalid_value (must not be set, as no transitions lead from paid to pending)'],
  [
    { status: 'paid', paid_at: LATER, cancelled_at: EARLY },
    'cancelled_at: invalid_value (must not be set, as no transitions lead from cancelled to paid)',
  ],
  [
    { status: 'delivered', paid_at: LAST, shipped_at: LATER, delivered_at: LAST },
    'shipped_at: out_of_range (must not be before paid_at)',
  ],
  [
    { status: 'shipped', paid_at: LAST, shipped_at: LATER },
    'paid_at: out_of_range (must not be after shipped_at, as the status is shipped)',
  ],
  [{ status: 'paid', paid_at: LATER, updated_at: EARLY }, `updated_at: out_of_range (must not be before ${LATER})`],
  [{ status: 'paid', paid_at: FUTURE }, 'paid_at: out_of_range', 'paid_at: required'],
  [{ cancel_reason: 'lost' }, 'cancel_reason: invalid_value (can be set only with the status cancelled)'],
  [{ items: [aLine({ id: ITEM }), aLine({ id: ITEM })] }, 'items[1].id: invalid_value (must not repeat an id)'],
  [{ items: [aLine({ tax: 1, quantity: 0 })] }, 'items[0].tax: unknown_field', 'items[0].quantity: out_of_range'],
  [{ items: [aLine({ fulfilled_quantity: 1 })] }, 'items[0].fulfilled_quantity: invalid_value'],
  [{ items: [aLine({ returned_quantity: 1 })] }, 'items[0].returned_quantity: out_of_range'],
  [{ items: [aLine({ cancelled_quantity: 1 })] }, 'items: invalid_value'],
  [{ items: [aLine({ cancelled_quantity: 2 })] }, 'items[0].cancelled_quantity: out_of_range'],
  [{ fulfillments: [{ items: [{ item: 0, quantity: 2 }] }] }, 'items[0].quantity: out_of_range'],
  [{ fulfillments: [{ items: [{ item: 1, quantity: 1 }] }] }, 'fulfillments[0].items[0].item: out_of_range'],
  [
    { fulfillments: [null, { at: 1, items: [{ quantity: 1 }, { item_id: UNKNOWN_ID, quantity: 1 }], tracking: 1 }] },
    'fulfillments[0]: wrong_type',
    'fulfillments[1].at: unknown_field',
    'fulfillments[1].items[0].item_id: required',
    'fulfillments[1].items[1].item_id: not_found',
    'fulfillments[1].tracking: wrong_type',
  ],
  [{ fulfillments: Array(FULFILLMENTS_MAX + 1).fill({}) }, 'fulfillments: too_long'],
  [
    { fulfillments: [{ created_at: LATER, cancelled_at: EARLY, items: [{ item: 0, quantity: 1 }] }] },
    'fulfillments[0].cancelled_at: out_of_range',
  ],
  [
    {
      adjustments: [LATER, EARLY].map((created_at) => ({ type: 'other', name: 'x', amount: price(1), created_at })),
    },
    `adjustments[1].created_at: out_of_range (must not be before ${LATER})`,
  ],
  [{ total: price(1998) }, 'total: invalid_value (must be 1999 EUR, as its parts make, or absent)'],
  [{ subtotal: price(1999, 'USD') }, 'subtotal: invalid_value'],
  [{ items: [aLine({ total: price(1) })] }, 'items[0].total: invalid_value'],
];

describe('an imported order', () => {
  it('has the given id, times, status, quantities and version, and what follows of them', async () => {
    const domain = aDomain();
    const { order, event, replayed } = await succeeds(domain.importOrder(OWNER, FULL, { actor: 'api_key:x' }));
    expect(replayed).toBe(false);
    expect(order).toMatchObject({
      id: ID,
      status: 'cancelled',
      cancel_reason: 'lost',
      subtotal: price(5 * 1999),
      total: price(5 * 1999 - 100),
      version: 9,
      created_at: EARLY,
      updated_at: LAST,
      paid_at: '2025-01-01T01:00:00.000Z',
      shipped_at: null,
      cancelled_at: LAST,
      items: [
        { id: ITEM, fulfilled_quantity: 3, total: price(4 * 1999) },
        { id: OTHER_ITEM, fulfilled_quantity: 0 },
      ],
      adjustments: [{ item_id: OTHER_ITEM }, { item_id: OTHER_ITEM }, { item_id: null, created_at: LATER }],
      fulfillments: [
        { items: [{ item_id: ITEM, quantity: 4 }], cancelled_at: LATER, tracking: null },
        { id: SENT, items: [{ item_id: ITEM, quantity: 3 }], tracking: { carrier: null, number: '00340434' } },
      ],
    });
    expect(await succeeds(domain.getOrder(OWNER, ID ?? ''))).toEqual(order);
    expect(event).toMatchObject({ type: 'order.imported', occurred_at: NOW, version: 9, actor: 'api_key:x' });
    expect(domain.events()).toEqual([event]);
    const { order: changed } = await succeeds(domain.changeOrder(OWNER, order.id, { note: null }));
    expect(changed).toMatchObject({ version: 10, updated_at: NOW });
  });

  it('is that of a placed one if it has no more', async () => {
    const { order } = await succeeds(aDomain().importOrder(OWNER, { reference: 'PO-1', items: [aLine()] }));
    const { id, items, ...placed } = await aPlacedOrder(aDomain(), { reference: 'PO-1' });
    expect(order).toMatchObject(placed);
    expect(Object.keys(order)).toEqual(Object.keys({ ...(await aPlacedOrder(aDomain())) }));
    expect([id, items[0]?.id].every((each) => each !== undefined)).toBe(true);
  });

  it('is not stored in a dry run', async () => {
    const domain = aDomain();
    const { order, event } = await succeeds(domain.importOrder(OWNER, FULL, { dryRun: true }));
    expect([order.total.amount, event]).toEqual([5 * 1999 - 100, null]);
    expect(await fails(domain.importOrder(OWNER, {}, { dryRun: true }))).toMatchObject({ type: 'validation_failed' });
    expect(await fails(domain.getOrder(OWNER, order.id))).toMatchObject({ type: 'order_not_found' });
    expect(domain.events()).toEqual([]);
  });

  it.each(INVALID.map((row) => [row]))('is rejected with %j', async ([fields, ...errors]) => {
    expect(await errorOf(anImport(fields))).toMatchObject(invalidFields(...errors));
  });

  it('may have left a status that it can enter again', async () => {
    const definition = defineOrders({
      lifecycle: { open: ['packed', 'gone'], packed: ['open', 'gone'], gone: [] },
      initial: 'open',
      cancel: 'gone',
    });
    const { orders, customers } = inMemoryStore({ definition });
    const domain = untyped(createDomain({ orders, customers, clock: fixedClock(NOW), ids: sequentialIds() }));
    const { order } = await succeeds(domain.importOrder(OWNER, anImport({ packed_at: LATER })));
    expect(order).toMatchObject({ status: 'open', packed_at: LATER, updated_at: LATER });
  });

  it('is refused by guards and without required custom data, unless it is history', async () => {
    const definition = defineOrders({
      lifecycle: { open: ['packed', 'gone'], packed: ['gone'], gone: [] },
      initial: 'open',
      cancel: 'gone',
      custom: { parse: (input: unknown) => ok(String(input)), schema: { type: 'string' }, required: true },
      refusals: { not_now: 'Not now.' },
      guards: { enter: { packed: () => 'not_now' as const } },
    });
    const { orders, customers } = inMemoryStore({ definition });
    const domain = untyped(createDomain({ orders, customers, clock: fixedClock(NOW), ids: sequentialIds() }));
    const packed = anImport({ status: 'packed', packed_at: LATER });
    expect(await fails(domain.importOrder(OWNER, packed))).toMatchObject(invalidFields('custom: required'));
    const refused = { type: 'refused', code: 'not_now', message: 'Not now.' };
    expect(await fails(domain.importOrder(OWNER, { ...packed, custom: 'x' }))).toEqual(refused);
    for (const replayed of [false, true]) {
      const outcome = await succeeds(domain.importOrder(OWNER, packed, { asHistory: true }));
      expect(outcome).toMatchObject({ order: { status: 'packed', custom: null }, replayed });
    }
  });
});

describe('a second import', () => {
  const again = async (first: object, second: object = first) => {
    const domain = aDomain();
    const { order } = await succeeds(domain.importOrder(OWNER, first));
    domain.clock.advance(1000);
    const outcome = await domain.importOrder(OWNER, second);
    expect(domain.events()).toHaveLength(1);
    return { order, outcome: outcome.isOk() ? outcome.value : outcome.error };
  };

  it.each([
    ['an id', FULL],
    ['an id in upper case', { ...FULL, id: ID?.toUpperCase() }],
    ['a reference alone', { reference: 'PO-1', items: [aLine(), aLine()] }],
  ])('of the same order returns it: %s', async (_, input) => {
    const { order, outcome } = await again(input);
    expect(outcome).toEqual({ order, event: null, replayed: true });
  });

  it.each([{ note: 'other' }, { reference: null }, { items: [aLine({ id: OTHER_ITEM })] }, { version: 8 }])(
    'of other content is rejected: %j',
    async (fields) => {
      const first = anImport({ reference: 'PO-7', version: 9 });
      expect((await again(first, { ...first, ...fields })).outcome).toEqual({ type: 'id_taken', id: ID });
    },
  );

  it('is rejected with the reference of another order', async () => {
    const { outcome } = await again(anImport({ reference: 'PO-1' }), anImport({ reference: 'PO-1', id: UNKNOWN_ID }));
    expect(outcome).toEqual({ type: 'reference_taken', order_id: ID });
  });

  it('returns the imported version after a change and after the deletion, and restores nothing', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.importOrder(OWNER, FULL));
    await succeeds(domain.changeOrder(OWNER, order.id, { note: null }));
    expect(await succeeds(domain.importOrder(OWNER, FULL))).toMatchObject({ order, replayed: true });
    await succeeds(domain.deleteOrder(OWNER, order.id));
    expect(await succeeds(domain.importOrder(OWNER, FULL))).toMatchObject({ order, replayed: true });
    expect(await fails(domain.importOrder(OWNER, { ...FULL, note: '' }))).toEqual({ type: 'id_taken', id: ID });
    expect(await fails(domain.getOrder(OWNER, order.id))).toMatchObject({ type: 'order_not_found' });
  });

  it('of what another owner exported makes the same order, and again nothing', async () => {
    const source = aDomain();
    const placed: readonly Order[] = [
      await aPlacedOrder(source, { reference: 'PO-1', note: 'é' }),
      await anOrderIn(source, 'delivered'),
      await anOrderIn(source, 'cancelled', { customer_id: CUSTOMER }),
    ];
    const target = aDomain();
    for (const order of placed) {
      expect((await succeeds(source.importOrder(OWNER, order))).replayed).toBe(true);
      expect(JSON.stringify((await succeeds(target.importOrder(OWNER, order))).order)).toBe(JSON.stringify(order));
    }
  });

  it('is rejected with an unknown customer', async () => {
    expect(await errorOf(anImport({ customer_id: UNKNOWN_ID }))).toMatchObject(invalidFields('customer_id: not_found'));
  });
});

describe('an import of several orders', () => {
  it.each(['all', 'none', 'unavailable'] as const)(
    'has the outcome of each, if the store returns %s',
    async (areStored) => {
      const domain = aDomainTogether(areStored);
      const inputs = [anImport(), {}, { reference: 'PO-1', items: [aLine()] }];
      const outcomes = await succeeds(domain.importOrders(OWNER, inputs));
      const short = outcomes.map((each) => (each.isOk() ? each.value.order.reference : each.error.type));
      expect(short).toEqual([null, 'validation_failed', 'PO-1']);
      expect(domain.events()).toHaveLength(2);
      const again = await succeeds(aDomainTogether(areStored).importOrders(OWNER, [anImport(), anImport()]));
      expect(again.map((each) => each.isOk() && each.value.replayed)).toEqual([false, true]);
    },
  );

  it('has at most 100', () => {
    expect(() => aDomain().importOrders(OWNER, Array(101).fill(FULL))).toThrow(RangeError);
  });
});
