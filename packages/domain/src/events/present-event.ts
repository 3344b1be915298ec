import type { Customer } from '../customers/customer.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import { type PresentedOrder, presentOrder } from '../orders/present-order.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { FeedEvent, VersionedResource } from './feed-event.ts';

/** A webhook endpoint as its owner sees it: neither its secrets nor its position in the feed. */
export type PresentedEndpoint<D extends OrderDefinition = typeof ORDERS> = Omit<
  WebhookEndpoint<D>,
  'secrets' | 'start'
>;

/** An event as its owner sees it, and its webhooks have it as their `data`. */
export interface PresentedEvent<D extends OrderDefinition = typeof ORDERS> extends Omit<FeedEvent<D>, 'resource'> {
  readonly resource:
    | VersionedResource<'order', PresentedOrder<D>>
    | VersionedResource<'customer', Customer>
    | VersionedResource<'webhook_endpoint', PresentedEndpoint<D>>;
}

/**
 * Returns an endpoint without its secrets, which say which key they derive from, and without its start in the feed. The
 * members are listed, so that a further one is not shown by accident.
 */
export function presentEndpoint(endpoint: WebhookEndpoint<OrderDefinition>): PresentedEndpoint<OrderDefinition> {
  const { id, url, types, include, description } = endpoint;
  const { status, disabled_reason, version, created_at, updated_at } = endpoint;
  return { id, url, types, include, description, status, disabled_reason, version, created_at, updated_at };
}

/** Returns an event as its owner sees it. The default definition is {@link ORDERS}. */
export function presentEvent<D extends OrderDefinition>(
  event: FeedEvent<D>,
  definition: D,
): PresentedEvent<OrderDefinition>;
export function presentEvent(event: FeedEvent): PresentedEvent<OrderDefinition>;
export function presentEvent(
  { resource, ...event }: FeedEvent<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): PresentedEvent<OrderDefinition> {
  switch (resource.type) {
    case 'order':
      return { ...event, resource: present(resource, (order) => presentOrder(order, definition)) };
    case 'customer':
      return { ...event, resource };
    case 'webhook_endpoint':
      return { ...event, resource: present(resource, presentEndpoint) };
  }
}

function present<Type extends FeedEvent['resource']['type'], From, To>(
  { data, ...version }: VersionedResource<Type, From>,
  presentData: (data: From) => To,
): VersionedResource<Type, To> {
  return data === undefined ? version : { ...version, data: data === null ? null : presentData(data) };
}
