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
export interface WebhookEndpointSubject extends StoreSubject {
  readonly webhookEndpoints: WebhookEndpointRepository;
  readonly feed: EventFeed;
}

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenWebhookEndpointSubject = () => Promise<WebhookEndpointSubject> | WebhookEndpointSubject;

/** A time after the default time of the builders. */
export const LATER = '2026-01-02T03:05:00.000Z';

/** Stores `endpoint` for `owner` and returns the stored endpoint. */
export async function storeEndpoint(
  { webhookEndpoints }: WebhookEndpointSubject,
  owner: Owner,
  endpoint: WebhookEndpoint = aWebhookEndpoint(),
  idempotency?: Idempotency,
): Promise<WebhookEndpoint> {
  const event = anEventOfEndpoint(owner, endpoint);
  return (await succeeds(webhookEndpoints.insert(owner, { endpoint, event }, idempotency))).endpoint;
}

/** Returns a callback of an update that changes `fields`, with an event of the type `event.type`. */
export function change(
  owner: Owner,
  fields: Partial<WebhookEndpoint>,
  event: Partial<WebhookEndpointEvent> = {},
): (before: WebhookEndpoint) => Result<WebhookEndpointDecision, never> {
  return (before) => {
    const endpoint = { ...before, ...fields, version: before.version + 1 };
    return ok({ endpoint, event: anEventOfEndpoint(owner, endpoint, event) });
  };
}

/** Returns a callback of an update that decides to change nothing. */
export function keep(before: WebhookEndpoint): Result<WebhookEndpointDecision, never> {
  return ok({ endpoint: { ...before, description: 'not stored' }, event: null });
}

/** Returns a callback of a deletion that accepts it. */
export function accept(owner: Owner): (before: WebhookEndpoint) => Result<WebhookEndpointEvent, never> {
  return (before) => ok(anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' }));
}

/** Returns all events in the feed of an owner, with their resources. */
export async function feedOf({ feed }: WebhookEndpointSubject, owner: Owner): Promise<readonly FeedEvent[]> {
  const query = { after: null, start: 'oldest', limit: 100, types: null, include: FEED_INCLUDES } as const;
  return (await succeeds(feed.read(owner, query))).data;
}
