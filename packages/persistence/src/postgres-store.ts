import type { CustomerRepository, OrderDefinition, OrderRepository, ORDERS } from '@orders/domain';
import type { EventFeed } from '@orders/domain/events';
import type { WebhookDeliveries, WebhookEndpointRepository, WebhookQueue } from '@orders/domain/webhooks';
import { postgresCustomerRepository } from './customers/customer-repository.ts';
import type { OrdersDatabase } from './database.ts';
import { postgresEventFeed } from './events/event-feed.ts';
import { postgresOrderRepository } from './orders/order-repository.ts';
import { postgresWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { postgresWebhookEndpoints } from './webhooks/webhook-endpoint-repository.ts';
import { postgresWebhookQueue } from './webhooks/webhook-queue.ts';

/** All adapters of a database: what `inMemoryStore` of `@orders/domain/testing` has, with durability. */
export interface PostgresStore<D extends OrderDefinition = typeof ORDERS> {
  readonly orders: OrderRepository<D> & { readonly definition: D };
  readonly customers: CustomerRepository;
  readonly webhookEndpoints: WebhookEndpointRepository<D>;
  readonly webhookQueue: WebhookQueue<D>;
  readonly webhookDeliveries: WebhookDeliveries<D>;
  readonly feed: EventFeed<D> & { readonly definition: D };
}

/**
 * Returns all adapters of a database, for `createDomain` and `createWebhooks`: `createDomain(postgresStore(database))`. Each
 * can be created alone, too, with options of its own: {@link postgresOrderRepository} and the others.
 */
export function postgresStore<D extends OrderDefinition>(database: OrdersDatabase<D>): PostgresStore<D> {
  return {
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    webhookEndpoints: postgresWebhookEndpoints(database),
    webhookQueue: postgresWebhookQueue(database),
    webhookDeliveries: postgresWebhookDeliveries(database),
    feed: postgresEventFeed(database),
  };
}
