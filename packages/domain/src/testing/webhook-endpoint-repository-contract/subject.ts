import type { Written } from '../../aggregates/write-aggregate.ts';
import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ORDERS } from '../../orders/order-lifecycle.ts';
import type { EventFeed } from '../../events/event-feed.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { Owner } from '../../shared/ids.ts';
import type { WebhookEndpointEvent } from '../../endpoints/webhook-endpoint-events.ts';
import type { WebhookEndpointRepository } from '../../webhooks/webhook-endpoint-repository.ts';
import type { WebhookEndpoint } from '../../endpoints/webhook-endpoint.ts';
import { change, create, remove } from '../aggregate-writes.ts';
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

/** Stores `endpoint` for `owner` and returns the stored endpoint. */
export async function storeEndpoint(
  { webhookEndpoints }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
  endpoint: WebhookEndpoint<OrderDefinition> = aWebhookEndpoint(),
): Promise<WebhookEndpoint<OrderDefinition>> {
  const event = anEventOfEndpoint(owner, endpoint);
  return (await succeeds(create(webhookEndpoints, owner, endpoint, event))).aggregate;
}

/** Changes `fields` of an endpoint, and returns it with its event, which `event` overrides. */
export async function update(
  { webhookEndpoints }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
  id: string,
  fields: Partial<WebhookEndpoint<OrderDefinition>>,
  event: Partial<WebhookEndpointEvent> = {},
): Promise<Written<WebhookEndpoint<OrderDefinition>, WebhookEndpointEvent>> {
  const decide = (before: WebhookEndpoint<OrderDefinition>) => {
    const after = { ...before, ...fields, version: before.version + 1 };
    return { after, event: anEventOfEndpoint(owner, after, event) };
  };
  return await succeeds(change(webhookEndpoints, owner, id, decide));
}

/** Deletes an endpoint. */
export async function removeEndpoint(
  { webhookEndpoints }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
  id: string,
): Promise<void> {
  const deletion = (before: WebhookEndpoint<OrderDefinition>) =>
    anEventOfEndpoint(owner, before, { type: 'webhook_endpoint.deleted' });
  await succeeds(remove(webhookEndpoints, owner, id, deletion));
}

/** Returns all events in the feed of an owner, with their resources. */
export async function feedOf(
  { feed }: WebhookEndpointSubject<OrderDefinition>,
  owner: Owner,
): Promise<readonly FeedEvent<OrderDefinition>[]> {
  const query = { after: null, start: 'oldest', limit: 100, types: null, include: FEED_INCLUDES } as const;
  return (await succeeds(feed.read(owner, query))).data;
}
