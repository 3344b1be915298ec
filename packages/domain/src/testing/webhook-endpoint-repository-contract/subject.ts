import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import { ok, type Result } from 'neverthrow';
import type { EventFeed } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { FEED_INCLUDES } from '../../events/feed-query.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import type { Owner } from '../../shared/ids.ts';
import type { WebhookEndpointEvent } from '../../webhooks/webhook-endpoint-events.ts';
import type { WebhookEndpointDecision, WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { anEventOfEndpoint, aWebhookEndpoint } from '../builders.ts';
import { type StoreSubject, succeeds } from '../contract-subject.ts';

/** A store under test, with webhook endpoints and the feed on the same data. */
export interface WebhookEndpointSubject<D extends OrderDefinition = typeof ORDERS> extends StoreSubject<D> {
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly feed: EventFeed<D>;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenWebhookEndpointSubject<D extends OrderDefinition = typeof ORDERS> = () =>
  | Promise<WebhookEndpointSubject<D>>
  | WebhookEndpointSubject<D>;

/** A time after the default time of the builders. */
export const LATER = '2026-01-02T03:05:00.000Z';

/** Stores `endpoint` for `owner` and returns the stored endpoint. */
export async function storeEndpoint(
  { webhookEndpoints }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
  endpoint: WebhookEndpoint<OrderDefinition> = aWebhookEndpoint(),
  idempotency?: Idempotency,
): Promise<WebhookEndpoint<OrderDefinition>> {
  const event = anEventOfEndpoint(owner, endpoint);
  return (await succeeds(webhookEndpoints.insert(owner, { endpoint, event }, idempotency))).endpoint;
}

/** Returns a callback of an update that changes `fields`, with an event of the type `event.type`. */
export function change(
  owner: Owner,
  fields: Partial<WebhookEndpoint<OrderDefinition>>,
  event: Partial<WebhookEndpointEvent> = {},
): (before: WebhookEndpoint<OrderDefinition>) => Result<WebhookEndpointDecision<OrderDefinition>, never> {
  return (before) => {
    const endpoint = { ...before, ...fields, version: before.version + 1 };
    return ok({ endpoint, event: anEventOfEndpoint(owner, endpoint, event) });
  };
}

/** Returns a callback of an update that decides to change nothing. */
export function keep(
  before: WebhookEndpoint<OrderDefinition>,
): Result<WebhookEndpointDecision<OrderDefinition>, never> {
  return ok({ endpoint: { ...before, description: 'not stored' }, event: null });
}

/** Returns a callback of a deletion that accepts it. */
export function accept(
  owner: Owner,
): (before: WebhookEndpoint<OrderDefinition>) => Result<WebhookEndpointEvent, never> {
  return (before) => ok(anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }));
}

/** Returns all events in the feed of an owner, with their resources. */
export async function feedOf(
  { feed }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
): Promise<readonly FeedEvent<OrderDefinition>[]> {
  const query = { after: null, start: 'oldest', limit: 100, types: null, include: FEED_INCLUDES } as const;
  return (await succeeds(feed.read(owner, query))).data;
}
