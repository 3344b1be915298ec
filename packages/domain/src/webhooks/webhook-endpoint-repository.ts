import type { Result, ResultAsync } from 'neverthrow';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import type { ORDERS } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Idempotency, KeyReused } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import type { PageQuery } from '../shared/page-query.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WebhookEndpointEvent } from './webhook-endpoint-events.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { TooManyEndpoints, WebhookEndpointNotFound } from './webhook-errors.ts';

/** The decision of a command: the new endpoint and the event to record. Without an event, nothing is stored. */
export interface WebhookEndpointDecision<D extends OrderDefinition = typeof ORDERS> {
  readonly endpoint: WebhookEndpoint<D>;
  readonly event: WebhookEndpointEvent | null;
}

/** The result of a write. With `replayed`, the recorded result of the first write with the same idempotency key. */
export interface WebhookEndpointWritten<D extends OrderDefinition = typeof ORDERS> {
  readonly endpoint: WebhookEndpoint<D>;
  /** The recorded event; `null` if nothing changed, and for a replay, whose event was recorded by the first write. */
  readonly event: WebhookEndpointEvent | null;
  readonly replayed: boolean;
}

/** The result of a deletion; see {@link WebhookEndpointWritten}. */
export interface WebhookEndpointDeleted {
  readonly event: WebhookEndpointEvent | null;
  readonly replayed: boolean;
}

/**
 * Port: stores webhook endpoints, with the guarantees of {@link CustomerRepository}. An update never changes `id`,
 * `start` and `created_at`. The deletion erases all versions of the endpoint at once, and its deliveries disappear with
 * it. Only events of {@link WEBHOOK_ENDPOINT_FEED_TYPES} enter the feed.
 */
export interface WebhookEndpointRepository<D extends OrderDefinition = typeof ORDERS> {
  /** Stores a new endpoint, at version 1, unless its owner has {@link WEBHOOK_ENDPOINTS_MAX}, also at the same time. */
  insert(
    owner: Owner,
    created: { readonly endpoint: WebhookEndpoint<D>; readonly event: WebhookEndpointEvent },
    idempotency?: Idempotency,
  ): ResultAsync<WebhookEndpointWritten<D>, WebhookEndpointNotFound | TooManyEndpoints | KeyReused | Unavailable>;

  /**
   * Returns what {@link insert} returns for a key that has a record: the recorded result, or an error. `null` when the key
   * is unused or has expired.
   */
  findReplay(
    owner: Owner,
    idempotency: Idempotency,
  ): ResultAsync<WebhookEndpointWritten<D> | null, WebhookEndpointNotFound | KeyReused | Unavailable>;

  /** Returns one endpoint of the owner. */
  find(owner: Owner, id: string): ResultAsync<WebhookEndpoint<D>, WebhookEndpointNotFound | Unavailable>;

  /** Returns one page in the sort order of the query; endpoints with equal sort values are sorted by id. */
  list(owner: Owner, query: PageQuery): ResultAsync<Page<WebhookEndpoint<D>, Timestamp>, Unavailable>;

  /** Applies `change` to the newest version, and stores the decision if it has an event. See {@link CustomerRepository}. */
  update<E>(
    owner: Owner,
    id: string,
    change: (endpoint: WebhookEndpoint<D>) => Result<WebhookEndpointDecision<D>, E>,
    idempotency?: Idempotency,
  ): ResultAsync<WebhookEndpointWritten<D>, E | WebhookEndpointNotFound | KeyReused | Unavailable>;

  /** Deletes an endpoint, if `decide` returns an event for the newest version. */
  delete<E>(
    owner: Owner,
    id: string,
    decide: (endpoint: WebhookEndpoint<D>) => Result<WebhookEndpointEvent, E>,
    idempotency?: Idempotency,
  ): ResultAsync<WebhookEndpointDeleted, E | WebhookEndpointNotFound | KeyReused | Unavailable>;
}
