import { availableTransitions, canBecome, ORDER_LIFECYCLE, ORDER_STATUSES, type OrderStatus } from '@orders/domain';
import { anOrder, given, GIVEN_OWNER } from '@orders/domain/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDomain, anOrderIn, aPlacedOrder, NOW, OWNER, pathTo, succeeds } from '../fixtures/a-domain.ts';

const pairs = ORDER_STATUSES.flatMap((from) => ORDER_STATUSES.map((to) => ({ from, to })));
const moves = pairs.flatMap(({ from, to }) => (to !== 'pending' && canBecome(from, to) ? [{ from, to }] : []));
const stays = pairs.filter(({ from, to }) => from === to && from !== 'cancelled');
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
  });

  it('has the same statuses in the same order as ORDER_STATUSES', () => {
    expect(ORDER_STATUSES).toEqual(Object.keys(ORDER_LIFECYCLE));
  });

  it.each(ORDER_STATUSES)('has a path from pending to %s', async (status) => {
    const order = await anOrderIn(aDomain(), status);
    expect(order).toMatchObject({ status, version: 1 + pathTo(status).length });
  });

  it('has no cycles', () => {
    const hasCycle = (readAllPages: readonly OrderStatus[], at: OrderStatus): boolean =>
      availableTransitions(at).some((next) => readAllPages.includes(next) || hasCycle([...readAllPages, next], next));
    expect(ORDER_STATUSES.filter((status) => hasCycle([status], status))).toEqual([]);
  });

  it('has a test for every pair of statuses', () => {
    expect(moves.length + stays.length + errors.length + 1).toBe(ORDER_STATUSES.length ** 2);
    expect([moves.length, stays.length, errors.length]).toEqual([7, 4, 13]);
  });

  it('allows exactly its transitions in random sequences', async () => {
    const walks = fc.array(fc.constantFrom(...ORDER_STATUSES), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(walks, async (readAllPages) => {
        const domain = aDomain();
        const { id } = await aPlacedOrder(domain);
        const entered: OrderStatus[] = ['pending'];
        for (const next of readAllPages) {
          const status = entered.at(-1) ?? 'pending';
          const outcome = await domain.changeOrder(OWNER, id, { status: next });
          expect(outcome.isOk()).toBe(canBecome(status, next) || (status === next && status !== 'cancelled'));
          if (canBecome(status, next)) entered.push(next);
        }
        const order = await succeeds(domain.getOrder(OWNER, id));
        expect(order).toMatchObject({ status: entered.at(-1), version: entered.length });
        expect(domain.events().map(({ type }) => type)).toEqual(
          entered.map((status) => (status === 'pending' ? 'order.placed' : `order.${status}`)),
        );
      }),
    );
  });
});

describe('a change of status', () => {
  it.each(moves)('changes a $from order to $to with one new version and one event', async ({ from, to }) => {
    const before = anOrder({ status: from });
    const at = '2026-01-02T03:04:06.678Z';
    const { order } = await given(before)
      .when((domain, clock) => {
        clock.advance(1000);
        return domain.changeOrder(GIVEN_OWNER, before.id, { status: to });
      })
      .thenEvents({ type: `order.${to}`, version: 2, occurred_at: at, changed: ['status', `${to}_at`] });
    expect(order).toEqual({ ...before, status: to, version: 2, updated_at: at, [`${to}_at`]: at });
  });

  it.each(stays)('leaves a $from order unchanged for status $to, without an event', async ({ from, to }) => {
    const before = anOrder({ status: from });
    const outcome = await given(before)
      .when((domain, clock) => {
        clock.advance(1000);
        return domain.changeOrder(GIVEN_OWNER, before.id, { status: to });
      })
      .thenEvents();
    expect(outcome).toEqual({ order: before, event: null, replayed: false });
  });

  it.each(errors)('is rejected from $from to $to, and records nothing', async ({ from, to }) => {
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

describe('the entry time of a status', () => {
  it('is set once, and never changes afterwards', async () => {
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
      paid_at: '2026-01-02T03:04:06.678Z',
      shipped_at: '2026-01-02T03:04:08.178Z',
      delivered_at: '2026-01-02T03:04:09.678Z',
      cancelled_at: '2026-01-02T03:04:11.178Z',
      updated_at: '2026-01-02T03:04:11.678Z',
    });
  });

  it('does not change when the status is set to its current value', async () => {
    const domain = aDomain();
    const paid = await anOrderIn(domain, 'paid');
    domain.clock.advance(1000);
    const { order } = await succeeds(domain.changeOrder(OWNER, paid.id, { status: 'paid', note: 'again' }));
    expect(order).toMatchObject({ paid_at: paid.paid_at, note: 'again', version: 3 });
  });

  it('never runs backwards with the clock, like updated_at and occurred_at', async () => {
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
    expect(event?.occurred_at).toBe('2026-01-02T03:04:05.679Z');
  });
});
