import { ORDER_STATUSES } from '@orders/domain';
import { describe, expect, it } from 'vitest';
import { aDomain, anOrderIn, aPlacedOrder, CUSTOMER, NOBODY, NOW, OWNER, refuses, succeeds } from './a-domain.ts';

const living = ORDER_STATUSES.filter((status) => status !== 'cancelled');

describe('cancelling', () => {
  it.each(living)('is allowed to a %s order, with one version step and one event', async (status) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, status);
    const earlier = domain.events().length;
    domain.clock.advance(1000);
    const at = '2026-01-02T03:04:06.678Z';
    const { order, event } = await succeeds(domain.cancelOrder(OWNER, before.id));
    const version = before.version + 1;
    expect(order).toEqual({ ...before, status: 'cancelled', version, updated_at: at, cancelled_at: at });
    expect(event).toMatchObject({ type: 'order.cancelled', version, occurred_at: at });
    expect(event?.changed).toEqual(['status', 'cancelled_at']);
    expect(domain.events().slice(earlier)).toEqual([event]);
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(order);
  });

  it.each(living)('a %s order by either door leaves the same order and event', async (status) => {
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

  it.each([undefined, {}, { reason: null }])('needs no reason: %o', async (input) => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const { order } = await succeeds(domain.cancelOrder(OWNER, id, input));
    expect(order).toMatchObject({ status: 'cancelled', cancel_reason: null });
  });

  it('keeps an empty reason as it is', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const { order } = await succeeds(domain.cancelOrder(OWNER, id, { reason: '' }));
    expect(order.cancel_reason).toBe('');
  });

  it('is refused the second time by either door, whatever else is asked for, and nothing changes', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'paid');
    const { order } = await succeeds(domain.cancelOrder(OWNER, id, { reason: 'first' }));
    const earlier = domain.events();
    domain.clock.advance(1000);
    const again = { type: 'order_already_cancelled', cancelled_at: NOW, current_version: 3 };
    expect(await refuses(domain.cancelOrder(OWNER, id))).toEqual(again);
    expect(await refuses(domain.cancelOrder(OWNER, id, { reason: 'second' }))).toEqual(again);
    for (const more of [{}, { cancel_reason: 'second' }, { note: 'n' }, { reference: 'PO-1', customer_id: CUSTOMER }]) {
      expect(await refuses(domain.changeOrder(OWNER, id, { status: 'cancelled', ...more }))).toEqual(again);
    }
    expect(await succeeds(domain.getOrder(OWNER, id))).toEqual(order);
    expect(domain.events()).toEqual(earlier);
  });

  it('tells the newest version of an order that was changed after it was cancelled', async () => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled');
    domain.clock.advance(1000);
    await succeeds(domain.changeOrder(OWNER, id, { note: 'afterwards' }));
    const refusal = await refuses(domain.cancelOrder(OWNER, id));
    expect(refusal).toEqual({ type: 'order_already_cancelled', cancelled_at: NOW, current_version: 3 });
  });

  it('twenty times at once happens once', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => domain.cancelOrder(OWNER, id)));
    expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1);
    const refused = outcomes.flatMap((outcome) => (outcome.isErr() ? [outcome.error] : []));
    const again = { type: 'order_already_cancelled', cancelled_at: NOW, current_version: 2 };
    expect(refused).toEqual(Array.from({ length: 19 }, () => again));
    expect((await succeeds(domain.getOrder(OWNER, id))).version).toBe(2);
    expect(domain.events().map(({ type }) => type)).toEqual(['order.placed', 'order.cancelled']);
  });
});

describe('a cancelled order', () => {
  it('may still have its note and metadata changed', async () => {
    const domain = aDomain();
    const { id, cancelled_at } = await anOrderIn(domain, 'cancelled');
    const patch = { note: 'refunded', metadata: { refund: 'r-1' } };
    const { order, event } = await succeeds(domain.changeOrder(OWNER, id, patch));
    expect(order).toMatchObject({ ...patch, status: 'cancelled', version: 3, cancelled_at });
    expect(event).toMatchObject({ type: 'order.changed', changed: ['note', 'metadata'] });
  });

  it.each([
    [{ customer_id: null }, ['customer_id']],
    [{ reference: 'PO-2' }, ['reference']],
    [{ reference: null, customer_id: NOBODY, note: 'n' }, ['customer_id', 'reference']],
  ])('keeps its customer and reference: %o is refused whole', async (patch, fields) => {
    const domain = aDomain();
    const before = await anOrderIn(domain, 'cancelled', { customer_id: CUSTOMER, reference: 'PO-1' });
    const refusal = await refuses(domain.changeOrder(OWNER, before.id, patch));
    expect(refusal).toEqual({ type: 'order_not_modifiable', fields });
    expect(await succeeds(domain.getOrder(OWNER, before.id))).toEqual(before);
  });

  it('takes the customer and reference that it has for no change', async () => {
    const domain = aDomain();
    const same = { customer_id: CUSTOMER, reference: 'PO-1' };
    const before = await anOrderIn(domain, 'cancelled', same);
    expect(await succeeds(domain.changeOrder(OWNER, before.id, same))).toMatchObject({ order: before, event: null });
    const { order } = await succeeds(domain.changeOrder(OWNER, before.id, { ...same, note: 'n' }));
    expect(order).toMatchObject({ ...same, note: 'n', version: before.version + 1 });
  });

  it.each(living)('does not become %s, which is judged before its customer and reference', async (status) => {
    const domain = aDomain();
    const { id } = await anOrderIn(domain, 'cancelled');
    const refusal = await refuses(domain.changeOrder(OWNER, id, { status, reference: 'PO-2', customer_id: CUSTOMER }));
    expect(refusal).toEqual({
      type: 'invalid_status_transition',
      current_status: 'cancelled',
      requested_status: status,
      available_transitions: [],
    });
  });
});
