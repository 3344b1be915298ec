import type { WebhookEndpointFeedType } from '../event-types.ts';
import type { DomainEvent } from '../shared/domain-event.ts';

/** Type of an event of an endpoint. */
export type WebhookEndpointEventType =
  | WebhookEndpointFeedType
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.changed'
  | 'webhook_endpoint.secret_rotated'
  | 'webhook_endpoint.deleted';

/** An event of a webhook endpoint. */
export type WebhookEndpointEvent = DomainEvent<WebhookEndpointEventType>;
