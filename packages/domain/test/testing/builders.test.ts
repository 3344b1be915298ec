import { ORDERS, type OrderStatus, presentOrder } from '@orders/domain';
import {
  aCustomer,
  aKey,
  anEventOf,
  anEventOfCustomer,
  anEventOfEndpoint,
  anItem,
  anOrder,
  aWebhookEndpoint,
  fixedClock,
  sequentialIds,
} from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aDomain, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const anId: unknown = expect.stringMatching(UUID_V7);

describe('the default value of a builder', () => {
  it('is an order that the domain could have placed', async () => {
    const built = anOrder();
    const items = built.items.map(({ sku, name, quantity, unit_price }) => ({ sku, name, quantity, unit_price }));
    const { order } = await succeeds(aDomain().placeOrder(OWNER, { items }));
    const ids = { id: anId, items: order.items.map((item) => ({ ...item, id: anId })) };
    expect(presentOrder(built, ORDERS)).toEqual({ ...order, ...ids });
  });

  it('is an order with the times of the statuses that it must have passed, in a further status', () => {
    const timesOf = (status: OrderStatus) => {
      const { updated_at, paid_at, shipped_at, delivered_at, cancelled_at } = anOrder({ status });
      return [paid_at, shipped_at, delivered_at, cancelled_at].map((time) => time === updated_at);
    };
    expect(timesOf('shipped')).toEqual([true, true, false, false]);
    // It may have been cancelled at once.
    expect(timesOf('cancelled')).toEqual([false, false, false, true]);
    expect(anOrder({ status: 'paid', paid_at: null }).paid_at).toBeNull();
  });

  it('is a customer that the domain could have created', async () => {
    const built = aCustomer();
    const { customer } = await succeeds(aDomain().createCustomer(OWNER, { email: built.email }));
    expect(built).toEqual({ ...customer, id: anId });
  });

  it('is an event that matches its order or customer', () => {
    const order = anOrder({ version: 1, updated_at: '2026-01-03T00:00:00.000Z' });
    const event = {
      id: anId,
      owner: OWNER,
      occurred_at: order.updated_at,
      changed: [],
      actor: null,
      external_user_id: null,
    };
    expect(anEventOf(OWNER, order)).toEqual({ ...event, type: 'order.placed', aggregate_id: order.id, version: 1 });
    const changed = { ...event, type: 'order.changed', aggregate_id: order.id, version: 2 };
    expect(anEventOf(OWNER, { ...order, version: 2 })).toEqual(changed);
    const deleted = { ...changed, type: 'order.deleted', version: 3 };
    expect(anEventOf(OWNER, { ...order, version: 2 }, { type: 'order.deleted' })).toEqual(deleted);
    const customer = aCustomer({ updated_at: order.updated_at });
    const created = { ...event, type: 'customer.created', aggregate_id: customer.id, version: 1 };
    expect(anEventOfCustomer(OWNER, customer)).toEqual(created);
    const renamed = { ...created, type: 'customer.changed', version: 2 };
    expect(anEventOfCustomer(OWNER, { ...customer, version: 2 })).toEqual(renamed);
    const removed = { ...created, type: 'customer.deleted', version: 2 };
    expect(anEventOfCustomer(OWNER, customer, { type: 'customer.deleted' })).toEqual(removed);
  });

  it('is an event that matches its webhook endpoint', () => {
    const endpoint = aWebhookEndpoint({ updated_at: '2026-01-03T00:00:00.000Z' });
    const created = anEventOfEndpoint(OWNER, endpoint);
    const { updated_at: occurred_at, id: aggregate_id } = endpoint;
    const members = {
      id: anId,
      owner: OWNER,
      occurred_at,
      aggregate_id,
      changed: [],
      actor: null,
      external_user_id: null,
    };
    expect(created).toEqual({ ...members, type: 'webhook_endpoint.created', version: 1 });
    const changed = anEventOfEndpoint(OWNER, { ...endpoint, version: 2 });
    expect(changed).toEqual({ ...members, type: 'webhook_endpoint.changed', version: 2 });
    const deleted = anEventOfEndpoint(OWNER, endpoint, { type: 'webhook_endpoint.deleted' });
    expect(deleted).toEqual({ ...members, type: 'webhook_endpoint.deleted', version: 2 });
  });

  it('is a key that expires after one day', () => {
    const { key, fingerprint, now, expires_at } = aKey();
    expect(key).toMatch(UUID_V7);
    expect(fingerprint).toBe('a command');
    expect(Date.parse(expires_at) - Date.parse(now)).toBe(24 * 60 * 60 * 1000);
  });

  it('is unique for each call', () => {
    const ids = [anOrder, aCustomer, aWebhookEndpoint, anItem].flatMap((build) => [build().id, build().id]);
    expect(new Set([...ids, aKey().key, aKey().key]).size).toBe(10);
    expect(aCustomer().email).not.toBe(aCustomer().email);
  });
});

describe('the value of a builder with overrides', () => {
  it('has totals that match its prices', () => {
    const item = anItem({ quantity: 3, unit_price: { amount: 5, currency: 'JPY' } });
    expect(item.total).toEqual({ amount: 15, currency: 'JPY' });
    expect(anOrder({ items: [item, item] }).total).toEqual({ amount: 30, currency: 'JPY' });
  });

  it('has the creation time as its default time of the last change', () => {
    const [made, changed] = ['2026-02-01T00:00:00.000Z', '2026-02-02T00:00:00.000Z'];
    for (const build of [anOrder, aCustomer, aWebhookEndpoint]) {
      expect(build().updated_at).toBe(build().created_at);
      expect(build({ created_at: made })).toMatchObject({ created_at: made, updated_at: made });
      expect(build({ created_at: made, updated_at: changed }).updated_at).toBe(changed);
    }
  });
});

describe('a fixed clock', () => {
  it('starts at the time of the builders, and changes only by advance', () => {
    const clock = fixedClock();
    expect([clock.now(), clock.now()]).toEqual([new Date(NOW), new Date(NOW)]);
    clock.advance(-678);
    expect(clock.now().toISOString()).toBe('2026-01-02T03:04:05.000Z');
  });
});

describe('sequential ids', () => {
  it('are increasing UUIDs of version 7, the same in every run', () => {
    const ids = sequentialIds();
    const made = Array.from({ length: 20 }, () => ids.next());
    for (const id of made) expect(id).toMatch(UUID_V7);
    expect(made).toEqual(made.toSorted());
    expect([made[0], made[15]]).toEqual([
      '019b0000-0000-7000-8000-000000000001',
      '019b0000-0000-7000-8000-000000000010',
    ]);
    expect(sequentialIds(0x9).next()).toBe('019b0000-0009-7000-8000-000000000001');
  });
});
