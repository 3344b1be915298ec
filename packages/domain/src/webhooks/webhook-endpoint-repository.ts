import type { ResultAsync } from 'neverthrow';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { PageQuery } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { AggregateStore } from '../aggregates/aggregate-store.ts';
import type { Written } from '../aggregates/write-aggregate.ts';
import type { WebhookEndpointEvent } from './endpoint-kind.ts';
import type { AnyEndpoint, WebhookEndpoint } from './webhook-endpoint.ts';
import type { TooManyEndpoints } from './webhook-errors.ts';

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface WebhookEndpointWritten<D extends OrderDefinition = OrderDefinition> {
  readonly endpoint: WebhookEndpoint<D>;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: WebhookEndpointEvent | null;
  readonly replayed: boolean;
}

/** Returns the result of a write of an endpoint. */
export function endpointWritten({
  aggregate: endpoint,
  event,
  replayed,
}: Written<AnyEndpoint, WebhookEndpointEvent>): WebhookEndpointWritten {
  return { endpoint, event, replayed };
}

/** The result of a deletion; see {@link WebhookEndpointWritten}. */
export interface WebhookEndpointDeleted {
  readonly event: WebhookEndpointEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: stores webhook endpoints, with the guarantees of {@link AggregateStore}. It refuses a further endpoint of an owner
 * who has {@link WEBHOOK_ENDPOINTS_MAX} ({@link TooManyEndpoints}), also of those created at the same time. The deletion
 * erases all versions of the endpoint at once, and its deliveries disappear with it. Only events of
 * {@link WEBHOOK_ENDPOINT_FEED_TYPES} enter the feed.
 */
export interface WebhookEndpointRepository<D extends OrderDefinition = DefaultDefinition> extends AggregateStore<
  WebhookEndpoint<D>,
  WebhookEndpointEvent,
  TooManyEndpoints
> {
  /** Returns one page in the sort order of the query; endpoints with equal sort values are sorted by id. */
  list(owner: Owner, query: PageQuery): ResultAsync<Page<WebhookEndpoint<D>, Timestamp>, Unavailable>;
}
