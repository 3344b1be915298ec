import { type OrderDefinition, ORDERS } from '@orders/domain';
import type { FeedEvent, FeedResource } from '@orders/domain/events';
import type { PresentedData, PresentedEvent } from './event-schemas.ts';
import { presentOrder } from './orders/order-operations.ts';
import { presentEndpoint } from './webhooks/present-endpoint.ts';

/**
 * Returns an event as `GET /v1/events` shows it, and as the `data` of a webhook. Its resource, if the event has it, has the
 * form of every other response. The default definition is `ORDERS`.
 */
export function presentEvent<D extends OrderDefinition>(event: FeedEvent<D>, definition: D): PresentedEvent;
export function presentEvent(event: FeedEvent): PresentedEvent;
export function presentEvent(
  { resource, ...event }: FeedEvent<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): PresentedEvent {
  const { type, id, version, data } = resource;
  if (data === undefined) return { ...event, resource: { type, id, version } };
  return { ...event, resource: { type, id, version, data: presentData(resource, definition) } };
}

function presentData(resource: FeedResource<OrderDefinition>, definition: OrderDefinition): PresentedData {
  switch (resource.type) {
    case 'order':
      return resource.data ? presentOrder(resource.data, definition) : null;
    case 'customer':
      return resource.data ?? null;
    case 'webhook_endpoint':
      return resource.data ? presentEndpoint(resource.data) : null;
  }
}
