import type { WebhookQueueSubject } from '@orders/domain/testing';
import type { ClaimedDelivery, WebhookDeliveries, WebhookDelivery } from '@orders/domain/webhooks';
import { later, logOf, type QueueFault } from './faulty-queues.ts';
import { Results } from './noted-queues.ts';

type Inject = QueueFault[1];

/** Returns the subject with other methods of its log. */
export function withLog(correct: WebhookQueueSubject, methods: Partial<WebhookDeliveries>): WebhookQueueSubject {
  const { deliveries } = correct;
  return {
    ...correct,
    deliveries: {
      list: (owner, endpointId, query) => deliveries.list(owner, endpointId, query),
      redeliver: (owner, endpointId, eventId) => deliveries.redeliver(owner, endpointId, eventId),
      ...methods,
    },
  };
}

/** Injects a log that alters its deliveries. */
export const alteringLog = (alter: (delivery: WebhookDelivery, owner: string) => WebhookDelivery): Inject => {
  return (correct) =>
    withLog(correct, {
      list: (owner, endpointId, query) =>
        correct.deliveries
          .list(owner, endpointId, query)
          .map((page) => ({ ...page, data: page.data.map((delivery) => alter(delivery, owner)) })),
    });
};

/** Injects a log whose redeliveries have an additional effect. */
export const redelivering =
  (
    effect: (correct: WebhookQueueSubject, owner: string, endpointId: string, before: WebhookDelivery) => Promise<void>,
  ): Inject =>
  (correct) =>
    withLog(correct, {
      redeliver: (owner, endpointId, eventId) =>
        later(async () => {
          const before = (await logOf(correct, owner, endpointId)).find(({ event_id }) => event_id === eventId);
          return before ?? null;
        }).andThen((before) =>
          correct.deliveries.redeliver(owner, endpointId, eventId).map(async (delivery) => {
            if (before) await effect(correct, owner, endpointId, before);
            return delivery;
          }),
        ),
    });

/** Injects a queue that claims other than the correct one after redeliveries, by what was redelivered. */
export const claimingRedelivered =
  (
    alter: (
      claimed: readonly ClaimedDelivery[],
      redelivered: ReadonlyMap<string, WebhookDelivery>,
      results: Results,
    ) => readonly ClaimedDelivery[],
  ): Inject =>
  (correct) => {
    const redelivered = new Map<string, WebhookDelivery>();
    const results = new Results();
    const noted = results.noting(correct, (claimed) => alter(claimed, redelivered, results));
    return redelivering(async (_correct, _owner, endpointId, before) => {
      redelivered.set(`${endpointId} ${before.event_id}`, before);
      return await Promise.resolve();
    })(noted);
  };
