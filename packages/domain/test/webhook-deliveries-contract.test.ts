import { webhookQueueContract } from '@orders/domain/testing';
import type { ClaimedDelivery } from '@orders/domain/webhooks';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { alteringLog, claimingRedelivered, redelivering, withLog } from './faulty-logs.ts';
import { deliveryOf, later, logOf, type QueueFault, resourceOf, withQueue } from './faulty-queues.ts';
import { KnownEndpoints, Results } from './noted-queues.ts';

const logFaults: readonly QueueFault[] = [
  ['has no last status', alteringLog((delivery) => ({ ...delivery, last_status: null })), /with its last attempt/],
  ['has no last error', alteringLog((delivery) => ({ ...delivery, last_error: null })), /with its last attempt/],
  ['has no duration', alteringLog((delivery) => ({ ...delivery, last_duration_ms: null })), /with its last attempt/],
  ['has more members', alteringLog((delivery, owner) => ({ ...delivery, owner })), /with its last attempt/],
  [
    'always has a time of the next attempt',
    alteringLog((delivery) => ({
      ...delivery,
      next_attempt_at: delivery.next_attempt_at ?? '2026-01-02T03:04:05.678Z',
    })),
    /none behind an earlier event/,
  ],
  [
    'has the time of the last attempt',
    alteringLog((delivery) => ({
      ...delivery,
      next_attempt_at: delivery.next_attempt_at && '2026-01-02T03:04:05.678Z',
    })),
    /has the time of the next attempt/,
  ],
  [
    'has the oldest event first',
    (correct) =>
      withLog(correct, {
        list: (owner, id, query) =>
          correct.deliveries.list(owner, id, query).map((page) => ({ ...page, data: page.data.toReversed() })),
      }),
    /newest event first/,
  ],
  [
    'has a next page at the end',
    (correct) =>
      withLog(correct, {
        list: (owner, id, query) =>
          correct.deliveries.list(owner, id, query).map((page) => {
            const last = page.data.at(-1);
            return { ...page, next: last ? { value: last.position, id: last.event_id } : null };
          }),
      }),
    /in pages that end at a position/,
  ],
  [
    'repeats the last element of a page',
    (correct) =>
      withLog(correct, {
        list: (owner, id, query) =>
          correct.deliveries.list(owner, id, { ...query, before: query.before === null ? null : query.before + 1 }),
      }),
    /in pages that end at a position/,
  ],
  [
    'ignores the status',
    (correct) =>
      withLog(correct, { list: (owner, id, query) => correct.deliveries.list(owner, id, { ...query, status: null }) }),
    /limited to one status/,
  ],
  [
    'filters a page after it was read',
    (correct) =>
      withLog(correct, {
        list: (owner, id, query) =>
          correct.deliveries.list(owner, id, { ...query, status: null }).map((page) => ({
            ...page,
            data: page.data.filter(({ status }) => query.status === null || status === query.status),
          })),
      }),
    /limited to one status/,
  ],
  [
    'lists deliveries of another owner',
    (correct) => {
      const known = new KnownEndpoints();
      return withLog(known.noting(correct), {
        list: (owner, id, query) => correct.deliveries.list(known.ownerOf(id, owner), id, query),
      });
    },
    /deliveries of one endpoint and its owner/,
  ],
  [
    'redelivers those of another owner',
    (correct) => {
      const known = new KnownEndpoints();
      return withLog(known.noting(correct), {
        redeliver: (owner, id, event) => correct.deliveries.redeliver(known.ownerOf(id, owner), id, event),
      });
    },
    /deliveries of one endpoint and its owner/,
  ],
  [
    'redelivers to another endpoint',
    (correct) => {
      const known = new KnownEndpoints();
      return withLog(known.noting(correct), {
        redeliver: (owner, _id, event) => correct.deliveries.redeliver(owner, known.all()[0]?.[0] ?? '', event),
      });
    },
    /deliveries of one endpoint and its owner/,
  ],
  [
    'fails for unknown events',
    (correct) =>
      withLog(correct, {
        redeliver: (owner, id, event) =>
          correct.deliveries
            .redeliver(owner, id, event)
            .orElse(() => errAsync({ type: 'unavailable', cause: null } as const)),
      }),
    /rejected with delivery_not_found/,
  ],
  [
    'ignores redeliveries of accepted ones',
    (correct) =>
      withLog(correct, {
        redeliver: (owner, id, event) =>
          later(async () => (await logOf(correct, owner, id)).find(({ event_id }) => event_id === event)).andThen(
            (found) =>
              found?.status === 'delivered' ? okAsync(found) : correct.deliveries.redeliver(owner, id, event),
          ),
      }),
    /if the delivery was delivered/,
  ],
  [
    'keeps the attempts of a redelivery',
    claimingRedelivered((claimed, redelivered) =>
      claimed.map((one) => ({ ...one, attempt: one.attempt + (redelivered.get(deliveryOf(one))?.attempts ?? 0) })),
    ),
    /if the delivery was failed/,
  ],
  [
    'waits for a redelivery in the order of its resource',
    claimingRedelivered((claimed, redelivered, results) => {
      const waiting = [...results.rejected.values()].filter((one) => redelivered.has(deliveryOf(one)));
      return claimed.filter((one) => waiting.every((other) => resourceOf(other) !== resourceOf(one)));
    }),
    /no effect on the order of other deliveries/,
  ],
  [
    'ends the wait for the event that is next in order',
    (correct) => {
      const redelivered = new Set<string>();
      const results = new Results();
      const noted = results.noting(correct);
      const queue = withQueue(noted, {
        settle: (owner, claimed, attempt, settlement) =>
          noted.queue.settle(owner, claimed, attempt, settlement).map(async (settled) => {
            if (!redelivered.has(deliveryOf(claimed))) return settled;
            // Its successor, which is in flight, counts as accepted.
            for (const one of results.claimed.values())
              await succeeds(correct.queue.settle(owner, one, attempt, settlement));
            return settled;
          }),
      });
      return redelivering(async (_correct, _owner, endpointId, before) => {
        redelivered.add(`${endpointId} ${before.event_id}`);
        return await Promise.resolve();
      })(queue);
    },
    /settles without a claim of the event that is next/,
  ],
  [
    'leaves a pending delivery to its gap',
    (correct) =>
      withLog(correct, {
        redeliver: (owner, id, event) =>
          later(async () => (await logOf(correct, owner, id)).find(({ event_id }) => event_id === event)).andThen(
            (found) => (found?.status === 'pending' ? okAsync(found) : correct.deliveries.redeliver(owner, id, event)),
          ),
      }),
    /before its successors, if the delivery is pending/,
  ],
  [
    'takes a pending delivery out of its order',
    redelivering(async (correct, owner, _endpointId, before) => {
      if (before.status !== 'pending') return;
      for (const one of await succeeds(correct.queue.claim(owner, 100)))
        await succeeds(
          correct.queue.settle(
            owner,
            one,
            { status: 204, error: null, duration_ms: 1, retryAfterMs: null },
            { status: 'delivered', retryInMs: null },
          ),
        );
    }),
    /before its successors, if the delivery is pending/,
  ],
  [
    'claims a delivery in flight a second time',
    (correct) => {
      const results = new Results();
      const noted = results.noting(correct);
      const again = new Map<string, ClaimedDelivery>();
      const queue = withQueue(noted, {
        claim: (owner, limit) =>
          noted.queue.claim(owner, limit).map((claimed) => {
            const all = [...claimed, ...again.values()];
            again.clear();
            return all;
          }),
      });
      return redelivering(async (_correct, _owner, endpointId, before) => {
        const inFlight = results.claimed.get(`${endpointId} ${before.event_id}`);
        if (inFlight) again.set(deliveryOf(inFlight), inFlight);
        return await Promise.resolve();
      })(queue);
    },
    /delivery in flight a second time/,
  ],
  [
    'waits for a failing endpoint before a redelivery',
    claimingRedelivered((claimed, redelivered) => claimed.filter((one) => !redelivered.has(deliveryOf(one)))),
    /also while the endpoint rejects everything/,
  ],
];

describe('the contract of the webhook deliveries port', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, logFaults);
});
