import { ORDER_STATUSES } from '@orders/domain';
import { anOrder, given, GIVEN_OWNER } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aDomain, anOrderIn, CUSTOMER, fails, NOW, OWNER, succeeds, UNKNOWN_ID } from '../fixtures/a-domain.ts';

const cancellable = ORDER_STATUSES.filter((status) => status !== 'cancelled');

describe('the cancellation of an order', () => {
  it.each(cancellable)('has the same result from %s by cancelOrder and changeOrder', async (status) => {
    const [one, other] = [aDomain(), aDomain()];
    const { id } = await anOrderIn(one, status);
    await anOrderIn(other, status);
    const reason = 'changed my mind';
    const cancelled = await succeeds(one.cancelOrder(OWNER, id, { reason }));
    const patched = await succeeds(other.changeOrder(OWNER, id, { status: 'cancelled', cancel_reason: reason }));
    expect(cancelled).toEqual(patched);
    expect(cancelled.order.cancel_reason).toBe(reason);
    expect(cancelled.event?.changed).toEqual(['status', 'cancelled_at', 'cancel_reason']);
    expect(one.events()).toEqual(other.events());
  });

  it.each([
    [undefined, null],
    [{}, null],
    [{ reason: null }, null],
    [{ reason: '' }, ''],
  ])('needs no reason, and stores an empty reason unchanged: %o', async (input, cancel_reason) => {
    const before = anOrder();
    const { order } = await given(before)
      .when((domain) => domain.cancelOrder(GIVEN_OWNER, before.id, input))
      .thenEvents({ type: 'order.cancelled' });
    expect(order).toMatchObject({ status: 'cancelled', cancel_reason });
  });

  it('fails the second time by cancelOrder and changeOrder, with any other changes, and changes nothing', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    await succeeds(domain.cancelOrder(OWNER, id, { reason: 'first' }));
    domain.clock.advance(1000);
    const { order } = await succeeds(domain.changeOrder(OWNER, id, { note: 'afterwards' }));
    const earlier = domain.events();
    const again = { type: 'order_already_cancelled', cancelled_at: NOW, current_version: 4 };
    expect(await fails(domain.cancelOrder(OWNER, id, { reason: 'second' }))).toEqual(again);
    for (const more of [{}, { cancel_reason: 'second' }, { note: 'n' }, { reference: 'PO-1', customer_id: CUSTOMER }])
      expect(await fails(domain.changeOrder(OWNER, id, { status: 'cancelled', ...more }))).toEqual(again);
    expect(await succeeds(domain.getOrder(OWNER, id))).toEqual(order);
    expect(domain.events()).toEqual(earlier);
  });
});

describe('a cancelled order', () => {
  it.each([
    [{ customer_id: null }, ['customer_id']],
    [{ reference: 'PO-2' }, ['reference']],
    [{ reference: null, customer_id: UNKNOWN_ID, note: 'n' }, ['customer_id', 'reference']],
  ])('rejects a change of its customer or reference as a whole: %o', async (patch, fields) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, 'cancelled', { customer_id: CUSTOMER, reference: 'PO-1' });
    expect(await fails(domain.changeOrder(OWNER, before.id, patch))).toEqual({ type: 'order_not_modifiable', fields });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
    const moved = { ...patch, status: 'paid' };
    expect((await fails(domain.changeOrder(OWNER, before.id, moved))).type).toBe('invalid_status_transition');
  });

  it('accepts its current customer and reference, and changes of its note and metadata', async () => {
    const domain = aDomain();
    const same = { customer_id: CUSTOMER, reference: 'PO-1' };
    const before = await anOrderIn(domain, 'cancelled', same);
    expect(await succeeds(domain.changeOrder(OWNER, before.id, same))).toMatchObject({ order: before, event: null });
    const patch = { note: 'refunded', metadata: { refund: 'r-1' } };
    const { order } = await succeeds(domain.changeOrder(OWNER, before.id, { ...same, ...patch }));
    expect(order).toEqual({ ...before, ...patch, version: before.version + 1 });
  });
});
