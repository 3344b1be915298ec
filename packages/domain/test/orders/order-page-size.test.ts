import {
  ADDRESS_MEMBERS,
  availableTransitions,
  BUYER_MEMBERS,
  REASON_LENGTH_MAX,
  CUSTOM_BYTES_MAX,
  defineOrders,
  elementsOf,
  EXTERNAL_ID_LENGTH_MAX,
  EXTERNAL_IDS_MAX,
  freeTextBytes,
  FULFILLMENTS_MAX,
  ITEM_NAME_LENGTH_MAX,
  ITEMS_MAX,
  ITEMS_METADATA_BYTES_MAX,
  NOTE_LENGTH_MAX,
  ORDER_STATUSES_MAX,
  type OrderDefinition,
  PAGE_BYTES_MAX,
  PAGE_ELEMENTS_MAX,
  PAGE_JSON_BYTES_MAX,
  PAGE_LIMIT_MAX,
  QUANTITY_MAX,
  REFERENCE_LENGTH_MAX,
  SKU_LENGTH_MAX,
  SYSTEM_LENGTH_MAX,
  TRACKING_LENGTH_MAX,
} from '@orders/domain';
import { aBuyer, aFulfillment, anAddress, anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';

/** Returns the bytes that a text of `length` characters has in JSON when each of them is escaped. */
const escaped = (length: number) => JSON.stringify('\u0001'.repeat(length)).length - '""'.length;

const lengthOf = (members: object) =>
  Object.values<{ max: number }>({ ...members }).reduce((sum, { max }) => sum + max, 0);
const empty = (members: object) => Object.fromEntries(Object.keys(members).map((name) => [name, '']));

/** The parts of the largest page besides the frames of its orders and items. */
const TEXTS =
  PAGE_BYTES_MAX +
  PAGE_LIMIT_MAX * (escaped(NOTE_LENGTH_MAX) + escaped(REFERENCE_LENGTH_MAX) + 2 * escaped(REASON_LENGTH_MAX)) +
  PAGE_LIMIT_MAX * (escaped(lengthOf(BUYER_MEMBERS)) + 2 * escaped(lengthOf(ADDRESS_MEMBERS))) +
  PAGE_LIMIT_MAX * EXTERNAL_IDS_MAX * escaped(SYSTEM_LENGTH_MAX + EXTERNAL_ID_LENGTH_MAX) +
  PAGE_LIMIT_MAX * ITEMS_METADATA_BYTES_MAX +
  PAGE_ELEMENTS_MAX * 3 * escaped(TRACKING_LENGTH_MAX);

/** The bytes that the frame of an order may have; that of an element has 416. */
const FRAME_BYTES = (PAGE_JSON_BYTES_MAX - TEXTS - PAGE_ELEMENTS_MAX * 416) / PAGE_LIMIT_MAX;

const AT = '2026-01-02T03:04:05.678Z';
const statuses = Array.from({ length: ORDER_STATUSES_MAX }, (_, at) => `s${at}`.padEnd(30, '_'));
const [initial = '', cancel = ''] = statuses;
const LARGEST = defineOrders<Readonly<Record<string, readonly string[]>>, string, string, unknown>({
  lifecycle: Object.fromEntries(statuses.map((status, at) => [status, at === 0 ? statuses.slice(1) : []])),
  initial,
  cancel,
  custom: { parse: (input) => ok(input), schema: {} },
});

describe('the largest page', () => {
  it('has room for the frames of orders with forty statuses, all of which were entered and may be entered', () => {
    const order = anOrder<OrderDefinition>(
      {
        ...Object.fromEntries(Object.keys(LARGEST.noTimes).map((name) => [name, AT])),
        customer_id: '019b0000-cccc-7000-8000-00000000000a',
        items: [],
        reference: '',
        external_ids: Object.fromEntries(Array.from({ length: EXTERNAL_IDS_MAX }, (_, at) => [`${at}`, ['']])),
        buyer: aBuyer(empty(BUYER_MEMBERS)),
        shipping_address: anAddress(empty(ADDRESS_MEMBERS)),
        billing_address: anAddress(empty(ADDRESS_MEMBERS)),
        note: '',
        cancel_reason: '',
        subtotal: { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' },
        total: { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' },
        version: Number.MAX_SAFE_INTEGER,
      },
      LARGEST,
    );
    const frame = JSON.stringify({ ...order, available_transitions: availableTransitions(initial, LARGEST) });
    expect(frame.match(/s\d+_+/g)).toHaveLength(79);
    expect(frame.length).toBeLessThanOrEqual(FRAME_BYTES);
    expect(frame.length).toBeGreaterThan(0.85 * FRAME_BYTES);
  });

  it('has room for the frames of elements, of which a fulfillment of one item has the longest texts', () => {
    const amount = { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' };
    const quantities = {
      quantity: QUANTITY_MAX,
      fulfilled_quantity: QUANTITY_MAX,
      cancelled_quantity: QUANTITY_MAX,
      returned_quantity: QUANTITY_MAX,
    };
    const item = anItem({ sku: '', name: '', ...quantities, unit_price: amount, total: amount });
    const tracking = { carrier: '', number: '', url: '' };
    const adjustment = anAdjustment({ name: '', amount, item_id: item.id });
    for (const element of [item, adjustment, aFulfillment([item], { tracking, cancelled_at: AT })])
      expect(JSON.stringify(element).length).toBeLessThanOrEqual(416);
    expect(SKU_LENGTH_MAX + ITEM_NAME_LENGTH_MAX).toBeLessThan(3 * TRACKING_LENGTH_MAX);
  });

  it('has room for one order with more elements than a page has', () => {
    const items = Array.from({ length: ITEMS_MAX }, () => anItem({ quantity: QUANTITY_MAX }));
    const fulfillments = Array.from({ length: FULFILLMENTS_MAX }, () => aFulfillment(items, { cancelled_at: AT }));
    const order = anOrder({ items, fulfillments });
    expect(elementsOf(order)).toBe(ITEMS_MAX + FULFILLMENTS_MAX * ITEMS_MAX);
    const texts =
      ITEMS_MAX * escaped(SKU_LENGTH_MAX + ITEM_NAME_LENGTH_MAX) + FULFILLMENTS_MAX * 3 * escaped(TRACKING_LENGTH_MAX);
    expect(JSON.stringify(order).length + texts).toBeLessThan(PAGE_JSON_BYTES_MAX / 2);
  });

  it('has custom data among its free text', () => {
    const custom = 'é'.repeat((CUSTOM_BYTES_MAX - 2) / 2);
    expect(freeTextBytes({ metadata: {}, custom }) - freeTextBytes({ metadata: {} })).toBe(CUSTOM_BYTES_MAX);
  });
});
