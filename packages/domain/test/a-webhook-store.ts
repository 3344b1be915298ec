import { fixedClock, inMemoryStore, type WebhookQueueSubject } from '@orders/domain/testing';

/** Creates an empty in-memory store with the deliveries of its events. */
export function aWebhookStore(): WebhookQueueSubject {
  const clock = fixedClock();
  const { webhookEndpoints, webhookQueue, webhookDeliveries, ...store } = inMemoryStore({ clock });
  const { events, purgeEvents, orders, customers, feed } = store;
  return {
    orders,
    customers,
    feed,
    endpoints: webhookEndpoints,
    queue: webhookQueue,
    deliveries: webhookDeliveries,
    events: (owner) => Promise.resolve(events().filter((event) => event.owner === owner)),
    purge: (cutoff) => Promise.resolve(purgeEvents(cutoff)),
    advance: (_owner, ms) => Promise.resolve(clock.advance(ms)),
  };
}
