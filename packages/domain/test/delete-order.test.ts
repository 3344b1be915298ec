import { ORDER_STATUSES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aDomain, anOrderIn, aPlacedOrder, NOBODY, OWNER, refuses, STRANGER, succeeds } from './a-domain.ts';

describe('deleting', () => {
  it.each(ORDER_STATUSES)('is allowed to a %s order, which then is not there to anyone', async (status) => {
    const domain = aDomain();
    const { id, version } = await anOrderIn(domain, status);
    domain.clock.advance(1000);
    const { event, replayed } = await succeeds(domain.deleteOrder(OWNER, id));
    expect(event).toMatchObject({ type: 'order.deleted', owner: OWNER, aggregate_id: id, version, changed: [] });
    expect(event?.occurred_at).toBe('2026-01-02T03:04:06.678Z');
    expect(replayed).toBe(false);
    const gone = { type: 'order_not_found', id };
    expect(await refuses(domain.getOrder(OWNER, id))).toEqual(gone);
    expect(await refuses(domain.changeOrder(OWNER, id, { note: 'n' }))).toEqual(gone);
    expect(await refuses(domain.cancelOrder(OWNER, id))).toEqual(gone);
    expect(await refuses(domain.listOrderItems(OWNER, id))).toEqual(gone);
    expect(await refuses(domain.deleteOrder(OWNER, id))).toEqual(gone);
    expect((await succeeds(domain.listOrders(OWNER))).data).toEqual([]);
    expect(domain.events().at(-1)).toEqual(event);
  });

  it('frees the reference, which a cancelled order still held', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled', { reference: 'PO-1' });
    await succeeds(domain.deleteOrder(OWNER, id));
    expect((await aPlacedOrder(domain, { reference: 'PO-1' })).reference).toBe('PO-1');
  });

  it.each([
    ['an id that nothing has', NOBODY],
    ['what is no id', 'PO-1'],
  ])('%s finds no order', async (_, id) => {
    expect(await refuses(aDomain().deleteOrder(OWNER, id))).toEqual({ type: 'order_not_found', id });
  });

  it("another owner's order finds none, and leaves it there", async () => {
    const domain = aDomain();
    const order = await aPlacedOrder(domain);
    expect(await refuses(domain.deleteOrder(STRANGER, order.id))).toEqual({ type: 'order_not_found', id: order.id });
    expect(await succeeds(domain.getOrder(OWNER, order.id))).toEqual(order);
  });

  it('is refused at a version that was not asked for, and goes on at one that was', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const mismatch = { type: 'version_mismatch', current_version: 2 };
    for (const options of [{ ifVersion: [1] }, { ifVersion: [] }, { unlessVersion: [2] }] as const) {
      expect(await refuses(domain.deleteOrder(OWNER, id, options))).toEqual(mismatch);
    }
    expect(await refuses(domain.deleteOrder(OWNER, id, { unlessVersion: 'any' }))).toEqual(mismatch);
    await succeeds(domain.deleteOrder(OWNER, id, { ifVersion: [1, 2], unlessVersion: [1] }));
    expect((await refuses(domain.getOrder(OWNER, id))).type).toBe('order_not_found');
  });
});
