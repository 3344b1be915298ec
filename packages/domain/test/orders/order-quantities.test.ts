import { defineOrders, FULFILLMENTS_MAX, type Order, type OrderDefinition } from '@orders/domain';
import { anItem, anOrder, given, GIVEN_OWNER } from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  aLine,
  anOrderIn,
  aPlacedOrder,
  type DomainUnderTest,
  fails,
  invalidFields,
  NOW,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const KEY = { idempotencyKey: 'k-1' };
const anId: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
const price = (amount: number) => ({ amount, currency: 'EUR' });
const shipping = (amount: number) => ({ type: 'shipping', name: 'Parcel', amount: price(amount) });

/** Places an order of 3 and 2 pieces, at 1.00 and 10.00. */
async function twoLines(domain: DomainUnderTest): Promise<{ order: Order; first: string; second: string }> {
  const items = [aLine({ quantity: 3, unit_price: price(100) }), aLine({ quantity: 2, unit_price: price(1000) })];
  const order = await aPlacedOrder(domain, { items });
  const [first = '', second = ''] = order.items.map(({ id }) => id);
  return { order, first, second };
}

const of = (item_id: string, quantity: number) => ({ item_id, quantity });

/** Returns the quantities of each item: fulfilled, cancelled, returned. */
const quantitiesOf = ({ items }: Order) =>
  items.map((item) => [item.fulfilled_quantity, item.cancelled_quantity, item.returned_quantity]);

describe('a fulfillment', () => {
  it('has the items that left, and changes no status', async () => {
    const domain = aDomain();
    const { order: before, first } = await twoLines(domain);
    domain.clock.advance(1000);
    const input = {
      items: [of(first.toUpperCase(), 2)],
      tracking: { carrier: 'DHL', url: 'https://dhl.example/1' },
      adjustments: [shipping(495)],
    };
    const { order, event } = await succeeds(domain.fulfillItems(OWNER, before.id, input));
    const at = '2026-01-02T03:04:06.678Z';
    const [line, other] = before.items;
    expect(order).toEqual({
      ...before,
      items: [{ ...line, fulfilled_quantity: 2 }, other],
      adjustments: [expect.objectContaining({ ...shipping(495), created_at: at })],
      fulfillments: [
        {
          id: anId,
          created_at: at,
          items: [of(first, 2)],
          tracking: { carrier: 'DHL', number: null, url: 'https://dhl.example/1' },
          cancelled_at: null,
        },
      ],
      total: price(2300 + 495),
      version: 2,
      updated_at: at,
    });
    expect(event).toMatchObject({
      type: 'order.items_fulfilled',
      changed: ['items', 'adjustments', 'fulfillments', 'total'],
    });
  });

  it('has all that is neither fulfilled nor cancelled without items, and fails when that is nothing', async () => {
    const domain = aDomain();
    const { order, first, second } = await twoLines(domain);
    await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 1)] }));
    await succeeds(domain.cancelOrder(OWNER, order.id, { items: [of(second, 2)] }));
    const { order: rest } = await succeeds(domain.fulfillItems(OWNER, order.id, { tracking: {} }));
    expect(rest.fulfillments[1]).toMatchObject({ items: [of(first, 2)], tracking: null });
    const nothing = { type: 'quantity_not_available', item_id: first, available: 0 };
    expect(await fails(domain.fulfillItems(OWNER, order.id))).toEqual(nothing);
  });

  it('is cancelled once, and then kept', async () => {
    const domain = aDomain();
    const { order, first, second } = await twoLines(domain);
    await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 1), of(second, 1)] }));
    const { order: before } = await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 2)] }));
    const [mistake, other] = before.fulfillments;
    const cancelled = await succeeds(domain.cancelFulfillment(OWNER, order.id, mistake?.id.toUpperCase() ?? ''));
    expect(quantitiesOf(cancelled.order)).toEqual([
      [2, 0, 0],
      [0, 0, 0],
    ]);
    expect(cancelled.order.fulfillments).toEqual([{ ...mistake, cancelled_at: NOW }, other]);
    expect(cancelled.event).toMatchObject({
      type: 'order.fulfillment_cancelled',
      changed: ['items', 'fulfillments'],
    });
    expect(await fails(domain.cancelFulfillment(OWNER, order.id, mistake?.id ?? ''))).toEqual({
      type: 'fulfillment_already_cancelled',
      cancelled_at: NOW,
      current_version: 4,
    });
    for (const id of [UNKNOWN_ID, 'x'])
      expect(await fails(domain.cancelFulfillment(OWNER, order.id, id))).toEqual({ type: 'fulfillment_not_found', id });
  });

  it('is one of a hundred, those that were cancelled among them', async () => {
    const domain = aDomain();
    const { order, first } = await twoLines(domain);
    for (let count = 0; count < FULFILLMENTS_MAX; count += 1) {
      const { order: sent } = await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 1)] }));
      await succeeds(domain.cancelFulfillment(OWNER, order.id, sent.fulfillments.at(-1)?.id ?? ''));
    }
    expect(await fails(domain.fulfillItems(OWNER, order.id))).toEqual({ type: 'too_many_fulfillments' });
  });
});

describe('a return', () => {
  it('takes what was fulfilled, changes no total, and keeps its reason with the version alone', async () => {
    const domain = aDomain();
    const { order, first } = await twoLines(domain);
    await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 2)] }));
    const input = { items: [of(first, 2)], reason: 'Ada broke it' };
    const { order: after, event } = await succeeds(domain.returnItems(OWNER, order.id, input));
    expect(quantitiesOf(after)[0]).toEqual([2, 0, 2]);
    expect(after).toMatchObject({ total: order.total, cancel_reason: null });
    expect(event).toMatchObject({ type: 'order.items_returned', changed: ['items'] });
    expect(JSON.stringify([after, domain.events()])).not.toContain('Ada');
    const version = await succeeds(domain.getOrderVersion(OWNER, order.id, 3));
    expect(version).toMatchObject({ type: 'order.items_returned', reason: 'Ada broke it', order: after });
    expect(await succeeds(domain.getOrderVersion(OWNER, order.id, 2))).toMatchObject({ reason: null });
    expect(await fails(domain.returnItems(OWNER, order.id, { items: [of(first, 1)] }))).toEqual({
      type: 'quantity_not_available',
      item_id: first,
      available: 0,
    });
  });
});

describe('a cancellation of items', () => {
  it('lowers the totals, keeps the status, and keeps its reason with the version', async () => {
    const domain = aDomain();
    const { order, first, second } = await twoLines(domain);
    const input = { items: [of(second, 1), of(first, 3)], reason: 'sold out', adjustments: [shipping(100)] };
    const cancelled = await succeeds(domain.cancelOrder(OWNER, order.id, input));
    expect(quantitiesOf(cancelled.order)).toEqual([
      [0, 3, 0],
      [0, 1, 0],
    ]);
    expect(cancelled.order.items.map(({ total }) => total)).toEqual([price(0), price(1000)]);
    expect(cancelled.order).toMatchObject({ subtotal: price(1000), total: price(1100), cancel_reason: null });
    expect(cancelled.order.status).toBe('pending');
    expect(cancelled.event).toMatchObject({
      type: 'order.items_cancelled',
      changed: ['items', 'adjustments', 'subtotal', 'total'],
    });
    expect(await succeeds(domain.getOrderVersion(OWNER, order.id, 2))).toMatchObject({ reason: 'sold out' });
  });

  it('has adjustments only together with items', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const rule = 'adjustments: invalid_value (can be set only together with items)';
    expect(await fails(domain.cancelOrder(OWNER, id, { adjustments: [] }))).toEqual(invalidFields(rule));
    await succeeds(domain.cancelOrder(OWNER, id, { adjustments: null, reason: 'late' }));
  });
});

describe('every command on items', () => {
  type Command = (domain: DomainUnderTest, id: string, input: object) => ResultAsync<unknown, object>;
  const COMMANDS = {
    fulfill: (domain, id, input) => domain.fulfillItems(OWNER, id, input),
    cancel: (domain, id, input) => domain.cancelOrder(OWNER, id, input),
    return: (domain, id, input) => domain.returnItems(OWNER, id, input),
  } satisfies Record<string, Command>;
  const EACH: readonly Command[] = Object.values(COMMANDS);
  const INVALID: readonly (readonly [unknown, ...string[]])[] = [
    [[], 'items: too_short (must have at least 1 item)'],
    [Array(101).fill(of(UNKNOWN_ID, 1)), 'items: too_long'],
    [{}, 'items: wrong_type'],
    [[1], 'items[0]: wrong_type (must be an object)'],
    [[{}], 'items[0].item_id: required', 'items[0].quantity: required'],
    [[of('x', 1)], 'items[0].item_id: invalid_format'],
    [[of(UNKNOWN_ID, 0)], 'items[0].quantity: out_of_range (must be from 1 to 1000000)'],
    [[of(UNKNOWN_ID, 1.5)], 'items[0].quantity: wrong_type'],
    [[{ ...of(UNKNOWN_ID, 1), sku: 'MUG' }], 'items[0].sku: unknown_field'],
    [[of(UNKNOWN_ID, 1), of(UNKNOWN_ID.toUpperCase(), 1)], 'items[1].item_id: invalid_value (must not repeat an item)'],
  ];

  it.each(INVALID)('rejects these items: %j', async (items, ...fields) => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    for (const command of EACH)
      expect(await fails(command(domain, id, { items }))).toMatchObject(invalidFields(...fields.map(String)));
  });

  it('rejects null in place of the items, as it must not change all of them', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    for (const command of EACH.slice(0, 2))
      expect(await fails(command(domain, id, { items: null }))).toEqual(
        invalidFields('items: wrong_type (must be an array, or absent)'),
      );
  });

  it('rejects other members, and tracking and reasons that are too long', async () => {
    const domain = aDomain();
    const { order, first } = await twoLines(domain);
    const items = [of(first, 1)];
    for (const command of EACH)
      expect(await fails(command(domain, order.id, { items, note: 'x' }))).toEqual(
        invalidFields('note: unknown_field (is not a known field)'),
      );
    const tracking = { carrier: 'x'.repeat(256), number: 1, phone: '0' };
    expect(await fails(domain.fulfillItems(OWNER, order.id, { items, tracking }))).toMatchObject(
      invalidFields('tracking.phone: unknown_field', 'tracking.carrier: too_long', 'tracking.number: wrong_type'),
    );
    expect(await fails(domain.fulfillItems(OWNER, order.id, { tracking: 'x' }))).toMatchObject(
      invalidFields('tracking: wrong_type (must be an object)'),
    );
    for (const command of EACH.slice(1))
      expect(await fails(command(domain, order.id, { items, reason: 'x'.repeat(501) }))).toMatchObject(
        invalidFields('reason: too_long'),
      );
  });

  it('takes no more than there is, and finds an unknown item last', async () => {
    const domain = aDomain();
    const { order, first } = await twoLines(domain);
    await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 2)] }));
    for (const [index, available] of [1, 1, 2].entries()) {
      const command: Command = EACH[index] ?? COMMANDS.fulfill;
      const items = [of(UNKNOWN_ID, 1), of(first, 3)];
      const rejected = { type: 'quantity_not_available', item_id: first, available };
      expect(await fails(command(domain, order.id, { items }))).toEqual(rejected);
      const unknown = await fails(command(domain, order.id, { items: items.slice(0, 1) }));
      expect(unknown).toEqual(invalidFields('items[0].item_id: not_found (must be the id of an item of the order)'));
    }
  });

  it('is retried by its key, whatever became possible since, and is another command with other items', async () => {
    const domain = aDomain();
    const { order, first, second } = await twoLines(domain);
    const sent = await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 3)] }, KEY));
    await succeeds(domain.adjustOrder(OWNER, order.id, { adjustments: [shipping(1)] }));
    const again = await succeeds(domain.fulfillItems(OWNER, order.id, { items: [of(first, 3)], tracking: {} }, KEY));
    expect(JSON.stringify(again)).toBe(JSON.stringify({ order: sent.order, event: null, replayed: true }));
    const reused = { type: 'idempotency_key_reused' };
    expect(await fails(domain.fulfillItems(OWNER, order.id, { items: [of(second, 2)] }, KEY))).toEqual(reused);
    expect(await fails(domain.cancelOrder(OWNER, order.id, { items: [of(first, 3)] }, KEY))).toEqual(reused);
    expect(await fails(domain.returnItems(OWNER, order.id, { items: [of(first, 3)] }, KEY))).toEqual(reused);
  });
});

describe('in the cancel status', () => {
  it('items are neither fulfilled nor cancelled, but come back and fulfillments are corrected', async () => {
    const domain = aDomain();
    const { id, items } = await anOrderIn(domain, 'shipped', { items: [aLine({ quantity: 2 })] });
    const part = { items: [of(items[0]?.id ?? '', 1)] };
    const { order } = await succeeds(domain.fulfillItems(OWNER, id, part));
    await succeeds(domain.fulfillItems(OWNER, id, part));
    await succeeds(domain.cancelOrder(OWNER, id));
    const rejected = { type: 'order_not_modifiable', fields: ['items'] };
    expect(await fails(domain.fulfillItems(OWNER, id, part))).toEqual(rejected);
    expect(await fails(domain.cancelOrder(OWNER, id, part))).toEqual(rejected);
    expect(await fails(domain.cancelOrder(OWNER, id))).toMatchObject({ type: 'order_already_cancelled' });
    await succeeds(domain.cancelFulfillment(OWNER, id, order.fulfillments[0]?.id ?? ''));
    await succeeds(domain.returnItems(OWNER, id, part));
  });

  it('of a definition with one status everything is allowed, as nothing was cancelled', async () => {
    const ONE = defineOrders<Readonly<Record<string, readonly string[]>>, string, string>({
      lifecycle: { open: [] },
      initial: 'open',
      cancel: 'open',
    });
    const item = anItem({ quantity: 2 });
    const order = anOrder<OrderDefinition>({ items: [item] }, ONE);
    const part = { items: [of(item.id, 1)] };
    const test = given<OrderDefinition>(ONE, order);
    const sent = await test
      .when((domain) => domain.fulfillItems(GIVEN_OWNER, order.id, part))
      .thenEvents({ changed: ['items', 'fulfillments'] });
    const cancelled = await test
      .when((domain) => domain.cancelOrder(GIVEN_OWNER, order.id, part))
      .thenEvents({ type: 'order.items_cancelled' });
    expect([sent.order.status, cancelled.order.status]).toEqual(['open', 'open']);
  });
});
