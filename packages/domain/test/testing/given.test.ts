import { aCustomer, anOrder, aWebhookEndpoint, type Given, given, GIVEN_OWNER } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { BAKERY } from '../fixtures/a-bakery.ts';

const paid = anOrder({ status: 'paid', reference: 'PO-1' });

describe('a given-when-then test', () => {
  const shipping = () => given(paid).when((domain) => domain.changeOrder(GIVEN_OWNER, paid.id, { status: 'shipped' }));
  const paying = () => given(paid).when((domain) => domain.changeOrder(GIVEN_OWNER, paid.id, { status: 'delivered' }));
  const expectedError = {
    type: 'invalid_status_transition',
    current_status: 'paid',
    requested_status: 'delivered',
    available_transitions: ['shipped', 'cancelled'],
  } as const;

  it('passes when the outcome is as expected', async () => {
    const { order } = await shipping().thenEvents({ type: 'order.shipped', version: 2 });
    expect(order.status).toBe('shipped');
    await paying().thenError(expectedError);
    await given()
      .when((domain) => domain.getOrder(GIVEN_OWNER, paid.id))
      .thenError({ type: 'order_not_found', id: paid.id });
    const { data } = await given(anOrder(), anOrder())
      .when((domain) => domain.listOrders(GIVEN_OWNER))
      .thenEvents();
    expect(data).toHaveLength(2);
  });

  it('starts from an order at any version, and counts a deletion as the next one', async () => {
    const order = anOrder({ status: 'shipped', version: 3 });
    const { data } = await given(order)
      .when((domain) =>
        domain.deleteOrder(GIVEN_OWNER, order.id).andThen(() => domain.listOrderVersions(GIVEN_OWNER, order.id)),
      )
      .thenEvents({ type: 'order.deleted', version: 4, actor: null });
    expect(data.map(({ version }) => version)).toEqual([4, 3]);
  });

  it('has orders of the definition before them', async () => {
    const custom = { pick_up: '07:30', allergens: [] };
    const order = anOrder({ status: 'baking', custom }, BAKERY);
    const ready = await given(BAKERY, order)
      .when((domain) => domain.changeOrder(GIVEN_OWNER, order.id, { status: 'ready', custom: { pick_up: '08:00' } }))
      .thenEvents({ type: 'order.ready', changed: ['status', 'ready_at', 'custom'] });
    expect(ready.order.custom).toEqual({ ...custom, pick_up: '08:00' });
    await given(BAKERY)
      .when((domain) => domain.listOrders(GIVEN_OWNER, { status: ['ready'] }))
      .thenEvents();
    // @ts-expect-error -- an order of another definition
    given(BAKERY, paid);
    // @ts-expect-error -- the definition is missing
    given(order);
  });

  it('uses the time of its clock, which starts at any', async () => {
    const cancelAfterOneSecond = (start: Pick<Given, 'when'>) =>
      start.when((domain, clock) => {
        clock.advance(1000);
        return domain.cancelOrder(GIVEN_OWNER, paid.id);
      });
    const { order } = await cancelAfterOneSecond(given(paid)).thenEvents({ occurred_at: '2026-01-02T03:04:06.678Z' });
    expect(order.cancelled_at).toBe('2026-01-02T03:04:06.678Z');
    const later = given(paid).at('2027-05-06T07:08:09.000Z');
    await cancelAfterOneSecond(later).thenEvents({ occurred_at: '2027-05-06T07:08:10.000Z' });
  });

  it('fails when the outcome differs', async () => {
    const place = 'at [0].type: expected "order.paid", got "order.shipped"';
    await expect(shipping().thenEvents({ type: 'order.paid' })).rejects.toThrow(place);
    await expect(shipping().thenEvents()).rejects.toThrow('the number of events');
    await expect(shipping().thenEvents({}, {})).rejects.toThrow('the number of events');
    await expect(shipping().thenError(expectedError)).rejects.toThrow('unexpected success');
    const paidThenLost = given(paid).when((domain) =>
      domain.changeOrder(GIVEN_OWNER, paid.id, { note: 'n' }).andThen(() => domain.getOrder(GIVEN_OWNER, 'lost')),
    );
    const lost = { type: 'order_not_found', id: 'lost' } as const;
    await expect(paidThenLost.thenError(lost)).rejects.toThrow('the number of events');
    await expect(paying().thenEvents()).rejects.toThrow('unexpected error');
    await expect(paying().thenError({ ...expectedError, current_status: 'pending' })).rejects.toThrow('"pending"');
  });

  it('runs a use case once for any number of assertions, and each use case on a store of its own', async () => {
    const cancelled = given(paid);
    const cancelling = cancelled.when((domain) => domain.cancelOrder(GIVEN_OWNER, paid.id));
    const { order } = await cancelling.thenEvents({ type: 'order.cancelled' });
    expect((await cancelling.thenEvents({ version: 2 })).order).toBe(order);
    const again = cancelled.when((domain) => domain.cancelOrder(GIVEN_OWNER, paid.id));
    expect((await again.thenEvents({ version: 2 })).order).not.toBe(order);
  });

  it('starts from customers and webhook endpoints', async () => {
    const customer = aCustomer();
    const order = anOrder({ customer_id: customer.id });
    await given(customer, aWebhookEndpoint(), order)
      .when((domain) => domain.deleteCustomer(GIVEN_OWNER, customer.id))
      .thenError({ type: 'customer_has_orders' });
  });

  it('compiles with types of events of its definition alone', async () => {
    // @ts-expect-error -- a misspelt type
    await expect(shipping().thenEvents({ type: 'order.sent' })).rejects.toThrow('order.sent');
  });

  it('fails when a given order cannot be stored', async () => {
    const twice = given(paid, anOrder({ reference: 'PO-1' })).when((domain) => domain.listOrders(GIVEN_OWNER));
    await expect(twice.thenEvents()).rejects.toThrow('reference_taken');
  });
});
