import { webhookQueueContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { alteringSettled, deliveryOf, later, logOf, type QueueFault, withQueue } from './faulty-queues.ts';
import { claimingBy, KnownEndpoints, Results } from './noted-queues.ts';

const failingFaults: readonly QueueFault[] = [
  [
    'counts an attempt that its worker ended',
    (correct) =>
      withQueue(correct, {
        settle: (owner, claimed, attempt, settlement) =>
          correct.queue.settle(owner, claimed, attempt, { ...settlement, counts: true }),
      }),
    /is none whose attempts do not count/,
  ],
  [
    'attempts all fresh deliveries of a failing endpoint',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        claim: (owner, limit) =>
          later(async () => {
            for (const [endpointId, owned] of known.all()) {
              if (owned !== owner) continue;
              for (const { event_id, attempts, status, next_attempt_at } of await logOf(correct, owner, endpointId))
                if (status === 'pending' && attempts === 0 && next_attempt_at !== null)
                  await succeeds(correct.deliveries.redeliver(owner, endpointId, event_id));
            }
            return await succeeds(correct.queue.claim(owner, limit));
          }),
      });
    },
    /gets deliveries that were not attempted yet one at a time/,
  ],
  [
    'has the gap of 5 seconds alone',
    (correct) => {
      const known = new KnownEndpoints();
      let passed = 0;
      return {
        ...withQueue(known.noting(correct), {
          claim: (owner, limit) =>
            later(async () => {
              const claimed = await succeeds(correct.queue.claim(owner, limit));
              if (claimed.length > 0 || passed < 5000) return claimed;
              passed = 0;
              for (const [endpointId, owned] of known.all()) {
                const fresh = (await logOf(correct, owned, endpointId)).findLast(
                  ({ attempts, status }) => attempts === 0 && status === 'pending',
                );
                if (fresh) await succeeds(correct.deliveries.redeliver(owned, endpointId, fresh.event_id));
              }
              return await succeeds(correct.queue.claim(owner, limit));
            }),
        }),
        advance: async (owner, ms) => {
          passed += ms;
          await correct.advance(owner, ms);
        },
      };
    },
    /at growing gaps/,
  ],
  [
    'starts the next delivery while an attempt takes longer than the gap',
    (correct) => {
      const known = new KnownEndpoints();
      const results = new Results();
      const subject = results.noting(known.noting(correct));
      return withQueue(subject, {
        claim: (owner, limit) =>
          later(async () => {
            const claimed = await succeeds(subject.queue.claim(owner, limit));
            if (claimed.length > 0 || results.rejected.size === 0 || results.claimed.size === 0) return claimed;
            for (const [endpointId, owned] of known.all()) {
              const fresh = (await logOf(correct, owned, endpointId)).find(
                ({ attempts, status, event_id }) =>
                  attempts === 0 && status === 'pending' && !results.claimed.has(`${endpointId} ${event_id}`),
              );
              if (fresh) await succeeds(correct.deliveries.redeliver(owned, endpointId, fresh.event_id));
            }
            return await succeeds(subject.queue.claim(owner, limit));
          }),
      });
    },
    /also while an attempt takes longer than the gap/,
  ],
  [
    'counts each of several deliveries that were rejected together',
    claimingBy((results) => (claimed) => (results.rejected.size >= 8 ? [] : claimed)),
    /waits for the first gap after several deliveries/,
  ],
  [
    'delays further attempts too',
    claimingBy((results) => (claimed) => (results.rejected.size > 0 ? claimed.slice(0, 1) : claimed)),
    /further attempts of deliveries when they are due/,
  ],
  [
    'never recovers',
    (correct) => {
      let hasFailed = false;
      return withQueue(correct, {
        claim: (owner, limit) => correct.queue.claim(owner, hasFailed ? 1 : limit),
        settle: (owner, claimed, attempt, settlement) => {
          hasFailed ||= settlement.status !== 'delivered';
          return correct.queue.settle(owner, claimed, attempt, settlement);
        },
      });
    },
    /everything again once it has accepted/,
  ],
  [
    'counts each rejected attempt of one event',
    claimingBy(
      (results) => (claimed) =>
        [...results.rejected.values()].some(({ attempt }) => attempt > 1)
          ? claimed.filter(({ attempt }) => attempt > 1)
          : claimed,
    ),
    /rejects one event alone/,
  ],
  [
    'delays the other endpoints of an owner',
    claimingBy(
      (results) => (claimed) =>
        results.rejected.size > 0 ? claimed.filter((one) => results.rejected.has(deliveryOf(one))) : claimed,
    ),
    /does not delay the other endpoints/,
  ],
  [
    'knows no dead endpoint',
    alteringSettled((settled) => ({ ...settled, isDead: false })),
    /means a dead endpoint if none was accepted/,
  ],
  [
    'knows a dead endpoint by one final failure',
    alteringSettled((settled, { status }) => ({ ...settled, isDead: status === 'failed' })),
    /does not mean a dead endpoint/,
  ],
  [
    'knows a dead endpoint by any rejection',
    alteringSettled((settled, { status }) => ({ ...settled, isDead: status !== 'delivered' })),
    /means a dead endpoint if none was accepted/,
  ],
  [
    'counts deliveries that other endpoints accepted',
    (correct) => {
      let accepted = 0;
      return alteringSettled((settled, { status }) => {
        accepted += Number(status === 'delivered');
        return { ...settled, isDead: settled.isDead && accepted === 0 };
      })(correct);
    },
    /only other endpoints accepted/,
  ],
];

describe('the contract of the webhook queue port, on failing endpoints,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, failingFaults);
});
