import { webhookQueueContract } from '@orders/domain/testing';
import { describe } from 'vitest';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import {
  acceptingEarly,
  alteringClaims,
  alteringEach,
  deliveryOf,
  later,
  type QueueFault,
  withQueue,
} from './faulty-queues.ts';
import { claimingInFlightAgain, claimingBy } from './noted-queues.ts';

const all = () => () => true;

const leaseFaults: readonly QueueFault[] = [
  ['has more than 8 in flight', acceptingEarly(all, 'handed out'), /at most 8 at a time/],
  [
    'counts those in flight for each claim apart',
    (correct) => {
      const claims = acceptingEarly(all, 'handed out')(correct);
      return withQueue(claims, {
        claim: (owner, limit) => claims.queue.claim(owner, Math.min(limit, 8)),
      });
    },
    /at most 8 at a time, by all servers together/,
  ],
  [
    'counts those of all endpoints of an owner together',
    alteringClaims(() => (claimed) => claimed.slice(0, 8)),
    /do not count those of other endpoints/,
  ],
  [
    'counts those whose lease has expired',
    claimingBy((results) => (claimed) => (results.claimed.size < 8 ? claimed : [])),
    /do not count those whose lease has expired/,
  ],
  ['claims for two workers at a time', claimingInFlightAgain, /belongs to one worker/],
  [
    'never claims a delivery again that was not settled',
    claimingBy((results) => (claimed) => claimed.filter((one) => !results.claimed.has(deliveryOf(one)))),
    /can be made again 60 s later/,
  ],
  [
    'has leases of 30 s',
    (correct) => ({ ...correct, advance: (owner, ms) => correct.advance(owner, 2 * ms) }),
    /can be made again 60 s later and not before/,
  ],
  ['has one fence for all claims', alteringEach((claimed) => ({ ...claimed, fence: 1 })), /with another fence/],
  [
    'counts a lost claim as an attempt',
    (correct) => {
      const counts = new Map<string, number>();
      return alteringEach((claimed) => {
        const count = (counts.get(deliveryOf(claimed)) ?? 0) + 1;
        counts.set(deliveryOf(claimed), count);
        return { ...claimed, attempt: count };
      })(correct);
    },
    /for the same attempt/,
  ],
  [
    'does not check the fence',
    (correct) => {
      const fences = new Map<string, number>();
      return withQueue(correct, {
        claim: (owner, limit) =>
          correct.queue.claim(owner, limit).map((claimed) => {
            for (const one of claimed) fences.set(deliveryOf(one), one.fence);
            return claimed;
          }),
        settle: (owner, claimed, attempt, settlement) => {
          const fence = fences.get(deliveryOf(claimed)) ?? claimed.fence;
          return correct.queue.settle(owner, { ...claimed, fence }, attempt, settlement);
        },
      });
    },
    /records nothing after the delivery was claimed again/,
  ],
  [
    'records nothing after the lease',
    (correct) => {
      const expired = new Set<number>();
      const open = new Set<number>();
      return {
        ...withQueue(correct, {
          claim: (owner, limit) =>
            correct.queue.claim(owner, limit).map((claimed) => {
              for (const { fence } of claimed) open.add(fence);
              return claimed;
            }),
          settle: (owner, claimed, attempt, settlement) =>
            expired.has(claimed.fence)
              ? later(() => Promise.resolve({ recorded: false, isDead: false, isMoreDue: false }))
              : correct.queue.settle(owner, claimed, attempt, settlement),
        }),
        advance: async (owner, ms) => {
          await correct.advance(owner, ms);
          if (ms >= 60_000) for (const fence of open) expired.add(fence);
        },
      };
    },
    /records its attempt also after its lease/,
  ],
  [
    'records two attempts of one claim',
    (correct) => {
      const settled = new Set<number>();
      return withQueue(correct, {
        settle: (owner, claimed, attempt, settlement) =>
          correct.queue.settle(owner, claimed, attempt, settlement).map((result) => {
            const isAgain = settled.has(claimed.fence);
            settled.add(claimed.fence);
            return isAgain ? { ...result, recorded: true } : result;
          }),
      });
    },
    /records one attempt only/,
  ],
];

describe('the contract of the webhook queue port, on claims,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, leaseFaults);
});
