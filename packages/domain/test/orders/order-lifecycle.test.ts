import { canBecome, ORDER_LIFECYCLE, ORDER_STATUSES } from '@orders/domain';
import { anOrder, given, GIVEN_OWNER } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aDomain, aPlacedOrder, fails, NOW, OWNER, succeeds } from '../fixtures/a-domain.ts';

const LATER = '2026-01-02T03:04:06.678Z';

const pairs = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => ({ from, to })));
const moves = pairs.flatMap(({ from, to }) => (to !== 'pending' && canBecome(from, to) ? [{ from, to }] : []));
const errors = pairs.filter(({ from, to }) => from !== to && !canBecome(from, to));

describe('the lifecycle', () => {
  it('has the specified transitions', () => {
    expect(ORDER_LIFECYCLE).toEqual({
      pending: ['paid', 'cancelled'],
      paid: ['shipped', 'cancelled'],
      shipped: ['delivered', 'cancelled'],
      delivered: ['cancelled'],
      cancelled: [],
    });
    expect(ORDER_STATUSES).toEqual(Object.keys(ORDER_LIFECYCLE));
    expect([moves.length, errors.length]).toEqual([7, 13]);
  });

  it.each(moves)('changes a $from order to $to with one new version and one event', async ({ from, to }) => {
    const before = anOrder({ status: from });
    const { order } = await given(before)
      .when((domain, clock) => {
        clock.advance(1000);
        return domain.changeOrder(GIVEN_OWNER, before.id, { status: to });
      })
      .thenEvents({ type: `order.${to}`, version: 2, occurred_at: LATER, changed: ['status', `${to}_at`] });
    const after = { status: to, available_transitions: ORDER_LIFECYCLE[to] };
    expect(order).toEqual({ ...before, ...after, version: 2, updated_at: LATER, [`${to}_at`]: LATER });
  });

  it.each(errors)('rejects a change from $from to $to, and records nothing', async ({ from, to }) => {
    const before = anOrder({ status: from });
    await given(before)
      .when((domain) => domain.changeOrder(GIVEN_OWNER, before.id, { status: to, note: 'changed too' }))
      .thenError({
        type: 'invalid_status_transition',
        current_status: from,
        requested_status: to,
        available_transitions: ORDER_LIFECYCLE[from],
      });
  });
});

describe('the times of an order', () => {
  it('are those at which its statuses were entered, and never change afterwards', async () => {
    const domain = aDomain();
    let order = await aPlacedOrder(domain);
    for (const status of ['paid', 'shipped', 'delivered', 'cancelled'] as const) {
      domain.clock.advance(1000);
      await succeeds(domain.changeOrder(OWNER, order.id, { status }));
      domain.clock.advance(500);
      ({ order } = await succeeds(domain.changeOrder(OWNER, order.id, { note: `after ${status}` })));
    }
    expect(order).toMatchObject({
      created_at: NOW,
      paid_at: LATER,
      shipped_at: '2026-01-02T03:04:08.178Z',
      delivered_at: '2026-01-02T03:04:09.678Z',
      cancelled_at: '2026-01-02T03:04:11.178Z',
      updated_at: '2026-01-02T03:04:11.678Z',
    });
  });

  it('never run backwards with the clock, nor do those of its events', async () => {
    const domain = aDomain();
    const { id } = await aPlacedOrder(domain);
    domain.clock.advance(-60_000);
    const paid = await succeeds(domain.changeOrder(OWNER, id, { status: 'paid' }));
    expect(paid.order).toMatchObject({ updated_at: NOW, paid_at: NOW });
    expect(paid.event?.occurred_at).toBe(NOW);
    domain.clock.advance(60_001);
    const shipped = await succeeds(domain.changeOrder(OWNER, id, { status: 'shipped' }));
    expect(shipped.order).toMatchObject({ updated_at: '2026-01-02T03:04:05.679Z', paid_at: NOW });
    domain.clock.advance(-60_000);
    const { event } = await succeeds(domain.deleteOrder(OWNER, id));
    expect(event).toMatchObject({ type: 'order.deleted', version: 4, occurred_at: '2026-01-02T03:04:05.679Z' });
    expect(await fails(domain.getOrder(OWNER, id))).toEqual({ type: 'order_not_found', id });
  });
});
