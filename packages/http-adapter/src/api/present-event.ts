import type { FeedEvent, FeedResource } from '@orders/domain/events';
import type { PresentedData, PresentedEvent } from './event-schemas.ts';
import { presentOrder } from './orders/order-operations.ts';
import { presentEndpoint } from './webhooks/present-endpoint.ts';

/**
 * Returns an event as `GET /v1/events` shows it, and as the `data` of a webhook. Its resource, if the event has it, has the
 * form of every other response.
 */
export function presentEvent({ resource, ...event }: FeedEvent): PresentedEvent {
  const { type, id, version, data } = resource;
  if (data === undefined) return { ...event, resource: { type, id, version } };
  return { ...event, resource: { type, id, version, data: presentData(resource) } };
}

function presentData(resource: FeedResource): PresentedData {
  switch (resource.type) {
    case 'order':
      return resource.data ? presentOrder(resource.data) : null;
    case 'customer':
      return resource.data ?? null;
    case 'webhook_endpoint':
      return resource.data ? presentEndpoint(resource.data) : null;
  }
}
