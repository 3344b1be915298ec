import { ORDER_STATUSES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  fails,
  OTHER_OWNER,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

describe('the deletion of an order', () => {
  it.each(ORDER_STATUSES)('succeeds for a %s order, after which only its versions can be read', async (status) => {
    const domain = aDomain();
    const { id, version } = await anOrderIn(domain, status);
    domain.clock.advance(1000);
    const { event, replayed } = await succeeds(domain.deleteOrder(OWNER, id));
    const deletion = { type: 'order.deleted', owner: OWNER, aggregate_id: id, version: version + 1, changed: [] };
    expect(event).toMatchObject(deletion);
    expect(event?.occurred_at).toBe('2026-01-02T03:04:06.678Z');
    expect(replayed).toBe(false);
    const deleted = { type: 'order_not_found', id };
    expect(await fails(domain.getOrder(OWNER, id))).toEqual(deleted);
    expect(await fails(domain.changeOrder(OWNER, id, { note: 'n' }))).toEqual(deleted);
    expect(await fails(domain.cancelOrder(OWNER, id))).toEqual(deleted);
    expect(await fails(domain.listOrderItems(OWNER, id))).toEqual(deleted);
    expect(await fails(domain.deleteOrder(OWNER, id))).toEqual(deleted);
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
    expect((await succeeds(domain.listOrderVersions(OWNER, id))).data).toHaveLength(version + 1);
    expect(domain.events().at(-1)).toEqual(event);
  });

  it('frees the reference of a cancelled order', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled', { reference: 'PO-1' });
    await succeeds(domain.deleteOrder(OWNER, id));
    expect((await aPlacedOrder(domain, { reference: 'PO-1' })).reference).toBe('PO-1');
  });

  it.each([
    ['a nonexistent id', UNKNOWN_ID],
    ['a malformed id', 'PO-1'],
  ])('returns order_not_found for %s', async (_, id) => {
    expect(await fails(aDomain().deleteOrder(OWNER, id))).toEqual({ type: 'order_not_found', id });
  });

  it('returns order_not_found for an order of another owner, and keeps it', async () => {
    const domain = aDomain();
    const order = await aPlacedOrder(domain);
    expect(await fails(domain.deleteOrder(OTHER_OWNER, order.id))).toEqual({ type: 'order_not_found', id: order.id });
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it('fails at a version that the precondition excludes, and succeeds at another', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const mismatch = { type: 'version_mismatch', current_version: 2 };
    for (const options of [{ ifVersion: [1] }, { ifVersion: [] }, { unlessVersion: [2] }] as const) {
      expect(await fails(domain.deleteOrder(OWNER, id, options))).toEqual(mismatch);
    }
    expect(await fails(domain.deleteOrder(OWNER, id, { unlessVersion: 'any' }))).toEqual(mismatch);
    await succeeds(domain.deleteOrder(OWNER, id, { ifVersion: [1, 2], unlessVersion: [1] }));
    expect((await fails(domain.getOrder(OWNER, id))).type).toBe('order_not_found');
  });
});
