import type { CustomerEvent } from '../customers/customer-kind.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrderEvent } from '../orders/order-kind.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../orders/order-lifecycle.ts';
import type { Address } from '../orders/address.ts';
import type { Adjustment } from '../orders/adjustment.ts';
import type { Buyer } from '../orders/buyer.ts';
import type { Fulfillment } from '../orders/fulfillment.ts';
import type { LineItem } from '../orders/line-item.ts';
import type { AnyOrder, Order } from '../orders/order.ts';
import { UNKNOWN_AUTHOR } from '../shared/author.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { DomainEvent, Versioned } from '../shared/domain-event.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { WebhookEndpointEvent } from '../webhooks/endpoint-kind.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { sequentialIds } from './sequential-ids.ts';

const ids = sequentialIds(0xb);

/** Returns a valid item with default values, which `item` overrides. */
export function anItem(item: Partial<LineItem> = {}): LineItem {
  const { quantity = 2, cancelled_quantity = 0, unit_price = { amount: 1999, currency: 'EUR' } } = item;
  return {
    id: ids.next(),
    sku: 'MUG-330-BLUE',
    name: 'Mug 330 ml, blue',
    quantity,
    fulfilled_quantity: 0,
    cancelled_quantity,
    returned_quantity: 0,
    unit_price,
    total: { amount: (quantity - cancelled_quantity) * unit_price.amount, currency: unit_price.currency },
    metadata: {},
    ...item,
  };
}

/** Returns a valid adjustment of an order with default values, which `adjustment` overrides. */
export function anAdjustment(adjustment: Partial<Adjustment> = {}): Adjustment {
  return {
    id: ids.next(),
    type: 'shipping',
    name: 'Parcel',
    amount: { amount: 495, currency: 'EUR' },
    item_id: null,
    included: false,
    created_at: '2026-01-02T03:04:05.678Z',
    ...adjustment,
  };
}

/** Returns a fulfillment of these items, each as a whole, with default values, which `fulfillment` overrides. */
export function aFulfillment(items: readonly LineItem[], fulfillment: Partial<Fulfillment> = {}): Fulfillment {
  return {
    id: ids.next(),
    created_at: '2026-01-02T03:04:05.678Z',
    items: items.map(({ id, quantity }) => ({ item_id: id, quantity })),
    tracking: null,
    cancelled_at: null,
    ...fulfillment,
  };
}

/** Returns a valid buyer with default values, which `buyer` overrides. */
export function aBuyer(buyer: Partial<Buyer> = {}): Buyer {
  return { name: 'Ada “é” 🎁', company: null, email: 'Ada@example.com', phone: null, tax_id: null, ...buyer };
}

/** Returns a valid address with default values, which `address` overrides. */
export function anAddress(address: Partial<Address> = {}): Address {
  return {
    name: 'Ada “é” 🎁',
    company: null,
    line1: '12 St James’s Square',
    line2: null,
    city: 'London',
    region: null,
    postal_code: 'SW1Y 4JH',
    country: 'GB',
    phone: null,
    ...address,
  };
}

/**
 * Returns a valid order in the initial status of `definition` at version 1 with default values, which `order` overrides.
 * One in a further status has the times of the statuses that it must have passed. The default definition is
 * {@link ORDERS}.
 */
export function anOrder<D extends OrderDefinition = DefaultDefinition>(
  order?: Partial<Order<D>>,
  definition?: D,
): Order<D>;
export function anOrder(order: Partial<AnyOrder> = {}, definition: OrderDefinition = ORDERS): unknown {
  const { items = [anItem()], adjustments = [] } = order;
  const currency = items[0]?.total.currency ?? 'EUR';
  const subtotal = { amount: items.reduce((sum, item) => sum + item.total.amount, 0), currency };
  const adjusted = adjustments.reduce((sum, { included, amount }) => (included ? sum : sum + amount.amount), 0);
  const { status = definition.initial, created_at = '2026-01-02T03:04:05.678Z', updated_at = created_at } = order;
  return {
    ...definition.unset,
    id: ids.next(),
    status,
    items,
    adjustments,
    subtotal,
    total: { amount: subtotal.amount + adjusted, currency },
    created_at,
    updated_at,
    ...timesOfPassed(definition, status, updated_at),
    ...order,
  };
}

/** Returns the members for the times of the statuses that every order in `status` has passed. */
function timesOfPassed(
  definition: OrderDefinition,
  status: string,
  time: Timestamp,
): Readonly<Record<string, Timestamp>> {
  if (status === definition.initial) return {};
  const members = definition.statuses.flatMap((passed): [string, Timestamp][] => {
    const member = definition.entries[passed]?.time;
    return member && !isReachable(definition, status, passed) ? [[member, time]] : [];
  });
  return Object.fromEntries(members);
}

/** Checks whether an order can come to a status without ever having been in another one. */
function isReachable({ lifecycle, initial }: OrderDefinition, status: string, without: string): boolean {
  const reached = new Set(initial === without ? [] : [initial]);
  for (const from of reached) for (const to of lifecycle[from] ?? []) if (to !== without) reached.add(to);
  return reached.has(status);
}

/**
 * Returns an event of `order` with default values, which `event` overrides. The event `order.deleted` has the version
 * after that of `order`.
 */
export function anEventOf<D extends OrderDefinition = DefaultDefinition>(
  owner: string,
  order: Order<D>,
  event?: Partial<OrderEvent<D>>,
): OrderEvent<D>;
export function anEventOf<D extends OrderDefinition = DefaultDefinition>(
  owner: string,
  order: Versioned,
  event?: Partial<OrderEvent<D>>,
): OrderEvent<D>;
export function anEventOf(owner: string, order: Versioned, event: Partial<OrderEvent<OrderDefinition>> = {}): unknown {
  return anEvent(owner, order, order.version === 1 ? 'order.placed' : 'order.changed', event);
}

/** Returns an event of `type` unless `event` has another one. That of a deletion has the version after the aggregate's. */
function anEvent<Type extends string>(
  owner: string,
  { id: aggregate_id, version, updated_at: occurred_at }: Versioned,
  type: Type,
  event: Partial<DomainEvent<Type>>,
): DomainEvent<Type> {
  const next = event.type?.endsWith('.deleted') === true ? version + 1 : version;
  return {
    id: ids.next(),
    type,
    owner,
    aggregate_id,
    version: next,
    occurred_at,
    changed: [],
    ...UNKNOWN_AUTHOR,
    ...event,
  };
}

/** Returns a valid customer at version 1 with a unique email and default values, which `customer` overrides. */
export function aCustomer(customer: Partial<Customer> = {}): Customer {
  const id = ids.next();
  return {
    id,
    email: `${id}@example.com`,
    name: null,
    metadata: {},
    version: 1,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: customer.created_at ?? '2026-01-02T03:04:05.678Z',
    erased_at: null,
    erasure: null,
    ...customer,
  };
}

/**
 * Returns an event of `customer` with default values, which `event` overrides. The event `customer.deleted` has the
 * version after that of `customer`.
 */
export function anEventOfCustomer(
  owner: string,
  customer: Customer,
  event: Partial<CustomerEvent> = {},
): CustomerEvent {
  return anEvent(owner, customer, customer.version === 1 ? 'customer.created' : 'customer.changed', event);
}

/** Returns a valid, enabled webhook endpoint at version 1 with default values, which `endpoint` overrides. */
export function aWebhookEndpoint<D extends OrderDefinition = DefaultDefinition>(
  endpoint: Partial<WebhookEndpoint<D>> = {},
): WebhookEndpoint<D> {
  return {
    id: ids.next(),
    url: 'https://receiver.example/events',
    types: null,
    include: [],
    description: null,
    status: 'enabled',
    disabled_reason: null,
    secrets: [{ serial: 1, key: 'key-1', expires_at: null }],
    start: 0,
    version: 1,
    created_at: '2026-01-02T03:04:05.678Z',
    updated_at: endpoint.created_at ?? '2026-01-02T03:04:05.678Z',
    ...endpoint,
  };
}

/**
 * Returns an event of `endpoint` with default values, which `event` overrides. The event `webhook_endpoint.deleted` has the
 * version after that of `endpoint`.
 */
export function anEventOfEndpoint(
  owner: string,
  endpoint: Versioned,
  event: Partial<WebhookEndpointEvent> = {},
): WebhookEndpointEvent {
  const type = endpoint.version === 1 ? 'webhook_endpoint.created' : 'webhook_endpoint.changed';
  return anEvent(owner, endpoint, type, event);
}

/** Returns an unused idempotency key that expires after one day; `idempotency` overrides its values. */
export function aKey(idempotency: Partial<Idempotency> = {}): Idempotency {
  return {
    key: ids.next(),
    fingerprint: 'a command',
    now: '2026-01-02T03:04:05.678Z',
    expires_at: '2026-01-03T03:04:05.678Z',
    ...idempotency,
  };
}
