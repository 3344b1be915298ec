import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** The types of endpoint events that enter the feed. The others are recorded for retries alone. */
export const WEBHOOK_ENDPOINT_FEED_TYPES = deepFreeze(['webhook_endpoint.disabled'] as const);
/** Type of an event of an endpoint that enters the feed, one of {@link WEBHOOK_ENDPOINT_FEED_TYPES}. */
export type WebhookEndpointFeedType = (typeof WEBHOOK_ENDPOINT_FEED_TYPES)[number];

/** Type of an event of an endpoint. */
export type WebhookEndpointEventType =
  | WebhookEndpointFeedType
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.changed'
  | 'webhook_endpoint.secret_rotated'
  | 'webhook_endpoint.deleted';

/** An event of a webhook endpoint. */
export type WebhookEndpointEvent = DomainEvent<WebhookEndpointEventType>;
