import type { OrderDefinition, ORDERS, Owner } from '@orders/domain';
import type { WebhookQueueSubject, WebhookServer } from '@orders/domain/testing';
import {
  type OrdersDatabase,
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  postgresWebhookDeliveries,
  postgresWebhookEndpoints,
  postgresWebhookQueue,
  purge,
} from '@orders/persistence';
import { recordedEvents } from '../recorded-events.ts';

/** Returns a server with the ports of webhook deliveries. */
function webhookServerOn<D extends OrderDefinition>(opened: OrdersDatabase<D>): WebhookServer<D> {
  return {
    orders: postgresOrderRepository(opened),
    customers: postgresCustomerRepository(opened),
    events: (owner) => recordedEvents(opened, owner),
    feed: postgresEventFeed(opened),
    endpoints: postgresWebhookEndpoints(opened),
    queue: postgresWebhookQueue(opened),
    deliveries: postgresWebhookDeliveries(opened),
  };
}

const QUEUE_TIMES = ['fresh_after', 'last_success_at', 'full_until', 'fresh_claimed_to', 'retries_claimed_to'];

/** Moves the stored times of an owner's deliveries back, as if so many milliseconds had passed. */
export async function advance({ primary }: Pick<OrdersDatabase, 'primary'>, owner: Owner, ms: number): Promise<void> {
  // In UTC, whose days have one length: Citus allows no other calculation with a column.
  const earlier = (column: string) =>
    `${column} = (${column} at time zone 'UTC' - ${ms} * interval '1 millisecond') at time zone 'UTC'`;
  await primary.pool.query(
    `update orders.webhook_deliveries set ${['due_at', 'leased_until', 'first_attempt_at'].map(earlier).join(', ')}
     where owner_id = '${owner}';
     update orders.webhook_queues set ${QUEUE_TIMES.map(earlier).join(', ')}
     where owner_id = '${owner}'`,
  );
}

/**
 * Returns the subject of the contract of webhook deliveries, on servers of one database. Stored times are moved back
 * through `direct`.
 */
export function queueSubject<D extends OrderDefinition = typeof ORDERS>(
  opened: OrdersDatabase<D>,
  another: OrdersDatabase<D>,
  direct: Pick<OrdersDatabase, 'primary'> = another,
): WebhookQueueSubject<D> {
  return {
    ...webhookServerOn(opened),
    openAnother: () => webhookServerOn(another),
    purge: async (cutoff) => {
      const eventsBefore = new Date(Date.parse(cutoff) - 1).toISOString();
      await purge(opened)({ now: new Date().toISOString(), eventsBefore });
    },
    advance: (owner, ms) => advance(direct, owner, ms),
  };
}
