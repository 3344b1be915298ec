import { webhookQueueContract } from '@orders/domain/testing';
import type { ClaimedDelivery } from '@orders/domain/webhooks';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { acceptingEarly, deliveryOf, later, type QueueFault, resourceOf, withQueue } from './faulty-queues.ts';
import { claimingBy, Results } from './noted-queues.ts';

const all = () => () => true;

/** Injects a queue that hands out the deliveries which were claimed, `limit` at a time, in another order. */
const claimingIn =
  (compare: (left: ClaimedDelivery, right: ClaimedDelivery) => number): QueueFault[1] =>
  (correct) => {
    const waiting: ClaimedDelivery[] = [];
    return withQueue(correct, {
      claim: (owner, limit) =>
        later(async () => {
          waiting.push(...(await succeeds(correct.queue.claim(owner, 100))));
          return waiting.sort(compare).splice(0, limit);
        }),
    });
  };

const orderFaults: readonly QueueFault[] = [
  ['claims out of order within a resource', acceptingEarly(all, 'handed out'), /after the one before was accepted/],
  [
    'does not wait for the next attempt of the one before',
    acceptingEarly(all, 'handed out'),
    /while the one before waits for its next attempt/,
  ],
  [
    'waits for deliveries that have failed finally',
    (correct) =>
      withQueue(correct, {
        settle: (owner, claimed, attempt, settlement) =>
          correct.queue.settle(
            owner,
            claimed,
            attempt,
            settlement.status === 'failed' ? { status: 'pending', retryInMs: 1e12 } : settlement,
          ),
      }),
    /after the one before has failed finally/,
  ],
  [
    'knows no order between two fan-outs',
    (correct) => {
      const results = new Results();
      const noted = results.noting(correct);
      return withQueue(noted, {
        fanOut: (owner) =>
          later(async () => {
            for (const one of results.claimed.values())
              await correct.queue.settle(
                owner,
                one,
                { status: 204, error: null, duration_ms: 1, retryAfterMs: null },
                { status: 'delivered', retryInMs: null },
              );
            return await succeeds(correct.queue.fanOut(owner));
          }),
        settle: (owner, claimed, attempt, settlement) =>
          noted.queue
            .settle(owner, claimed, attempt, settlement)
            .map(() => ({ recorded: true, isDead: false, isMoreDue: true })),
      });
    },
    /are in the same order if they were created later/,
  ],
  [
    'skips a delivery whose lease has expired',
    (correct) => {
      const seen = new Set<string>();
      return acceptingEarly(
        () => (claimed) => {
          const isSeen = seen.has(deliveryOf(claimed));
          seen.add(deliveryOf(claimed));
          return isSeen;
        },
        'lost',
      )(correct);
    },
    /after the lease of the one before has expired/,
  ],
  [
    'blocks other resources',
    claimingBy((results) => (claimed) => {
      const blocked = [...results.rejected.values()].map(resourceOf);
      return blocked.length === 0 ? claimed : claimed.filter((one) => blocked.includes(resourceOf(one)));
    }),
    /do not block one another$|rejects one event alone/,
  ],
  [
    'has one order for an order and a customer with the same id',
    claimingBy(
      () => (claimed) =>
        claimed.filter(
          ({ event }, index) => claimed.findIndex((one) => one.event.resource.id === event.resource.id) === index,
        ),
    ),
    /an order and a customer have the same id/,
  ],
  [
    'blocks a resource for all endpoints',
    claimingBy((results) => (claimed) => {
      const blocked = [...results.rejected.values()].map(resourceOf);
      return claimed.filter((one) => results.rejected.has(deliveryOf(one)) || !blocked.includes(resourceOf(one)));
    }),
    /do not block those of another endpoint/,
  ],
  [
    'claims the newest first',
    claimingIn((left, right) => right.event.position - left.event.position),
    /due for longest first/,
  ],
  [
    'claims the first position first',
    claimingIn((left, right) => left.event.position - right.event.position),
    /due for longest first/,
  ],
  [
    'claims more than the limit',
    (correct) => withQueue(correct, { claim: (owner) => correct.queue.claim(owner, 100) }),
    /are claimed up to the limit/,
  ],
];

describe('the contract of the webhook queue port, on the order of deliveries,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, orderFaults);
});
