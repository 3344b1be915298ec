import { type AnyOrder, ORDERS } from '@orders/domain';
import { anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { type DeliveryOfVersion, type Summarized, summarizeOrder, timelineChange } from '@orders/domain/operators';
import { describe, expect, it } from 'vitest';

const order = anOrder({
  status: 'shipped',
  items: [
    anItem({ quantity: 3, fulfilled_quantity: 2, returned_quantity: 1 }),
    anItem({ quantity: 2, cancelled_quantity: 1 }),
  ],
  adjustments: [anAdjustment({ type: 'refund', amount: { amount: -500, currency: 'EUR' } })],
  paid_at: '2026-01-02T03:04:06.000Z',
  shipped_at: '2026-01-02T03:04:07.000Z',
  version: 3,
});
const version = (number: number, type: 'order.changed' | 'order.deleted' = 'order.changed') => ({
  version: number,
  type,
  changed: [],
  occurred_at: `2026-01-02T03:04:0${number}.000Z`,
  actor: 'api_key:ord_1',
  external_user_id: null,
  reason: null,
  operator_reason: null,
  order,
});
const entry = (number: number, changes: [] | null) => ({
  ...timelineChange(null, { ...version(number), actor_name: 'web shop', deliveries: [] }),
  changes,
});
const delivery = (number: number, more: Partial<DeliveryOfVersion>): DeliveryOfVersion => ({
  version: number,
  type: 'order.changed',
  endpoint_id: 'a',
  endpoint_url: null,
  status: 'failed',
  attempts: 4,
  last_status: 503,
  last_error: 'status_not_accepted',
  last_duration_ms: 9,
  next_attempt_at: null,
  ...more,
});

const summarize = (more: Partial<Summarized> = {}) =>
  summarizeOrder(ORDERS, {
    id: order.id,
    newest: version(3),
    order,
    first: [entry(1, []), entry(2, null), entry(3, [])],
    deliveries: [],
    ...more,
  });

describe('the summary of an order', () => {
  it('has nothing open of a cancelled order', () => {
    expect(summarize({ order: { ...order, status: 'cancelled' } }).order?.quantities.open).toBe(0);
  });

  it('has what it is and what is open', () => {
    expect(summarize()).toMatchObject({
      version: 3,
      order: {
        status: 'shipped',
        available_transitions: ['delivered', 'cancelled'],
        line_count: 2,
        quantities: { ordered: 5, fulfilled: 2, cancelled: 1, returned: 1, open: 2 },
        refunded: { amount: 500, currency: 'EUR' },
        entered: [
          { status: 'paid', at: order.paid_at },
          { status: 'shipped', at: order.shipped_at },
        ],
      },
      deleted_at: null,
      placed_by: { actor: 'api_key:ord_1', actor_name: 'web shop' },
      complete_from: '2026-01-02T03:04:03.000Z',
      faults: [],
    });
  });

  it('has the first of the deliveries to each endpoint that failed or are tried again, and their number', () => {
    const deliveries = [
      delivery(1, { status: 'delivered' }),
      delivery(2, {}),
      delivery(2, { endpoint_id: 'b', status: 'pending', attempts: 0 }),
      delivery(3, { status: 'pending', attempts: 1 }),
      delivery(3, {}),
    ];
    expect(summarize({ deliveries }).faults).toMatchObject([
      { code: 'delivery_failed', endpoint_id: 'a', version: 2, count: 2 },
      { code: 'delivery_retried', endpoint_id: 'a', version: 3, count: 1 },
    ]);
  });

  it('says that the definition lacks the status, but not of a deleted order, which can change to none', () => {
    const unknown: AnyOrder = { ...order, status: 'packed' };
    expect(summarize({ order: unknown }).faults).toEqual([{ code: 'status_unknown', status: 'packed' }]);
    const deleted = summarize({ order: unknown, newest: version(4, 'order.deleted'), first: [entry(2, null)] });
    expect(deleted).toMatchObject({ deleted_at: '2026-01-02T03:04:04.000Z', placed_by: null, complete_from: null });
    expect([deleted.faults, deleted.order?.available_transitions]).toEqual([[], []]);
  });
});
