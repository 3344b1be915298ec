import { ADJUSTMENT_AMOUNT_MAX, ADJUSTMENT_TYPES, ADJUSTMENTS_MAX } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aBody,
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  fails,
  invalidFields,
  NOW,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const price = (amount: number, currency = 'EUR') => ({ amount, currency });
const anAdjustment = (type: string, amount: number, more: object = {}) => ({
  type,
  name: type,
  amount: price(amount),
  ...more,
});
const KEY = { idempotencyKey: 'k-1' };
const anId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);

/** What is wrong with an adjustment, whether the order is new or not. */
const INVALID: readonly (readonly [unknown, ...string[]])[] = [
  ['none', 'adjustments: wrong_type (must be an array)'],
  [
    Array(ADJUSTMENTS_MAX + 1).fill(anAdjustment('tax', 1)),
    'adjustments: too_long (must have at most 100 adjustments)',
  ],
  [[null], 'adjustments[0]: wrong_type (must be an object)'],
  [
    [{ id: UNKNOWN_ID, created_at: NOW, rate: 19, ...anAdjustment('tax', 1) }],
    'adjustments[0].id: read_only',
    'adjustments[0].created_at: read_only',
    'adjustments[0].rate: unknown_field',
  ],
  [[{}], ...['type', 'name', 'amount'].map((name) => `adjustments[0].${name}: required`)],
  [[anAdjustment('Tax', 1)], 'adjustments[0].type: invalid_value'],
  [[{ ...anAdjustment('tax', 1), type: 1 }], 'adjustments[0].type: wrong_type'],
  [[anAdjustment('tax', 1, { name: '' })], 'adjustments[0].name: too_short'],
  [[anAdjustment('tax', 1, { name: 'x'.repeat(256) })], 'adjustments[0].name: too_long'],
  [[anAdjustment('other', 1.5)], 'adjustments[0].amount.amount: wrong_type'],
  [[anAdjustment('other', ADJUSTMENT_AMOUNT_MAX + 1)], 'adjustments[0].amount.amount: out_of_range'],
  [[anAdjustment('other', -ADJUSTMENT_AMOUNT_MAX - 1)], 'adjustments[0].amount.amount: out_of_range'],
  [[anAdjustment('other', 1, { amount: price(1, 'XXX') })], 'adjustments[0].amount.currency: invalid_value'],
  [[anAdjustment('fee', 1, { included: true })], 'adjustments[0].included: invalid_value (can be true only for a tax)'],
  [[anAdjustment('tax', 1, { included: 'yes' })], 'adjustments[0].included: wrong_type'],
];

describe('the adjustments of a new order', () => {
  it('are kept in their order, with the item they belong to, and make the total unless the prices include them', async () => {
    const items = [aLine({ unit_price: price(1000) }), aLine({ unit_price: price(500), quantity: 2 })];
    const adjustments = [
      anAdjustment('discount', -300, { item: 1 }),
      anAdjustment('shipping', 495, { item: null, included: false }),
      anAdjustment('tax', 319, { included: true, name: '19 % VAT' }),
      anAdjustment('tax', 80),
      anAdjustment('fee', 0),
      anAdjustment('other', -5),
    ];
    const order = await aPlacedOrder(aDomain(), { items, adjustments });
    const defaults = { id: anId, item_id: null, included: false, created_at: NOW };
    expect(order.adjustments).toEqual([
      { ...anAdjustment('discount', -300), ...defaults, item_id: order.items[1]?.id },
      { ...anAdjustment('shipping', 495), ...defaults },
      { ...anAdjustment('tax', 319), ...defaults, included: true, name: '19 % VAT' },
      { ...anAdjustment('tax', 80), ...defaults },
      { ...anAdjustment('fee', 0), ...defaults },
      { ...anAdjustment('other', -5), ...defaults },
    ]);
    expect(order).toMatchObject({ subtotal: price(2000), total: price(2270), version: 1 });
    expect(new Set(order.adjustments.map(({ id }) => id)).size).toBe(6);
  });

  const INVALID_WHEN_NEW: typeof INVALID = [
    ...INVALID,
    [
      [anAdjustment('refund', -1)],
      'adjustments[0].type: invalid_value (must be one of discount, shipping, tax, fee, other)',
    ],
    ...['shipping', 'tax', 'fee'].map(
      (type) => [[anAdjustment(type, -1)], 'adjustments[0].amount.amount: out_of_range'] as const,
    ),
    [[anAdjustment('discount', 1)], 'adjustments[0].amount.amount: out_of_range'],
    ...[1, -1].map((item) => [[anAdjustment('tax', 1, { item })], 'adjustments[0].item: out_of_range'] as const),
    [[anAdjustment('tax', 1, { item: '0' })], 'adjustments[0].item: wrong_type'],
    [[anAdjustment('tax', 1, { item_id: UNKNOWN_ID })], 'adjustments[0].item_id: unknown_field'],
  ];

  it.each(INVALID_WHEN_NEW)('are rejected: %j', async (adjustments, ...fields) => {
    expect(await fails(aDomain().placeOrder(OWNER, aBody({ adjustments })))).toMatchObject(
      invalidFields(...fields.map(String)),
    );
  });

  it('may make the total 0 and 2^53-1, and neither less nor more, whatever the order of their sum', async () => {
    const domain = aDomain();
    const placed = async (...amounts: readonly number[]) =>
      await aPlacedOrder(domain, {
        items: [aLine({ quantity: 9007, unit_price: price(1_000_000_000_000) }), aLine({ unit_price: price(1) })],
        adjustments: amounts.map((amount) => anAdjustment('other', amount)),
      });
    const largest = await placed(ADJUSTMENT_AMOUNT_MAX, 199_254_740_990 - ADJUSTMENT_AMOUNT_MAX);
    expect(largest.total.amount).toBe(Number.MAX_SAFE_INTEGER);
    const tooLarge = { type: 'amount_out_of_range', field: 'adjustments' };
    const more = { adjustments: [anAdjustment('other', 1)] };
    expect(await fails(domain.adjustOrder(OWNER, largest.id, more))).toEqual(tooLarge);
    const body = (amount: number) => aBody({ adjustments: [anAdjustment('discount', amount)] });
    expect((await succeeds(domain.placeOrder(OWNER, body(-1999)))).order.total).toEqual(price(0));
    expect(await fails(domain.placeOrder(OWNER, body(-2000)))).toEqual({ type: 'negative_total', total: -1 });
    const items = [aLine({ quantity: 9007, unit_price: price(1_000_000_000_000) })];
    const adjustments = [anAdjustment('fee', 199_254_740_992)];
    expect(await fails(domain.placeOrder(OWNER, { items, adjustments }))).toEqual(tooLarge);
  });

  it('have the currency of the items', async () => {
    const adjustments = [anAdjustment('tax', 1), anAdjustment('fee', 1, { amount: price(1, 'USD') })];
    expect(await fails(aDomain().placeOrder(OWNER, aBody({ adjustments })))).toEqual({
      type: 'currency_mismatch',
      currency: 'EUR',
      field: 'adjustments[1].amount.currency',
    });
  });

  it('are the same command with and without defaults, and as an empty list', async () => {
    const domain = aDomain();
    const { order } = await succeeds(domain.placeOrder(OWNER, aBody(), KEY));
    for (const adjustments of [[], null])
      expect((await succeeds(domain.placeOrder(OWNER, aBody({ adjustments }), KEY))).order).toEqual(order);
    const other = { idempotencyKey: 'k-2' };
    const first = await succeeds(domain.placeOrder(OWNER, aBody({ adjustments: [anAdjustment('tax', 1)] }), other));
    const same = [anAdjustment('tax', 1, { included: false, item: null })];
    const again = await succeeds(domain.placeOrder(OWNER, aBody({ adjustments: same }), other));
    expect(again).toEqual({ order: first.order, event: null, replayed: true });
  });
});

describe('an adjustment of an order', () => {
  it('is appended in every status, changes the total, and records one event', async () => {
    for (const status of ['pending', 'delivered', 'cancelled'] as const) {
      const domain = aDomain();
      const before = await anOrderIn(domain, status, { adjustments: [anAdjustment('shipping', 495)] });
      domain.clock.advance(1000);
      const refund = anAdjustment('refund', -1000, { item_id: before.items[0]?.id.toUpperCase() });
      const { order, event } = await succeeds(domain.adjustOrder(OWNER, before.id, { adjustments: [refund] }));
      const at = '2026-01-02T03:04:06.678Z';
      const item_id = before.items[0]?.id;
      const added = { ...anAdjustment('refund', -1000), id: anId, item_id, included: false, created_at: at };
      expect(order).toEqual({
        ...before,
        adjustments: [...before.adjustments, added],
        total: price(1999 + 495 - 1000),
        version: before.version + 1,
        updated_at: at,
      });
      expect(event).toMatchObject({
        type: 'order.adjusted',
        version: order.version,
        changed: ['adjustments', 'total'],
      });
      expect(domain.events().at(-1)).toEqual(event);
    }
  });

  it('reverses a charge, as long as the sum of its type and item keeps the sign', async () => {
    const domain = aDomain();
    const { id, items } = await aPlacedOrder(domain, { adjustments: [anAdjustment('tax', 100, { item: 0 })] });
    const adjust = (...adjustments: readonly object[]) => domain.adjustOrder(OWNER, id, { adjustments });
    const [item_id] = items.map((item) => item.id);
    const rejected = (type: string, item: string | undefined | null, included = false) => ({
      type: 'adjustment_sign',
      adjustment_type: type,
      item_id: item,
      included,
    });
    expect(await fails(adjust(anAdjustment('tax', -1)))).toEqual(rejected('tax', null));
    expect(await fails(adjust(anAdjustment('tax', -101, { item_id })))).toEqual(rejected('tax', item_id));
    expect(await fails(adjust(anAdjustment('tax', -1, { item_id, included: true })))).toEqual(
      rejected('tax', item_id, true),
    );
    expect(await fails(adjust(anAdjustment('refund', 1)))).toEqual(rejected('refund', null));
    const { order } = await succeeds(adjust(anAdjustment('tax', -100, { item_id }), anAdjustment('other', -1)));
    expect(order.total).toEqual(price(1998));
    // Only the sum counts, not the order in one command.
    await succeeds(adjust(anAdjustment('fee', -1), anAdjustment('fee', 2)));
  });

  const INVALID_LATER: typeof INVALID = [
    ...INVALID,
    [[], 'adjustments: too_short (must have at least 1 adjustment)'],
    [undefined, 'adjustments: required'],
    [[anAdjustment('tax', 1, { item: 0 })], 'adjustments[0].item: unknown_field'],
    [[anAdjustment('tax', 1, { item_id: 'x' })], 'adjustments[0].item_id: invalid_format'],
    [[anAdjustment('tax', 1, { item_id: UNKNOWN_ID })], 'adjustments[0].item_id: not_found'],
  ];

  it.each(INVALID_LATER)('is rejected: %j', async (adjustments, ...fields) => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const error = await fails(domain.adjustOrder(OWNER, id, { adjustments }));
    expect(error).toMatchObject(invalidFields(...fields.map(String)));
  });

  it('accepts every type, either sign, and a hundred of them', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const each = ADJUSTMENT_TYPES.map((type) => anAdjustment(type, type === 'discount' || type === 'refund' ? -1 : 1));
    const rest = Array.from({ length: ADJUSTMENTS_MAX - each.length }, () => anAdjustment('other', 0));
    const { order } = await succeeds(domain.adjustOrder(OWNER, id, { adjustments: [...each, ...rest] }));
    expect(order.adjustments).toHaveLength(ADJUSTMENTS_MAX);
    const more = { adjustments: [anAdjustment('other', 1)] };
    expect(await fails(domain.adjustOrder(OWNER, id, more))).toEqual({ type: 'too_many_adjustments' });
  });

  it('is never made by a change of the order', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const error = await fails(domain.changeOrder(OWNER, id, { adjustments: [] }));
    expect(error).toMatchObject(invalidFields('adjustments: read_only'));
  });

  it('finds an unknown item last of all', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const unknown = anAdjustment('tax', 1, { item_id: UNKNOWN_ID });
    const adjust = (...more: readonly object[]) =>
      fails(domain.adjustOrder(OWNER, id, { adjustments: [unknown, ...more] }));
    expect(await adjust(anAdjustment('shipping', -1))).toMatchObject({ type: 'adjustment_sign' });
    expect(await adjust(anAdjustment('refund', -9999))).toEqual({ type: 'negative_total', total: -7999 });
    expect(await adjust(anAdjustment('fee', 1, { amount: price(1, 'USD') }))).toMatchObject({
      type: 'currency_mismatch',
    });
    expect(await adjust()).toMatchObject(invalidFields('adjustments[0].item_id: not_found'));
  });
});
