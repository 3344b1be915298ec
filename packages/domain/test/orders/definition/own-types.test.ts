import {
  availableTransitions,
  canBecome,
  createDomain,
  type CustomOf,
  type Domain,
  type NextStatusOf,
  type Order,
  type OrderEventType,
  type OrderStatus,
  type Ports,
} from '@orders/domain';
import type { EventType } from '@orders/domain/events';
import { anOrder, fixedClock, inMemoryStore, sequentialIds } from '@orders/domain/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { aBakery, BAKERY } from '../../fixtures/a-bakery.ts';

type Bakery = typeof BAKERY;

const OWNER = 'bakery';
const ID = '019b0000-dddd-7000-8000-000000000000';
const items = [{ sku: 'RYE', name: 'Rye bread', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }];
const { domain, store } = aBakery();
const ports: Ports<Bakery> = { ...store, clock: fixedClock(), ids: sequentialIds() };
const order = anOrder({}, BAKERY);

/** Returns a text for each status of a bakery; the compiler knows that no other one exists. */
function describeStatus(status: OrderStatus<Bakery>): string {
  switch (status) {
    case 'received':
    case 'baking':
    case 'ready':
    case 'collected':
      return status;
    case 'cancelled':
      return 'cancelled';
  }
}

/** Programs that do not compile. They are only compiled, as what they do when they run is tested elsewhere. */
const WRONG: readonly (readonly [name: string, program: () => unknown])[] = [
  // @ts-expect-error -- baking
  ['a wrong status of a change', () => domain.changeOrder(OWNER, ID, { status: 'baked' })],
  // @ts-expect-error -- of the default definition
  ['a status of another definition', () => domain.changeOrder(OWNER, ID, { status: 'paid' })],
  // @ts-expect-error -- baking
  ['a wrong status of a list', () => domain.listOrders(OWNER, { status: ['baked'] })],
  // @ts-expect-error -- of the default definition
  ['a list with a status of another definition', () => domain.listOrders(OWNER, { status: ['shipped'] })],
  // @ts-expect-error -- only a cancellation has a reason
  ['a reason without a cancellation', () => domain.changeOrder(OWNER, ID, { status: 'ready', cancel_reason: 'x' })],
  // @ts-expect-error -- ready leads to collected
  ['an impossible transition', (): NextStatusOf<Bakery, 'ready'> => 'cancelled'],
  // @ts-expect-error -- collected is terminal
  ['a transition from a terminal status', (): NextStatusOf<Bakery, 'collected'> => 'received'],
  // @ts-expect-error -- ready leads to collected alone
  ['an impossible element of transitions', () => availableTransitions('ready', BAKERY).includes('baking')],
  // @ts-expect-error -- not a status
  ['transitions from an unknown status', () => availableTransitions('sold', BAKERY)],
  // @ts-expect-error -- not a status
  ['a transition to an unknown status', () => canBecome('ready', 'sold', BAKERY)],
  // @ts-expect-error -- text
  ['custom data of a wrong type', () => domain.placeOrder(OWNER, { items, custom: { pick_up: 7, allergens: [] } })],
  // @ts-expect-error -- allergens are required
  ['custom data without a member', () => domain.placeOrder(OWNER, { items, custom: { pick_up: '07:30' } })],
  // @ts-expect-error -- pick_up
  ['a merge of an unknown member', () => domain.changeOrder(OWNER, ID, { custom: { pickup: '07:30' } })],
  // @ts-expect-error -- text
  ['a merge of a wrong type', () => domain.changeOrder(OWNER, ID, { custom: { pick_up: 730 } })],
  // @ts-expect-error -- custom may be null
  ['custom data that are not checked for null', () => order.custom.pick_up],
  // @ts-expect-error -- the default definition has none
  ['custom data of the default definition', () => void anOrder().custom],
  // @ts-expect-error -- of the default definition
  ['the time of another definition', () => void order.paid_at],
  // @ts-expect-error -- the initial status has no time
  ['the time of the initial status', () => void order.received_at],
  // @ts-expect-error -- not a status
  ['a comparison with an unknown status', () => order.status === 'sold'],
  // @ts-expect-error -- the initial status has order.placed
  ['an event of the initial status', (): OrderEventType<Bakery> => 'order.received'],
  // @ts-expect-error -- of the default definition
  ['an event of another definition', (): EventType<Bakery> => 'order.shipped'],
  // @ts-expect-error -- its adapters store other orders
  ['ports of another definition', () => createDomain({ ...ports, ...inMemoryStore() }, BAKERY)],
  // @ts-expect-error -- the definition is missing
  ['ports without their definition', () => createDomain(ports)],
  // @ts-expect-error -- another definition
  ['a domain of another definition', (): Domain => domain],
  // @ts-expect-error -- another definition
  ['an order of another definition', (): Order => order],
  // @ts-expect-error -- not of a bakery
  ['an order that is built with an unknown status', () => anOrder({ status: 'paid' }, BAKERY)],
  [
    'a missing case of an error',
    async () => {
      const error = (await domain.cancelOrder(OWNER, ID))._unsafeUnwrapErr();
      // @ts-expect-error -- invalid_status_transition and others are missing
      const text: string = error.type === 'order_already_cancelled' ? 'too late' : undefinedFor(error);
      return text;
    },
  ],
];

/** Accepts only what no case is left of. */
function undefinedFor(rest: never): string {
  return rest;
}

describe('types of a definition', () => {
  it('reject wrong programs, of which there are at least twenty', () => {
    expect(WRONG.length).toBeGreaterThanOrEqual(20);
    expect(describeStatus('ready')).toBe('ready');
  });

  it('have what the definition says', () => {
    expectTypeOf<Order<Bakery>['status']>().toEqualTypeOf<
      'received' | 'baking' | 'ready' | 'collected' | 'cancelled'
    >();
    expectTypeOf<Order<Bakery>['ready_at']>().toEqualTypeOf<string | null>();
    expectTypeOf<CustomOf<Bakery>['pick_up']>().toEqualTypeOf<string>();
    expectTypeOf<NextStatusOf<Bakery, 'baking'>>().toEqualTypeOf<'ready' | 'cancelled'>();
    expectTypeOf<OrderEventType<Bakery>>().toEqualTypeOf<
      | 'order.placed'
      | 'order.changed'
      | 'order.adjusted'
      | 'order.items_added'
      | 'order.items_fulfilled'
      | 'order.items_returned'
      | 'order.items_cancelled'
      | 'order.fulfillment_cancelled'
      | 'order.imported'
      | 'order.corrected'
      | 'order.erased'
      | 'order.baking'
      | 'order.ready'
      | 'order.collected'
      | 'order.cancelled'
      | 'order.deleted'
    >();
  });

  it('are those of before for the default definition', () => {
    expectTypeOf<keyof Order>().toEqualTypeOf<
      | 'id'
      | 'status'
      | 'customer_id'
      | 'reference'
      | 'external_ids'
      | 'buyer'
      | 'shipping_address'
      | 'billing_address'
      | 'note'
      | 'items'
      | 'adjustments'
      | 'fulfillments'
      | 'subtotal'
      | 'total'
      | 'metadata'
      | 'cancel_reason'
      | 'version'
      | 'created_at'
      | 'updated_at'
      | 'paid_at'
      | 'shipped_at'
      | 'delivered_at'
      | 'cancelled_at'
      | 'corrected_at'
      | 'erased_at'
    >();
    expectTypeOf<Order['status']>().toEqualTypeOf<'pending' | 'paid' | 'shipped' | 'delivered' | 'cancelled'>();
    expectTypeOf(createDomain({ ...ports, ...inMemoryStore() })).toEqualTypeOf<Domain>();
  });
});
