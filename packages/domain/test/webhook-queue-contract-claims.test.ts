import { webhookQueueContract } from '@orders/domain/testing';
import type { ClaimedDelivery, WebhookEndpoint } from '@orders/domain/webhooks';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import {
  acceptingEarly,
  alteringClaims,
  alteringEach,
  alteringEndpoints,
  deliveryOf,
  KnownEndpoints,
  later,
  logOf,
  type QueueFault,
  resourceOf,
  Results,
  withEndpoints,
  withQueue,
} from './faulty-queues.ts';

const all = () => () => true;

/** Injects a queue that claims other than the correct one, by the results of earlier attempts. */
const claimingBy =
  (
    createAlter: (results: Results) => (claimed: readonly ClaimedDelivery[]) => readonly ClaimedDelivery[],
  ): QueueFault[1] =>
  (correct) => {
    const results = new Results();
    return results.noting(correct, createAlter(results));
  };

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

const fanOutFaults: readonly QueueFault[] = [
  [
    'creates deliveries of events before the start',
    alteringEndpoints((endpoint) => ({ ...endpoint, start: 0 })),
    /each event after the start/,
  ],
  [
    'creates deliveries of types that are not wanted',
    alteringEndpoints((endpoint) => ({ ...endpoint, types: null })),
    /types that the endpoint does not want/,
  ],
  [
    'claims those of one endpoint of an owner only',
    claimingBy(() => (claimed) => claimed.filter(({ endpoint }) => endpoint.id === claimed[0]?.endpoint.id)),
    /a delivery for each endpoint/,
  ],
  [
    'creates deliveries of all owners',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        fanOut: (owner) =>
          later(async () => {
            for (const other of known.owners()) await succeeds(correct.queue.fanOut(other));
            return await succeeds(correct.queue.fanOut(owner));
          }),
      });
    },
    /only deliveries of its owner/,
  ],
  [
    'claims those of all owners',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        claim: (owner, limit) =>
          later(async () => {
            const claimed = [...(await succeeds(correct.queue.claim(owner, limit)))];
            for (const other of known.owners()) claimed.push(...(await succeeds(correct.queue.claim(other, limit))));
            return claimed;
          }),
      });
    },
    /only deliveries of its owner/,
  ],
  [
    'creates a delivery for each of several fan-outs at a time',
    (correct) => {
      const known = new KnownEndpoints();
      let running = 0;
      const twice = new Set<string>();
      return withQueue(known.noting(correct), {
        fanOut: (owner) =>
          later(async () => {
            running += 1;
            const isConcurrent = running > 1;
            const isMoreLeft = await succeeds(correct.queue.fanOut(owner));
            running -= 1;
            for (const [endpointId] of isConcurrent ? known.all() : [])
              for (const { event_id } of await logOf(correct, owner, endpointId)) twice.add(event_id);
            return isMoreLeft;
          }),
        settle: (owner, claimed, attempt, settlement) =>
          later(async () => {
            const settled = await succeeds(correct.queue.settle(owner, claimed, attempt, settlement));
            const { endpoint, event } = claimed;
            if (twice.delete(event.id)) await succeeds(correct.deliveries.redeliver(owner, endpoint.id, event.id));
            return settled;
          }),
      });
    },
    /also by two servers at a time/,
  ],
  [
    'does not delete endpoints',
    (correct) =>
      withEndpoints(correct, {
        delete: (owner, id, decide) =>
          correct.endpoints
            .find(owner, id)
            .andThen(decide)
            .map((event) => ({ event, replayed: false })),
      }),
    /nothing for a deleted endpoint/,
  ],
  [
    'never includes resources',
    alteringEach((claimed) => {
      const { data: _, ...resource } = claimed.event.resource;
      return { ...claimed, event: { ...claimed.event, resource } };
    }),
    /with its resource only if the endpoint includes it/,
  ],
  [
    'always has a member for the resource',
    alteringEach((claimed) => {
      const event = { ...claimed.event, resource: { ...claimed.event.resource } };
      Object.assign(event.resource, { data: claimed.event.resource.data ?? null });
      return { ...claimed, event };
    }),
    /with its resource only if the endpoint includes it/,
  ],
  [
    'has the newest version of the resource',
    (correct) =>
      withQueue(correct, {
        claim: (owner, limit) =>
          later(async () => {
            const claimed = await succeeds(correct.queue.claim(owner, limit));
            for (const { event } of claimed) {
              const found = await correct.orders.find(owner, event.resource.id);
              if (found.isOk() && event.resource.data) Object.assign(event.resource, { data: found.value });
            }
            return claimed;
          }),
      }),
    /at the version of the event/,
  ],
  [
    'keeps erased resources',
    (correct) => {
      const { customers } = correct;
      return {
        ...correct,
        customers: {
          ...customers,
          delete: (owner, id, decide) =>
            customers
              .find(owner, id)
              .andThen(decide)
              .map((event) => ({ event, replayed: false })),
        },
      };
    },
    /`null` once it was erased/,
  ],
  [
    'has the endpoint as it was created',
    (correct) => {
      const created = new Map<string, WebhookEndpoint>();
      const noting = withEndpoints(correct, {
        insert: (owner, { endpoint, event }) => {
          created.set(endpoint.id, endpoint);
          return correct.endpoints.insert(owner, { endpoint, event });
        },
      });
      return alteringEach((claimed) => ({
        ...claimed,
        endpoint: created.get(claimed.endpoint.id) ?? claimed.endpoint,
      }))(noting);
    },
    /the endpoint as it is when it is claimed/,
  ],
  [
    'counts attempts from 0',
    alteringEach((claimed) => ({ ...claimed, attempt: claimed.attempt - 1 })),
    /has the number of its attempt/,
  ],
];

const orderFaults: readonly QueueFault[] = [
  ['claims out of order within a resource', acceptingEarly(all, 'handed out'), /after the one before was accepted/],
  [
    'does not wait for the next attempt of the one before',
    acceptingEarly(all, 'handed out'),
    /while the one before waits for its next attempt/,
  ],
  [
    'waits for what has failed finally',
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
          noted.queue.settle(owner, claimed, attempt, settlement).map(() => ({ recorded: true, isDead: false })),
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
  [
    'claims for two workers at a time',
    (correct) => {
      const results = new Results();
      const noted = results.noting(correct);
      return withQueue(noted, {
        claim: (owner, limit) =>
          noted.queue
            .claim(owner, limit)
            .map((claimed) => (claimed.length > 0 ? claimed : [...results.claimed.values()])),
      });
    },
    /belongs to one worker/,
  ],
  [
    'never claims again what was not settled',
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
              ? later(() => Promise.resolve({ recorded: false, isDead: false }))
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

describe('the contract of the webhook queue port, on fan-outs,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, fanOutFaults);
});

describe('the contract of the webhook queue port, on the order of deliveries,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, orderFaults);
});

describe('the contract of the webhook queue port, on claims,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, leaseFaults);
});
