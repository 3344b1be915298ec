import { aBuyer, aFulfillment, anAdjustment, anItem, anOrder } from '@orders/domain/testing';
import { orderChanges, timelineChange, type TimelineVersion } from '@orders/domain/operators';
import { describe, expect, it } from 'vitest';

const line = anItem({ quantity: 3 });
const order = anOrder({
  items: [line],
  buyer: aBuyer({ phone: null }),
  external_ids: { erp: ['1'] },
  metadata: { channel: 'web', __proto__: 'x' },
});

describe('what differs between two versions of an order', () => {
  it('is each field, by the members of objects, with its value before and after', () => {
    const after = {
      ...order,
      status: 'paid' as const,
      paid_at: '2026-01-02T03:04:06.000Z',
      buyer: aBuyer({ phone: '1' }),
      external_ids: { erp: ['1', '2'], shop: ['7'] },
      metadata: { constructor: 'y' },
      note: 'ring twice',
      version: 2,
      updated_at: '2026-01-02T03:04:06.000Z',
    };
    expect(orderChanges(order, after)).toEqual({
      changes: [
        { field: 'status', key: null, before: 'pending', after: 'paid' },
        { field: 'external_ids', key: 'erp', before: ['1'], after: ['1', '2'] },
        { field: 'external_ids', key: 'shop', before: null, after: ['7'] },
        { field: 'buyer', key: 'phone', before: null, after: '1' },
        { field: 'note', key: null, before: null, after: 'ring twice' },
        { field: 'metadata', key: 'channel', before: 'web', after: null },
        { field: 'metadata', key: 'constructor', before: null, after: 'y' },
        { field: 'paid_at', key: null, before: null, after: '2026-01-02T03:04:06.000Z' },
      ],
      items: [],
      money: null,
      fulfillments: [],
    });
    expect(orderChanges(after, after)).toEqual({ changes: [], items: [], money: null, fulfillments: [] });
  });

  it('is the quantities of items, the money, and the fulfillments, also of what is taken back', () => {
    const parcel = aFulfillment([line]);
    const refund = anAdjustment({ type: 'refund', amount: { amount: -500, currency: 'EUR' } });
    const added = anItem();
    const money = { amount: order.total.amount - 500, currency: 'EUR' };
    const sent = {
      ...order,
      items: [{ ...line, fulfilled_quantity: 3, returned_quantity: 1 }, added],
      fulfillments: [parcel],
      adjustments: [refund],
      total: money,
    };
    const { sku, name } = line;
    const none = { ordered: 0, fulfilled: 0, cancelled: 0, returned: 0 };
    expect(orderChanges(order, sent)).toEqual({
      changes: [],
      items: [
        { ...none, item_id: line.id, sku, name, fulfilled: 3, returned: 1 },
        { ...none, item_id: added.id, sku, name, ordered: 2 },
      ],
      money: { before: order.total, after: money, adjustments: [refund] },
      fulfillments: [parcel],
    });
    const cancelled = { ...parcel, cancelled_at: '2026-01-02T03:04:06.000Z' };
    const back = { ...sent, items: [line, added], fulfillments: [cancelled] };
    expect(orderChanges(sent, back)).toMatchObject({
      items: [{ item_id: line.id, fulfilled: -3, returned: -1 }],
      money: null,
      fulfillments: [cancelled],
    });
  });

  it('is everything of a new order, and of custom data that is no object the whole', () => {
    const { changes, items, money } = orderChanges(null, order);
    expect(changes).toContainEqual({ field: 'status', key: null, before: null, after: 'pending' });
    expect(changes).toContainEqual({ field: 'buyer', key: 'email', before: null, after: 'Ada@example.com' });
    expect(changes.map(({ field }) => field)).not.toContain('note');
    expect([items[0]?.ordered, money?.before, money?.after]).toEqual([3, null, order.total]);
    const [one, other] = [1, [2]].map((custom) => ({ ...order, custom }));
    if (!one || !other) throw new Error('unreachable');
    expect(orderChanges(one, other).changes).toEqual([{ field: 'custom', key: null, before: 1, after: [2] }]);
  });
});

describe('the entry of a version', () => {
  const version = (number: number, more: Partial<TimelineVersion> = {}): TimelineVersion => ({
    version: number,
    type: 'order.changed',
    changed: [],
    occurred_at: order.updated_at,
    actor: null,
    actor_name: null,
    external_user_id: null,
    reason: null,
    operator_reason: null,
    order: { ...order, version: number },
    deliveries: [],
    ...more,
  });

  it('has no changes unless this version and the one before are stored', () => {
    const changesOf = (before: TimelineVersion | null, after: TimelineVersion) => timelineChange(before, after).changes;
    expect(changesOf(version(2), version(3))).toEqual([]);
    expect(changesOf(null, version(3))).toBeNull();
    expect(changesOf(version(1), version(3))).toBeNull();
    expect(changesOf(version(2, { order: null }), version(3))).toBeNull();
    expect(changesOf(version(2), version(3, { order: null }))).toBeNull();
    expect(changesOf(null, version(1, { order: null }))).toBeNull();
    expect(changesOf(null, version(4, { type: 'order.deleted', order: null }))).toEqual([]);
  });
});
