import { webhookQueueContract, type WebhookQueueSubject } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { alteringSettled, type QueueFault, withQueue } from './faulty-queues.ts';
import { claimingInFlightAgain } from './noted-queues.ts';

type Inject = QueueFault[1];

/** Injects a queue that does something else after a purge. */
const afterPurge =
  (change: (correct: WebhookQueueSubject) => WebhookQueueSubject): Inject =>
  (correct) => {
    let current = correct;
    return {
      ...withQueue(correct, {
        claim: (owner, limit) => current.queue.claim(owner, limit),
        fanOut: (owner) => current.queue.fanOut(owner),
        settle: (owner, claimed, attempt, settlement) => current.queue.settle(owner, claimed, attempt, settlement),
      }),
      purge: async (cutoff) => {
        await correct.purge(cutoff);
        current = change(correct);
      },
    };
  };

const purgeFaults: readonly QueueFault[] = [
  [
    'keeps deliveries of purged events',
    (correct) => ({ ...correct, purge: () => Promise.resolve() }),
    /removes the deliveries with their events/,
  ],
  [
    'waits for purged deliveries',
    afterPurge((correct) =>
      withQueue(correct, {
        claim: (owner, limit) =>
          correct.queue
            .claim(owner, limit)
            .map((claimed) => claimed.filter(({ event }) => event.resource.version === 1)),
      }),
    ),
    /later events of the same resource/,
  ],
  ['claims deliveries in flight again', claimingInFlightAgain, /waits for the lease of a later delivery/],
  [
    'records attempts of purged events',
    afterPurge(alteringSettled((settled) => ({ ...settled, recorded: true }))),
    /leaves a claim without effect/,
  ],
  [
    'stops at a gap in the feed',
    afterPurge((correct) => withQueue(correct, { fanOut: () => okAsync({ isMoreLeft: false, hasEndpoints: true }) })),
    /continue at the oldest event/,
  ],
];

describe('the contract of the webhook queue port, on purges,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, purgeFaults);
});
