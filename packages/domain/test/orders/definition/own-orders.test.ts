import { availableTransitions, createDomain, ORDERS } from '@orders/domain';
import { anOrder, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aBakery, BAKERY } from '../../fixtures/a-bakery.ts';
import { NOTES, TICKETS } from '../../fixtures/a-definition.ts';

const OWNER = 'bakery';
const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 2, unit_price: { amount: 420, currency: 'EUR' } }];
const AT = '2026-01-02T03:04:05.678Z';

async function placed(bakery: ReturnType<typeof aBakery>) {
  const custom = { pick_up: '07:30', allergens: ['rye'] };
  const { order } = (await bakery.domain.placeOrder(OWNER, { items, custom }))._unsafeUnwrap();
  return order;
}

describe('orders of a definition', () => {
  it('are placed in the initial status, with the times of the others', async () => {
    const bakery = aBakery();
    const order = await placed(bakery);
    expect(order).toMatchObject({ status: 'received', version: 1, custom: { pick_up: '07:30', allergens: ['rye'] } });
    const times = Object.keys(order).filter((name) => name.endsWith('_at'));
    const entered = ['baking_at', 'ready_at', 'collected_at', 'cancelled_at'];
    expect(times).toEqual(['created_at', 'updated_at', ...entered, 'corrected_at', 'erased_at']);
    expect(order).toMatchObject(Object.fromEntries(entered.map((name) => [name, null])));
    expect(bakery.store.events().map(({ type }) => type)).toEqual(['order.placed']);
  });

  it('record the time and the event of each status', async () => {
    const bakery = aBakery();
    const { id } = await placed(bakery);
    await bakery.domain.changeOrder(OWNER, id, { status: 'baking', note: 'x' });
    const { order, event } = (await bakery.domain.changeOrder(OWNER, id, { status: 'ready' }))._unsafeUnwrap();
    expect([order.status, order.baking_at, order.ready_at, order.collected_at]).toEqual(['ready', AT, AT, null]);
    expect(event).toMatchObject({ type: 'order.ready', changed: ['status', 'ready_at'] });
    expect(bakery.store.events().map(({ type }) => type)).toEqual(['order.placed', 'order.baking', 'order.ready']);
  });

  it('cannot be cancelled where the table does not say so', async () => {
    const bakery = aBakery();
    const { id } = await placed(bakery);
    for (const status of ['baking', 'ready'] as const) await bakery.domain.changeOrder(OWNER, id, { status });
    const error = (await bakery.domain.cancelOrder(OWNER, id))._unsafeUnwrapErr();
    expect(error).toEqual({
      type: 'invalid_status_transition',
      current_status: 'ready',
      requested_status: 'cancelled',
      available_transitions: ['collected'],
    });
    expect(availableTransitions('ready', BAKERY)).toEqual(['collected']);
  });

  it('are rejected with statuses of the definition in messages', async () => {
    const { domain } = aBakery();
    const patch = (
      await domain.changeOrder(OWNER, (await placed(aBakery())).id, wrong({ status: 'paid' }))
    )._unsafeUnwrapErr();
    const statuses = 'received, baking, ready, collected, cancelled';
    expect(patch).toMatchObject({ errors: [{ field: 'status', message: `must be one of ${statuses}` }] });
    const list = (await domain.listOrders(OWNER, wrong({ status: ['paid'] })))._unsafeUnwrapErr();
    expect(list).toMatchObject({ errors: [{ field: 'status', message: `must be 1 to 5 of ${statuses}` }] });
    const set = (await domain.placeOrder(OWNER, { items, ...wrong({ ready_at: AT, paid_at: AT }) }))._unsafeUnwrapErr();
    expect(set).toMatchObject({
      errors: [
        { field: 'ready_at', code: 'read_only' },
        { field: 'paid_at', code: 'unknown_field' },
      ],
    });
  });

  it('return to the initial status as a change, and can be reopened after a cancellation', async () => {
    const store = inMemoryStore({ definition: TICKETS });
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, TICKETS);
    const { order } = (await domain.placeOrder(OWNER, { items, reference: 'A' }))._unsafeUnwrap();
    await domain.cancelOrder(OWNER, order.id, { reason: 'a mistake' });
    const again = (await domain.cancelOrder(OWNER, order.id))._unsafeUnwrapErr();
    expect(again).toEqual({ type: 'order_already_cancelled', void_at: AT, current_version: 2 });
    const reopened = (await domain.changeOrder(OWNER, order.id, { status: 'open' }))._unsafeUnwrap();
    expect(reopened.order).toMatchObject({ status: 'open', cancel_reason: null, void_at: AT, done_at: null });
    expect(reopened.event).toMatchObject({ type: 'order.changed', changed: ['status', 'cancel_reason'] });
    expect(Object.keys(reopened.order)).not.toContain('open_at');
    expect((await domain.changeOrder(OWNER, order.id, { reference: 'B' })).isOk()).toBe(true);
  });

  it('can be changed and deleted with only one status, and never cancelled', async () => {
    const store = inMemoryStore({ definition: NOTES });
    const domain = createDomain({ ...store, clock: fixedClock(), ids: sequentialIds() }, NOTES);
    const { order } = (await domain.placeOrder(OWNER, { items }))._unsafeUnwrap();
    expect((await domain.cancelOrder(OWNER, order.id))._unsafeUnwrapErr()).toEqual({
      type: 'order_already_cancelled',
      open_at: null,
      current_version: 1,
    });
    const change = { note: 'x', reference: 'A' };
    expect((await domain.changeOrder(OWNER, order.id, change))._unsafeUnwrap().order).toMatchObject(change);
    expect((await domain.deleteOrder(OWNER, order.id)).isOk()).toBe(true);
  });

  it('are built with the members of their definition', () => {
    expect(Object.keys(anOrder({}, BAKERY))).toEqual(
      Object.keys(anOrder())
        .flatMap((name) => (name === 'metadata' ? ['metadata', 'custom'] : [name]))
        .filter((name) => !Object.hasOwn(ORDERS.noTimes, name))
        .flatMap((name) => (name === 'corrected_at' ? [...Object.keys(BAKERY.noTimes), name] : [name])),
    );
    expect(anOrder({ status: 'ready' }, BAKERY)).toMatchObject({ status: 'ready', custom: null });
  });
});

/** Returns a value without its type, as it arrives from a program that is not compiled. */
function wrong(value: object): object {
  return value;
}
