import { createOrdersClient, type OrdersClient } from '@orders/client';
import { createDomain, defineOrders, type ORDERS } from '@orders/domain';
import { forOwner } from '@orders/client/embedded';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { TEA } from './doors.ts';

const BAKERY = defineOrders({
  lifecycle: { ordered: ['baked', 'gone'], baked: ['gone'], gone: [] },
  initial: 'ordered',
  cancel: 'gone',
});
type Bakery = typeof BAKERY;
type Shop = typeof ORDERS;

describe('the type of each door', () => {
  it('accepts the default definition by its own type, and no other', () => {
    expectTypeOf<OrdersClient<Shop>>().toExtend<OrdersClient>();
    expectTypeOf<OrdersClient<Bakery>>().not.toExtend<OrdersClient>();
  });

  it('follows the definition', async () => {
    const { orders, customers } = inMemoryStore({ definition: BAKERY });
    const domain = createDomain({ orders, customers, clock: fixedClock(), ids: sequentialIds() }, BAKERY);
    const bakery = forOwner({ domain }, 'acme');
    const { order } = (await bakery.place({ items: [TEA] }))._unsafeUnwrap();
    expectTypeOf(bakery).toEqualTypeOf<Omit<OrdersClient<Bakery>, 'events' | 'webhooks'>>();
    expectTypeOf(order.status).toEqualTypeOf<'ordered' | 'baked' | 'gone'>();
    expectTypeOf(order.baked_at).toEqualTypeOf<string | null>();
    expect(order).toMatchObject({ status: 'ordered', available_transitions: ['baked', 'gone'], baked_at: null });
    expect((await bakery.change(order.id, { status: 'baked' })).isOk()).toBe(true);
    // @ts-expect-error -- a status of another definition
    void bakery.change(order.id, { status: 'paid' });
    // @ts-expect-error -- no feed was given
    expect(bakery.events).toBeUndefined();
    // @ts-expect-error -- no webhooks were given
    expect(bakery.webhooks).toBeUndefined();

    const client = createOrdersClient<Bakery>({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    // @ts-expect-error -- a status of another definition
    client.list({ status: ['paid'] });
    client.list({ status: ['baked'] });
    expectTypeOf<Shop['initial']>().toEqualTypeOf<'pending'>();
  });
});

describe('the errors of an operation', () => {
  it('must all be handled', async () => {
    const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const result = await orders.get('none');
    const handled = result.match(
      ({ id }) => id,
      (error): string => {
        switch (error.type) {
          case 'order_not_found':
          case 'unauthenticated':
          case 'insufficient_scope':
          case 'rate_limited':
          case 'unexpected_response':
            return error.type;
          case 'unreachable':
            return error.reason;
        }
      },
    );
    expect(handled).toBe('order_not_found');
    result.match(
      ({ id }) => id,
      // @ts-expect-error -- `rate_limited` is missing
      (error): string => {
        // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the compiler rejects it too
        switch (error.type) {
          case 'order_not_found':
          case 'unauthenticated':
          case 'insufficient_scope':
          case 'unexpected_response':
          case 'unreachable':
            return error.type;
        }
      },
    );
  });

  it('have a key only when the outcome of a write is unknown', async () => {
    const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const placed = (await orders.place({ items: [TEA] }, { idempotencyKey: 'k' }))._unsafeUnwrapErr();
    // @ts-expect-error -- reading an order is no part of placing one
    expect(placed.type === 'order_not_found').toBe(false);
    expect(placed.type === 'unreachable' && placed.idempotencyKey).toBe('k');
    const read = (await orders.get('019b0000-ffff-7000-8000-000000000000'))._unsafeUnwrapErr();
    if (read.type === 'unreachable') expectTypeOf(read).not.toHaveProperty('idempotencyKey');
    expect(read.type).toBe('unreachable');
  });
});
