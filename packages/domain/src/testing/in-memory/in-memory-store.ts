import { ok } from 'neverthrow';
import type { CustomerErased, CustomerHasOrders, EmailTaken } from '../../customers/customer-errors.ts';
import type { CustomerEvent } from '../../customers/customer-events.ts';
import { type CustomerRepository, ERASING_MAX, type PersonErased } from '../../customers/customer-repository.ts';
import { CUSTOMER_FILTERS, type CustomerQuery } from '../../customers/customer-query.ts';
import { type Customer, emailKey } from '../../customers/customer.ts';
import type { OwnerCheckpoints } from '../../events/checkpoints.ts';
import type { EventFeed } from '../../events/event-feed.ts';
import { resourceTypeOf, WEBHOOK_ENDPOINT_FEED_TYPES, type WebhookEndpointFeedType } from '../../event-types.ts';
import { systemTimer, type Timer } from '../../events/timer.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ORDERS } from '../../orders/order-lifecycle.ts';
import { withoutPersonalData } from '../../orders/erase-order.ts';
import { isRefusedAsErased, newCustomerOf } from '../../orders/order-rules.ts';
import { systemClock } from '../../runtime.ts';
import { type Clock, laterTimestamp, type Timestamp, toMilliseconds, toTimestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import { assertOptions } from '../../shared/validation.ts';
import type { OrderStatistics } from '../../statistics/order-statistics.ts';
import type { OrdersStore } from '../../webhooks/orders-store.ts';
import type { WebhookEndpointEvent, WebhookEndpointEventType } from '../../endpoints/webhook-endpoint-events.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpoint } from '../../endpoints/webhook-endpoint.ts';
import type { TooManyEndpoints } from '../../webhooks/webhook-errors.ts';
import { InMemoryAggregates, toResultAsync } from './in-memory-aggregates.ts';
import { inMemoryCheckpoints } from './in-memory-checkpoints.ts';
import { type AnyEvent, InMemoryFeed } from './in-memory-feed.ts';
import { InMemoryKeys } from './in-memory-keys.ts';
import { InMemoryOrders } from './in-memory-orders.ts';
import { inMemoryStatistics } from './in-memory-statistics.ts';
import { InMemoryWebhooks } from './in-memory-webhooks.ts';
import { createPageLimit } from './page-limit.ts';
import { copy } from './copy.ts';

/** Options of an in-memory store. */
export interface InMemoryStoreOptions {
  /** The clock of webhook deliveries and claims. Default: {@link systemClock}. */
  readonly clock?: Clock | undefined;
  /** Spends the time of waits for events. Default: {@link systemTimer}. */
  readonly timer?: Timer | undefined;
}

/** Options of an in-memory store for orders of a definition. */
export interface InMemoryStoreOf<D extends OrderDefinition> extends InMemoryStoreOptions {
  readonly definition: D;
}

/**
 * All repositories and the feed of their events on one in-memory store, for tests and small applications. It meets every
 * guarantee of the ports except durability. Expired idempotency keys are purged; versions are never purged.
 */
export interface InMemoryStore<D extends OrderDefinition = typeof ORDERS> extends OrdersStore<D> {
  /** The checkpoints of consumers, also of those of all owners. */
  readonly checkpoints: OwnerCheckpoints;
  /** Returns all events that entered the feed, oldest first, also those that were purged from it. */
  readonly events: () => readonly AnyEvent<D>[];
  /**
   * Purges events from the feeds of all owners: those that occurred before `cutoff`, up to the first one that did not.
   */
  readonly purgeEvents: (cutoff: Timestamp) => void;
}

/**
 * Creates an empty in-memory store, independent of other stores. It stores orders of `definition`, or else of
 * {@link ORDERS}.
 *
 * @throws {TypeError} an option is unknown
 */
export function inMemoryStore<D extends OrderDefinition>(options: InMemoryStoreOf<D>): InMemoryStore<D>;
export function inMemoryStore(options?: InMemoryStoreOptions): InMemoryStore;
export function inMemoryStore(options: Partial<InMemoryStoreOf<OrderDefinition>> = {}): unknown {
  assertOptions(options, ['clock', 'timer', 'definition']);
  const { clock = systemClock, timer = systemTimer, definition = ORDERS } = options;
  const { orders, feed, statistics, ...store } = createStore(clock, timer, definition);
  return {
    ...store,
    orders: Object.assign(orders, { definition }),
    feed: { ...feed, definition },
    statistics: { ...statistics, definition },
  };
}

/** Creates a store. It stores orders as they are, so that the types of the default definition stand for those of any. */
function createStore(
  clock: Clock,
  timer: Timer,
  definition: OrderDefinition,
): Omit<InMemoryStore, 'orders' | 'feed' | 'statistics'> & {
  readonly orders: InMemoryOrders;
  readonly feed: EventFeed;
  readonly statistics: OrderStatistics<OrderDefinition>;
} {
  const events: AnyEvent[] = [];
  const feed = new InMemoryFeed(timer, ({ type, owner, aggregate_id: id, version }, hasData) => {
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

  const orders: InMemoryOrders = new InMemoryOrders(keys, {
    name: 'order',
    rulesOf: (owner, write) => {
      if (write.kind === 'delete') return {};
      const { id, customer_id, reference } = write.after;
      const added = newCustomerOf(write);
      return {
        unknown_customer: () =>
          customer_id !== null && !customers.has(owner, customer_id) ? { type: 'unknown_customer' } : null,
        customer_erased: () =>
          added && isRefusedAsErased(added, customers.find(owner, added.id)?.erased_at ?? null)
            ? { type: 'customer_erased' }
            : null,
        reference_taken: () => {
          if (reference === null) return null;
          const holder = orders.all(owner).find((other) => other.reference === reference && other.id !== id);
          return holder ? { type: 'reference_taken', order_id: holder.id } : null;
        },
      };
    },
    erases: false,
    toErased: withoutPersonalData,
    publish,
  });

  const customers: InMemoryCustomers = new InMemoryCustomers(keys, {
    name: 'customer',
    rulesOf: (owner, write) => {
      if (write.kind === 'delete') {
        const { id, erased_at } = write.before.aggregate;
        return {
          customer_has_orders: () =>
            orders.all(owner).some((order) => order.customer_id === id) ? { type: 'customer_has_orders' } : null,
          customer_erased: () => (erased_at === null ? null : { type: 'customer_erased' }),
        };
      }
      const { id, email } = write.after;
      return {
        email_taken: () => {
          const holder = email === null ? undefined : customers.holderOf(owner, emailKey(email), id);
          return holder ? { type: 'email_taken', customer_id: holder.id } : null;
        },
      };
    },
    erases: true,
    toErased: () => null,
    publish,
  });

  const endpoints: InMemoryEndpoints = new InMemoryEndpoints(keys, {
    name: 'webhook_endpoint',
    rulesOf: (owner, { kind }) => ({
      too_many_endpoints: () =>
        kind === 'create' && endpoints.all(owner).length >= WEBHOOK_ENDPOINTS_MAX
          ? { type: 'too_many_endpoints' }
          : null,
    }),
    erases: true,
    toErased: () => null,
    publish: (event) => {
      const { type } = event;
      if (isFeedType(type)) publish({ ...event, type });
    },
  });

  const webhooks = new InMemoryWebhooks(endpoints, feed, clock);

  return {
    orders,
    customers,
    webhookEndpoints: endpoints,
    webhookQueue: webhooks,
    webhookDeliveries: webhooks,
    feed: { read: feed.read.bind(feed), wait: feed.wait.bind(feed) },
    statistics: inMemoryStatistics(
      definition,
      (owner) => orders.all(owner),
      (owner) => feed.rangeOf(owner).latest,
    ),
    checkpoints: inMemoryCheckpoints(feed, clock),
    events: () => copy(events),
    purgeEvents: (cutoff) => feed.purge(cutoff),
  };
}

class InMemoryCustomers
  extends InMemoryAggregates<Customer, CustomerEvent, EmailTaken | CustomerHasOrders | CustomerErased>
  implements CustomerRepository
{
  /** The last erasures of those that were erased again, by owner and customer. */
  readonly #repeated = new Map<string, PersonErased>();

  readonly list = (owner: Owner, query: CustomerQuery): ReturnType<CustomerRepository['list']> => {
    return toResultAsync(() => ok(this.page(owner, query, CUSTOMER_FILTERS, createPageLimit)));
  };

  readonly findByEmail = (owner: Owner, key: string): ReturnType<CustomerRepository['findByEmail']> => {
    return toResultAsync(() => ok(copy(this.holderOf(owner, key) ?? null)));
  };

  readonly findErasing: CustomerRepository['findErasing'] = (owner) =>
    toResultAsync(() => {
      const pending = this.all(owner).flatMap((customer) =>
        customer.erasure?.status === 'pending' ? (this.#personOf(owner, customer) ?? []) : [],
      );
      return ok(copy(pending.slice(0, ERASING_MAX)));
    });

  readonly repeatErasure: CustomerRepository['repeatErasure'] = (owner, id, at) =>
    toResultAsync(() => {
      const customer = this.find(owner, id);
      const before = customer && this.#personOf(owner, customer);
      if (!before) return ok(null);
      const next = toTimestamp(toMilliseconds(before.requested_at) + 1);
      const isRepeated = before.isRepeated || customer.erasure?.status === 'done';
      const person = { ...before, requested_at: laterTimestamp(at, next), isRepeated };
      this.#repeated.set(`${owner} ${id}`, person);
      this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'pending' } });
      return ok(copy(person));
    });

  readonly finishErasures: CustomerRepository['finishErasures'] = (owner, persons) =>
    toResultAsync(() => {
      for (const { customer_id: id, requested_at } of persons) {
        const customer = this.find(owner, id);
        if (!customer || this.#personOf(owner, customer)?.requested_at !== requested_at) continue;
        this.changes.replaceCurrent(owner, id, { ...customer, erasure: { status: 'done' } });
      }
      return ok(null);
    });

  /** Returns the last erasure of a customer; `null` without one. */
  #personOf(owner: Owner, { id: customer_id, erased_at }: Customer): PersonErased | null {
    if (erased_at === null) return null;
    const first = { customer_id, erased_at, requested_at: erased_at, isRepeated: false };
    return this.#repeated.get(`${owner} ${customer_id}`) ?? first;
  }

  /** Returns the customer with an {@link emailKey}, unless it is the one with the id `except`. */
  holderOf(owner: Owner, key: string, except?: string): Customer | undefined {
    return this.all(owner).find(({ id, email }) => id !== except && email !== null && emailKey(email) === key);
  }
}

class InMemoryEndpoints
  extends InMemoryAggregates<WebhookEndpoint, WebhookEndpointEvent, TooManyEndpoints>
  implements WebhookEndpointRepository
{
  readonly list = (owner: Owner, query: PageQuery): ReturnType<WebhookEndpointRepository['list']> => {
    const anySize = () => () => true;
    return toResultAsync(() => ok(this.page(owner, query, {}, anySize)));
  };
}

function isFeedType(type: WebhookEndpointEventType): type is WebhookEndpointFeedType {
  return WEBHOOK_ENDPOINT_FEED_TYPES.some((known) => known === type);
}
