import type { AggregateKind } from '../aggregates/aggregate-kind.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import { deepFreeze } from '../shared/frozen.ts';

/** The types of endpoint events that enter the feed. The others are recorded for retries alone. */
export const WEBHOOK_ENDPOINT_FEED_TYPES = deepFreeze(['webhook_endpoint.disabled'] as const);
/** Type of an event of an endpoint that enters the feed, one of {@link WEBHOOK_ENDPOINT_FEED_TYPES}. */
export type WebhookEndpointFeedType = (typeof WEBHOOK_ENDPOINT_FEED_TYPES)[number];

const TYPES = [
  ...WEBHOOK_ENDPOINT_FEED_TYPES,
  'webhook_endpoint.created',
  'webhook_endpoint.changed',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.deleted',
] as const;

/** Type of an event of an endpoint. */
export type WebhookEndpointEventType = (typeof TYPES)[number];

/** An event of a webhook endpoint. */
export type WebhookEndpointEvent = DomainEvent<WebhookEndpointEventType>;

/** The kind of webhook endpoints. */
export const endpointKind: Required<AggregateKind<'webhook_endpoint', WebhookEndpointFeedType>> = deepFreeze({
  name: 'webhook_endpoint',
  events: TYPES,
  isPublished: (type: string): type is WebhookEndpointFeedType =>
    WEBHOOK_ENDPOINT_FEED_TYPES.some((published) => published === type),
});
