import type { OrderDefinition } from '@orders/domain';
import type { OrdersStore } from '@orders/domain/webhooks';
import { postgresCustomerRepository } from './customers/customer-repository.ts';
import type { OrdersDatabase } from './database/database.ts';
import { postgresEventFeed } from './events/event-feed.ts';
import { postgresOrderRepository } from './orders/order-repository.ts';
import { postgresOrderStatistics } from './statistics/order-statistics.ts';
import { postgresWebhookDeliveries } from './webhooks/webhook-deliveries.ts';
import { postgresWebhookEndpoints } from './webhooks/webhook-endpoint-repository.ts';
import { postgresWebhookQueue } from './webhooks/webhook-queue.ts';

/**
 * Returns all adapters of a database, as `inMemoryStore` of `@orders/domain/testing` does in memory. Each can be created
 * alone, too, with options of its own: {@link postgresOrderRepository} and the others.
 */
export function postgresStore<D extends OrderDefinition>(database: OrdersDatabase<D>): OrdersStore<D> {
  return {
    orders: postgresOrderRepository(database),
    customers: postgresCustomerRepository(database),
    webhookEndpoints: postgresWebhookEndpoints(database),
    webhookQueue: postgresWebhookQueue(database),
    webhookDeliveries: postgresWebhookDeliveries(database),
    feed: postgresEventFeed(database),
    statistics: postgresOrderStatistics(database),
  };
}
