import { createOrdersClient, type OrdersClient } from '@orders/client';
import { createDomain, defineOrders, type ORDERS } from '@orders/domain';
import { forOwner } from '@orders/client/embedded';
import { fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { euros, TEA } from './doors.ts';

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
    expectTypeOf(bakery).toEqualTypeOf<Omit<OrdersClient<Bakery>, 'events' | 'statistics' | 'webhooks'>>();
    expectTypeOf(order.status).toEqualTypeOf<'ordered' | 'baked' | 'gone'>();
    expectTypeOf(order.baked_at).toEqualTypeOf<string | null>();
    expect(order).toMatchObject({ status: 'ordered', available_transitions: ['baked', 'gone'], baked_at: null });
    expect((await bakery.change(order.id, { status: 'baked' })).isOk()).toBe(true);
    // @ts-expect-error -- a status of another definition
    void bakery.change(order.id, { status: 'paid' });
    // @ts-expect-error -- no feed was given
    expect(bakery.events).toBeUndefined();
    // @ts-expect-error -- no figures were given
    expect(bakery.statistics).toBeUndefined();
    // @ts-expect-error -- no webhooks were given
    expect(bakery.webhooks).toBeUndefined();

    const client = createOrdersClient<Bakery>({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    // @ts-expect-error -- a status of another definition
    client.list({ status: ['paid'] });
    client.list({ status: ['baked'] });
    expectTypeOf<Shop['initial']>().toEqualTypeOf<'pending'>();
  });
});

describe('an input', () => {
  it('has the signs, members and types that the server accepts', async () => {
    const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const order = { items: [TEA] } as const;
    const name = 'x';
    const results = [
      // @ts-expect-error -- nothing is refunded when an order is placed
      orders.place({ ...order, adjustments: [{ type: 'refund', name, amount: euros(-1) }] }),
      // @ts-expect-error -- a discount is negative
      orders.place({ ...order, adjustments: [{ type: 'discount', name, amount: { amount: 1, currency: 'EUR' } }] }),
      // @ts-expect-error -- shipping is not negative
      orders.place({ ...order, adjustments: [{ type: 'shipping', name, amount: { amount: -1, currency: 'EUR' } }] }),
      // @ts-expect-error -- only a tax is included in the prices
      orders.place({ ...order, adjustments: [{ type: 'discount', name, amount: euros(-1), included: true }] }),
      // @ts-expect-error -- no type of adjustment
      orders.adjust('none', { adjustments: [{ type: 'tip', name, amount: euros(1) }] }),
      // @ts-expect-error -- a set of ids has no other order
      orders.list({ ids: ['none'], sort: 'created_at' }).page(),
      // @ts-expect-error -- a set of ids has no offset
      orders.customers.list({ ids: ['none'], offset: 1 }).page(),
      orders.list({ ids: ['none'], status: ['paid'], updated_at_from: 'x' }).page(),
      // @ts-expect-error -- nothing to adjust
      orders.adjust('none', {}),
      // @ts-expect-error -- no quantity
      orders.fulfill('none', { items: [{ item_id: 'x' }] }),
      // @ts-expect-error -- only a cancellation of items has adjustments
      orders.cancel('none', { adjustments: [] }),
      orders.place({
        ...order,
        adjustments: [
          { type: 'discount', name, amount: { amount: -1, currency: 'EUR' } },
          { type: 'tax', name, amount: { amount: 0, currency: 'EUR' }, included: true },
          { type: 'other', name, amount: { amount: -1, currency: 'EUR' } },
          { type: 'discount', name, amount: euros(Number('-1')) },
        ],
      }),
      orders.adjust('none', { adjustments: [{ type: 'shipping', name, amount: euros(-1) }] }),
    ];
    for (const result of await Promise.all(results)) expect(result.isErr()).toBe(true);
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

  it('must all be handled, those of items and adjustments too', async () => {
    const orders = createOrdersClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    const { type } = (await orders.fulfill('none'))._unsafeUnwrapErr();
    const handled = (): string => {
      switch (type) {
        case 'order_not_found':
        case 'order_not_modifiable':
        case 'quantity_not_available':
        case 'too_many_fulfillments':
        case 'too_many_adjustments':
        case 'adjustment_sign':
        case 'negative_total':
        case 'amount_out_of_range':
        case 'currency_mismatch':
        case 'validation_failed':
        case 'precondition_failed':
        case 'idempotency_key_reused':
        case 'unauthenticated':
        case 'insufficient_scope':
        case 'rate_limited':
        case 'unexpected_response':
        case 'unreachable':
          return type;
      }
    };
    expect(handled()).toBe('order_not_found');
    // @ts-expect-error -- a fulfillment is no return
    expect(type === 'fulfillment_not_found').toBe(false);
    // @ts-expect-error -- `adjustment_sign` is missing
    const rest: Exclude<typeof type, 'adjustment_sign'> = type;
    expect(rest).toBe('order_not_found');
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
