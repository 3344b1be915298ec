import { ok, type ResultAsync } from 'neverthrow';
import type { OwnerCheckpoints } from '../../events/checkpoints.ts';
import { resourceTypeOf } from '../../event-types.ts';
import { systemTimer, type Timer } from '../../events/timer.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../../orders/order-lifecycle.ts';
import { systemClock, uuidv7Ids } from '../../runtime.ts';
import type { Domain } from '../../domain.ts';
import type { ErrOf, OkOf, Work } from '../../handled-failures.ts';
import type { Clock, Timestamp } from '../../shared/clock.ts';
import type { IdSource } from '../../shared/ids.ts';
import { assertOptions } from '../../shared/validation.ts';
import type { OrdersStore } from '../../webhooks/orders-store.ts';
import { endpointKind, type WebhookEndpointEvent } from '../../webhooks/endpoint-kind.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import type { TooManyEndpoints } from '../../webhooks/webhook-errors.ts';
import { StoreGate } from './gate.ts';
import { InMemoryAggregates } from './in-memory-aggregates.ts';
import { inMemoryCheckpoints } from './in-memory-checkpoints.ts';
import { type AnyEvent, InMemoryFeed } from './in-memory-feed.ts';
import { InMemoryKeys } from './in-memory-keys.ts';
import { runTransaction } from './in-memory-transaction.ts';
import { ordersAndCustomers } from './orders-and-customers.ts';
import { inMemoryStatistics } from './in-memory-statistics.ts';
import { InMemoryWebhooks } from './in-memory-webhooks.ts';
import { copy } from './copy.ts';

/** Options of an in-memory store. */
export interface InMemoryStoreOptions {
  /** The clock of webhook deliveries, claims and transactions. Default: {@link systemClock}. */
  readonly clock?: Clock | undefined;
  /** The ids of what transactions make. Default: those of {@link uuidv7Ids}. */
  readonly ids?: IdSource | undefined;
  /** Spends the time of waits for events. Default: {@link systemTimer}. */
  readonly timer?: Timer | undefined;
}

/** Options of an in-memory store for orders of a definition. */
export interface InMemoryStoreOf<D extends OrderDefinition = OrderDefinition> extends InMemoryStoreOptions {
  readonly definition: D;
}

/**
 * All repositories and the feed of their events on one in-memory store, for tests and small applications. It meets every
 * guarantee of the ports except durability. Expired idempotency keys are purged; versions are never purged.
 */
export interface InMemoryStore<D extends OrderDefinition = DefaultDefinition> extends OrdersStore<D> {
  /** The checkpoints of consumers, also of those of all owners. */
  readonly checkpoints: OwnerCheckpoints;
  /**
   * Runs `work` with the use cases in a transaction, as `database.transaction` of `@orders/persistence` does: commits them together
   * when it returns `ok()`, with their keys and events, and stores nothing when it returns `err()` or throws. One runs at a
   * time; what is written beside it waits for its end, and what is read is from before it.
   *
   * @throws {TypeError} `work` returned no result, or a write has failed that was not passed to `handled`; a domain of the store
   *   itself was used inside, which browsers cannot find
   */
  readonly transaction: <R>(
    work: (transaction: { readonly domain: Domain<D> }) => Work<R>,
  ) => ResultAsync<OkOf<R>, ErrOf<R>>;
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
export function inMemoryStore(options: Partial<InMemoryStoreOf> = {}): unknown {
  assertOptions(options, ['clock', 'ids', 'timer', 'definition']);
  const { clock = systemClock, ids = uuidv7Ids(clock), timer = systemTimer, definition = ORDERS } = options;
  const events: AnyEvent[] = [];
  // It stores orders as they are, so that the types of the default definition stand for those of any.
  const recordOf = ({ type, owner, aggregate_id: id, version }: AnyEvent) => {
    const stored = { order: orders, customer: customers, webhook_endpoint: endpoints }[resourceTypeOf(type)];
    return stored.recordOf(owner, id, version);
  };
  const feed = new InMemoryFeed(timer, recordOf);
  const publish = (event: AnyEvent): void => {
    events.push(event);
    feed.publish(event);
  };
  const parts = { gate: new StoreGate(), keys: new InMemoryKeys() };
  const { orders, customers } = ordersAndCustomers(parts, publish, definition);

  const endpoints: InMemoryEndpoints = new InMemoryEndpoints(parts, {
    name: endpointKind.name,
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
      if (endpointKind.isPublished(type)) publish({ ...event, type });
    },
  });

  const webhooks = new InMemoryWebhooks(endpoints, feed, clock);
  const statistics = inMemoryStatistics(
    definition,
    (owner) => orders.all(owner),
    (owner) => feed.rangeOf(owner).latest,
  );

  return {
    orders: Object.assign(orders, { definition }),
    customers,
    webhookEndpoints: endpoints,
    webhookQueue: webhooks,
    webhookDeliveries: webhooks,
    feed: { read: feed.read, wait: feed.wait, definition },
    statistics: { ...statistics, definition },
    checkpoints: inMemoryCheckpoints(feed, clock),
    transaction: (work: Parameters<typeof runTransaction>[1]) =>
      runTransaction({ ...parts, publish, orders, customers, definition, clock, ids }, work),
    events: () =>
      copy(events.map((event) => ({ ...event, external_user_id: recordOf(event)?.event.external_user_id ?? null }))),
    purgeEvents: (cutoff: Timestamp) => feed.purge(cutoff),
  };
}

class InMemoryEndpoints
  extends InMemoryAggregates<WebhookEndpoint, WebhookEndpointEvent, TooManyEndpoints>
  implements WebhookEndpointRepository
{
  readonly list: WebhookEndpointRepository['list'] = (owner, query) =>
    this.gate.read(() => ok(this.page(owner, query, {}, () => () => true)));
}
