import type { Customer } from './customers/customer.ts';
import type { FeedEvent, ResourceAmong } from './events/feed-event.ts';
import type { FeedResourceType } from './event-types.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from './orders/order-lifecycle.ts';
import type { AnyOrder } from './orders/order.ts';
import { type PresentedOrder, presentOrder } from './orders/present-order.ts';
import { type PresentedEndpoint, presentEndpoint } from './webhooks/present-endpoint.ts';

/** The resources of events as their owner sees them, by kind. */
interface PresentedResources<D extends OrderDefinition> {
  readonly order: PresentedOrder<D>;
  readonly customer: Customer;
  readonly webhook_endpoint: PresentedEndpoint<D>;
}

/** An event as its owner sees it, and its webhooks have it as their `data`. */
export interface PresentedEvent<D extends OrderDefinition = DefaultDefinition> extends Omit<FeedEvent<D>, 'resource'> {
  readonly resource: ResourceAmong<PresentedResources<D>>;
}

const PRESENT: Readonly<Record<FeedResourceType, (data: never, definition: OrderDefinition) => object>> = {
  order: (order: AnyOrder, definition) => presentOrder(order, definition),
  customer: (customer: Customer) => customer,
  webhook_endpoint: presentEndpoint,
};

/** Returns an event as its owner sees it. The default definition is {@link ORDERS}. */
export function presentEvent<D extends OrderDefinition = DefaultDefinition>(
  event: FeedEvent<D>,
  definition?: D,
): PresentedEvent<OrderDefinition>;
export function presentEvent(
  { resource, ...event }: FeedEvent<OrderDefinition>,
  definition: OrderDefinition = ORDERS,
): unknown {
  const { type, data } = resource;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the data are those of the type
  return { ...event, resource: data ? { ...resource, data: PRESENT[type](data as never, definition) } : resource };
}
