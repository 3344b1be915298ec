import type { CustomerRepository } from '../customers/customer-repository.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { OrderRepository } from '../orders/order-repository.ts';
import type { OrderStatistics } from '../statistics/order-statistics.ts';
import type { WebhookDeliveries } from './webhook-delivery.ts';
import type { WebhookEndpointRepository } from './webhook-endpoint-repository.ts';
import type { WebhookQueue } from './webhook-queue.ts';

/** The adapters of one store, as those in memory and in PostgreSQL offer them. `createDomain` takes it as it is. */
export interface OrdersStore<D extends OrderDefinition = DefaultDefinition> {
  readonly orders: OrderRepository<D> & { readonly definition: D };
  readonly customers: CustomerRepository;
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly webhookQueue: WebhookQueue<D>;
  readonly webhookDeliveries: WebhookDeliveries<D>;
  readonly feed: EventFeed<D> & { readonly definition: D };
  readonly statistics: OrderStatistics<D> & { readonly definition: D };
}
