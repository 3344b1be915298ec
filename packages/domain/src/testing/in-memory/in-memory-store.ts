import { ok } from 'neverthrow';
import type { CustomerHasOrders, CustomerNotFound, EmailTaken } from '../../customers/customer-errors.ts';
import type { CustomerEvent } from '../../customers/customer-events.ts';
import type { CustomerRepository } from '../../customers/customer-repository.ts';
import { type Customer, emailKey } from '../../customers/customer.ts';
import type { EventFeed } from '../../events/event-feed.ts';
import { resourceTypeOf } from '../../events/event-types.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import type { OrderRepository } from '../../orders/order-repository.ts';
import { systemClock } from '../../runtime.ts';
import type { Clock, Timestamp } from '../../shared/clock.ts';
import { assertOptions } from '../../shared/validation.ts';
import type { WebhookDeliveries } from '../../webhooks/webhook-delivery.ts';
import {
  WEBHOOK_ENDPOINT_FEED_TYPES,
  type WebhookEndpointEvent,
  type WebhookEndpointEventType,
  type WebhookEndpointFeedType,
} from '../../webhooks/webhook-endpoint-events.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import type { TooManyEndpoints, WebhookEndpointNotFound } from '../../webhooks/webhook-errors.ts';
import type { WebhookQueue } from '../../webhooks/webhook-queue.ts';
import { InMemoryAggregates, toResultAsync, type WriteResult } from './in-memory-aggregates.ts';
import { type AnyEvent, InMemoryFeed } from './in-memory-feed.ts';
import { InMemoryKeys } from './in-memory-keys.ts';
import { InMemoryOrders, orderRepositoryOf } from './in-memory-orders.ts';
import { InMemoryWebhooks } from './in-memory-webhooks.ts';
import { createPageLimit } from './page-limit.ts';
import { copy } from './stored-values.ts';

/** Options of an in-memory store. */
export interface InMemoryStoreOptions {
  /** The clock of webhook deliveries. Default: {@link systemClock}. */
  readonly clock?: Clock | undefined;
}

/** Options of an in-memory store for orders of a definition. */
export interface InMemoryStoreOf<D extends OrderDefinition> extends InMemoryStoreOptions {
  readonly definition: D;
}

/**
 * All repositories and the feed of their events on one in-memory store, for tests and small applications. It meets every
 * guarantee of the ports except durability. Expired idempotency keys are purged; versions are never purged.
 */
export interface InMemoryStore<D extends OrderDefinition = typeof ORDERS> {
  readonly orders: OrderRepository<D>;
  readonly customers: CustomerRepository;
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly webhookQueue: WebhookQueue<D>;
  readonly webhookDeliveries: WebhookDeliveries<D>;
  readonly feed: EventFeed<D>;
  /** Returns all events that entered the feed, oldest first, also those that were purged from it. */
  readonly events: () => readonly AnyEvent<D>[];
  /**
   * Purges events from the feeds of all owners: those that occurred before `cutoff`, up to the first one that did not.
   */
  readonly purgeEvents: (cutoff: Timestamp) => void;
}

const Customers = InMemoryAggregates<
  Customer,
  CustomerEvent,
  CustomerNotFound,
  never,
  EmailTaken,
  CustomerHasOrders,
  CustomerNotFound
>;

const WebhookEndpoints = InMemoryAggregates<
  WebhookEndpoint,
  WebhookEndpointEvent,
  WebhookEndpointNotFound,
  TooManyEndpoints,
  never,
  never,
  WebhookEndpointNotFound
>;

/**
 * Creates an empty in-memory store, independent of other stores. It stores orders of `definition`, or else of
 * {@link ORDERS}.
 *
 * @throws {TypeError} an option is unknown
 */
export function inMemoryStore<D extends OrderDefinition>(options: InMemoryStoreOf<D>): InMemoryStore<D>;
export function inMemoryStore(options?: InMemoryStoreOptions): InMemoryStore;
export function inMemoryStore(options: Partial<InMemoryStoreOf<OrderDefinition>> = {}): unknown {
  assertOptions(options, ['clock', 'definition']);
  const { clock = systemClock, definition = ORDERS } = options;
  const { orders, feed, ...store } = createStore(clock);
  return { ...store, orders: { ...orders, definition }, feed: { ...feed, definition } };
}

/** Creates a store. It stores orders as they are, so that the types of the default definition stand for those of any. */
function createStore(clock: Clock): InMemoryStore {
  const events: AnyEvent[] = [];
  const feed = new InMemoryFeed(({ type, owner, aggregate_id: id, version }, hasData) => {
    const resource = resourceTypeOf(type);
    switch (resource) {
      case 'order':
        return { type: resource, id, version, ...(hasData && { data: orders.snapshotOf(owner, id, version) }) };
      case 'customer':
        return { type: resource, id, version, ...(hasData && { data: customers.snapshotOf(owner, id, version) }) };
      case 'webhook_endpoint':
        return { type: resource, id, version, ...(hasData && { data: endpoints.snapshotOf(owner, id, version) }) };
    }
  });
  const publish = (event: AnyEvent): void => {
    events.push(event);
    feed.publish(event);
  };
  const keys = new InMemoryKeys();

  const orders: InstanceType<typeof InMemoryOrders> = new InMemoryOrders(keys, {
    name: 'order',
    notFound: (id) => ({ type: 'order_not_found', id }),
    lowerCaseIds: (order) => ({
      ...order,
      id: order.id.toLowerCase(),
      customer_id: order.customer_id?.toLowerCase() ?? null,
      items: order.items.map((item) => ({ ...item, id: item.id.toLowerCase() })),
    }),
    fixed: ({ id, items, total, created_at }) => ({ id, items, total, created_at }),
    findCreationViolation: () => null,
    findViolation: (owner, { id, customer_id, reference }) => {
      if (customer_id !== null && customers.find(owner, customer_id).isErr()) return { type: 'unknown_customer' };
      if (reference === null) return null;
      const holder = orders.all(owner).find((other) => other.reference === reference && other.id !== id);
      return holder ? { type: 'reference_taken', order_id: holder.id } : null;
    },
    findDeletionViolation: () => null,
    erasedError: null,
    publish,
  });

  const customers: InstanceType<typeof Customers> = new Customers(keys, {
    name: 'customer',
    notFound: (id) => ({ type: 'customer_not_found', id }),
    lowerCaseIds: (customer) => ({ ...customer, id: customer.id.toLowerCase() }),
    fixed: ({ id, created_at }) => ({ id, created_at }),
    findCreationViolation: () => null,
    findViolation: (owner, { id, email }) => {
      const key = emailKey(email);
      const holder = customers.all(owner).find((other) => other.id !== id && emailKey(other.email) === key);
      return holder ? { type: 'email_taken', customer_id: holder.id } : null;
    },
    findDeletionViolation: (owner, { id }) =>
      orders.all(owner).some((order) => order.customer_id === id) ? { type: 'customer_has_orders' } : null,
    erasedError: (id) => ({ type: 'customer_not_found', id }),
    publish,
  });

  const endpoints: InstanceType<typeof WebhookEndpoints> = new WebhookEndpoints(keys, {
    name: 'webhook_endpoint',
    notFound: (id) => ({ type: 'webhook_endpoint_not_found', id }),
    lowerCaseIds: (endpoint) => ({ ...endpoint, id: endpoint.id.toLowerCase() }),
    fixed: ({ id, start, created_at }) => ({ id, start, created_at }),
    findCreationViolation: (owner) =>
      endpoints.all(owner).length < WEBHOOK_ENDPOINTS_MAX ? null : { type: 'too_many_endpoints' },
    findViolation: () => null,
    findDeletionViolation: () => null,
    erasedError: (id) => ({ type: 'webhook_endpoint_not_found', id }),
    publish: (event) => {
      const { type } = event;
      if (isFeedType(type)) publish({ ...event, type });
    },
  });

  const webhooks = new InMemoryWebhooks(endpoints, feed, clock);

  return {
    orders: orderRepositoryOf(orders),
    customers: {
      insert: (owner, { customer, event }, idempotency) =>
        toResultAsync(() => customers.insert(owner, customer, event, idempotency)).map(toCustomerWritten),
      find: (owner, id) => toResultAsync(() => customers.find(owner, id)),
      list: (owner, query) => toResultAsync(() => ok(customers.page(owner, query, () => true, createPageLimit))),
      update: (owner, id, change, idempotency) =>
        toResultAsync(() =>
          customers.update(
            owner,
            id,
            (before) => change(before).map(({ customer, event }) => ({ aggregate: customer, event })),
            idempotency,
          ),
        ).map(toCustomerWritten),
      delete: (owner, id, decide, idempotency) => toResultAsync(() => customers.delete(owner, id, decide, idempotency)),
    },
    webhookEndpoints: {
      insert: (owner, { endpoint, event }, idempotency) =>
        toResultAsync(() => endpoints.insert(owner, endpoint, event, idempotency)).map(toEndpointWritten),
      findReplay: (owner, idempotency) =>
        toResultAsync(() => endpoints.findReplay(owner, idempotency)).map((found) => found && toEndpointWritten(found)),
      find: (owner, id) => toResultAsync(() => endpoints.find(owner, id)),
      list: (owner, query) =>
        toResultAsync(() =>
          ok(
            endpoints.page(
              owner,
              query,
              () => true,
              () => () => true,
            ),
          ),
        ),
      update: (owner, id, change, idempotency) =>
        toResultAsync(() =>
          endpoints.update(
            owner,
            id,
            (before) => change(before).map(({ endpoint, event }) => ({ aggregate: endpoint, event })),
            idempotency,
          ),
        ).map(toEndpointWritten),
      delete: (owner, id, decide, idempotency) => toResultAsync(() => endpoints.delete(owner, id, decide, idempotency)),
    },
    webhookQueue: webhooks,
    webhookDeliveries: webhooks,
    feed: { read: feed.read.bind(feed), wait: feed.wait.bind(feed) },
    events: () => copy(events),
    purgeEvents: (cutoff) => feed.purge(cutoff),
  };
}

function toCustomerWritten({ aggregate: customer, ...remaining }: WriteResult<Customer, CustomerEvent>) {
  return { customer, ...remaining };
}

function toEndpointWritten({ aggregate: endpoint, ...remaining }: WriteResult<WebhookEndpoint, WebhookEndpointEvent>) {
  return { endpoint, ...remaining };
}

function isFeedType(type: WebhookEndpointEventType): type is WebhookEndpointFeedType {
  return WEBHOOK_ENDPOINT_FEED_TYPES.some((known) => known === type);
}
