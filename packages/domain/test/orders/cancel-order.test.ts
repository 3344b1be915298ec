import { ORDER_STATUSES } from '@orders/domain';
import { anOrder, given, GIVEN_OWNER } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import {
  aDomain,
  anOrderIn,
  aPlacedOrder,
  CUSTOMER,
  fails,
  NOW,
  OWNER,
  succeeds,
  UNKNOWN_ID,
} from '../fixtures/a-domain.ts';

const cancellable = ORDER_STATUSES.filter((status) => status !== 'cancelled');

describe('the cancellation of an order', () => {
  it.each(cancellable)('succeeds from %s with one new version and one event', async (status) => {
    const before = anOrder({ status });
    const at = '2026-01-02T03:04:06.678Z';
    const { order } = await given(before)
      .when((domain, clock) => {
        clock.advance(1000);
        return domain.cancelOrder(GIVEN_OWNER, before.id);
      })
      .thenEvents({ type: 'order.cancelled', version: 2, occurred_at: at, changed: ['status', 'cancelled_at'] });
    expect(order).toEqual({ ...before, status: 'cancelled', version: 2, updated_at: at, cancelled_at: at });
  });

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
    const { order } = await succeeds(domain.cancelOrder(OWNER, id, { reason: 'first' }));
    const earlier = domain.events();
    domain.clock.advance(1000);
    const again = { type: 'order_already_cancelled', cancelled_at: NOW, current_version: 3 };
    expect(await fails(domain.cancelOrder(OWNER, id))).toEqual(again);
    expect(await fails(domain.cancelOrder(OWNER, id, { reason: 'second' }))).toEqual(again);
    for (const more of [{}, { cancel_reason: 'second' }, { note: 'n' }, { reference: 'PO-1', customer_id: CUSTOMER }]) {
      expect(await fails(domain.changeOrder(OWNER, id, { status: 'cancelled', ...more }))).toEqual(again);
    }
    expect(await succeeds(domain.getOrder(OWNER, id))).toEqual(order);
    expect(domain.events()).toEqual(earlier);
  });

  it('reports the newest version of an order that was changed after its cancellation', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled');
    domain.clock.advance(1000);
    await succeeds(domain.changeOrder(OWNER, id, { note: 'afterwards' }));
    const error = await fails(domain.cancelOrder(OWNER, id));
    expect(error).toEqual({ type: 'order_already_cancelled', cancelled_at: NOW, current_version: 3 });
  });

  it('succeeds once for twenty concurrent calls', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => domain.cancelOrder(OWNER, id)));
    expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1);
    const errors = outcomes.flatMap((outcome) => (outcome.isErr() ? [outcome.error] : []));
    const again = { type: 'order_already_cancelled', cancelled_at: NOW, current_version: 2 };
    expect(errors).toEqual(Array.from({ length: 19 }, () => again));
    expect((await succeeds(domain.getOrder(OWNER, id))).version).toBe(2);
    expect(domain.events().map(({ type }) => type)).toEqual(['order.placed', 'order.cancelled']);
  });
});

describe('a cancelled order', () => {
  it('accepts changes of its note and metadata', async () => {
    const before = anOrder({ status: 'cancelled', cancelled_at: NOW });
    const patch = { note: 'refunded', metadata: { refund: 'r-1' } };
    const { order } = await given(before)
      .when((domain) => domain.changeOrder(GIVEN_OWNER, before.id, patch))
      .thenEvents({ type: 'order.changed', changed: ['note', 'metadata'] });
    expect(order).toEqual({ ...before, ...patch, version: 2 });
  });

  it.each([
    [{ customer_id: null }, ['customer_id']],
    [{ reference: 'PO-2' }, ['reference']],
    [{ reference: null, customer_id: UNKNOWN_ID, note: 'n' }, ['customer_id', 'reference']],
  ])('rejects a change of its customer or reference as a whole: %o', async (patch, fields) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, 'cancelled', { customer_id: CUSTOMER, reference: 'PO-1' });
    const error = await fails(domain.changeOrder(OWNER, before.id, patch));
    expect(error).toEqual({ type: 'order_not_modifiable', fields });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('accepts its current customer and reference without a change', async () => {
    const domain = aDomain();
    const same = { customer_id: CUSTOMER, reference: 'PO-1' };
    const before = await anOrderIn(domain, 'cancelled', same);
    expect(await succeeds(domain.changeOrder(OWNER, before.id, same))).toMatchObject({ order: before, event: null });
    const { order } = await succeeds(domain.changeOrder(OWNER, before.id, { ...same, note: 'n' }));
    expect(order).toMatchObject({ ...same, note: 'n', version: before.version + 1 });
  });

  it.each(cancellable)('rejects status %s before it checks the customer and reference', async (status) => {
    const before = anOrder({ status: 'cancelled' });
    await given(before)
      .when((domain) =>
        domain.changeOrder(GIVEN_OWNER, before.id, { status, reference: 'PO-2', customer_id: CUSTOMER }),
      )
      .thenError({
        type: 'invalid_status_transition',
        current_status: 'cancelled',
        requested_status: status,
        available_transitions: [],
      });
  });
});
