import { webhookQueueContract, type WebhookQueueSubject } from '@orders/domain/testing';
import type {
  ClaimedDelivery,
  Settled,
  Settlement,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookEndpoint,
} from '@orders/domain/webhooks';
import { errAsync, okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import {
  acceptingEarly,
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

type Inject = QueueFault[1];

/** Injects a queue that claims by the results of earlier attempts. */
const claimingBy =
  (createAlter: (results: Results) => (claimed: readonly ClaimedDelivery[]) => readonly ClaimedDelivery[]): Inject =>
  (correct) => {
    const results = new Results();
    return results.noting(correct, createAlter(results));
  };

/** Returns the subject with other methods of its log. */
function withLog(correct: WebhookQueueSubject, methods: Partial<WebhookDeliveries>): WebhookQueueSubject {
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

/** Injects a queue that alters what a settlement returns. */
const alteringSettled = (
  alter: (settled: Settled, settlement: Settlement, claimed: ClaimedDelivery) => Settled,
): Inject => {
  return (correct) =>
    withQueue(correct, {
      settle: (owner, claimed, attempt, settlement) =>
        correct.queue.settle(owner, claimed, attempt, settlement).map((settled) => alter(settled, settlement, claimed)),
    });
};

/** Injects a log that alters its deliveries. */
const alteringLog = (alter: (delivery: WebhookDelivery, owner: string) => WebhookDelivery): Inject => {
  return (correct) =>
    withLog(correct, {
      list: (owner, endpointId, query) =>
        correct.deliveries
          .list(owner, endpointId, query)
          .map((page) => ({ ...page, data: page.data.map((delivery) => alter(delivery, owner)) })),
    });
};

/** The endpoints that a test has disabled, with their owners and their failed deliveries. */
class Disabled {
  readonly endpoints = new Map<string, 'disabled' | 'enabled'>();

  /** Returns the subject with endpoints whose status changes are noted. */
  noting(
    correct: WebhookQueueSubject,
    onEnabled: (owner: string, endpoint: WebhookEndpoint) => Promise<void> = () => Promise.resolve(),
  ): WebhookQueueSubject {
    return withEndpoints(correct, {
      update: (owner, id, change) =>
        correct.endpoints.update(owner, id, change).map(async (written) => {
          const { status } = written.endpoint;
          if (status === 'enabled' && this.endpoints.get(id) === 'disabled') await onEnabled(owner, written.endpoint);
          if (status === 'disabled' || this.endpoints.has(id)) this.endpoints.set(id, status);
          return written;
        }),
    });
  }

  isDisabled(id: string): boolean {
    return this.endpoints.get(id) === 'disabled';
  }

  wasDisabled(id: string): boolean {
    return this.endpoints.has(id);
  }
}

/** Injects a queue that loses deliveries once their endpoint is enabled again. */
const losing =
  (isLost: (delivery: WebhookDelivery, latest: number) => boolean): Inject =>
  (correct) => {
    const lost = new Set<string>();
    const disabled = new Disabled();
    const subject = disabled.noting(correct, async (owner, { id }) => {
      const known = await logOf(correct, owner, id);
      await succeeds(correct.queue.fanOut(owner));
      const all = await logOf(correct, owner, id);
      const latest = known[0]?.position ?? 0;
      for (const delivery of known.length > 0 ? all : [])
        if (isLost(known.find(({ position }) => position === delivery.position) ?? delivery, latest))
          lost.add(`${id} ${delivery.event_id}`);
    });
    return acceptingEarly(() => (claimed) => lost.has(deliveryOf(claimed)), 'lost')(subject);
  };

const failingFaults: readonly QueueFault[] = [
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
    'counts what other endpoints accepted',
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

const disabledFaults: readonly QueueFault[] = [
  [
    'claims for disabled endpoints',
    (correct) => {
      const disabled = new Map<string, WebhookEndpoint>();
      return withEndpoints(correct, {
        update: (owner, id, change) =>
          correct.endpoints.find(owner, id).andThen((before) =>
            change(disabled.get(id) ?? before).asyncAndThen(({ endpoint, event }) => {
              disabled.set(id, endpoint);
              return okAsync({ endpoint, event, replayed: false });
            }),
          ),
      });
    },
    /gets no deliveries, and no claims/,
  ],
  [
    'stops the other endpoints of the owner',
    (correct) => {
      const disabled = new Disabled();
      return withQueue(disabled.noting(correct), {
        claim: (owner, limit) =>
          [...disabled.endpoints.keys()].some((id) => disabled.isDisabled(id))
            ? okAsync([])
            : correct.queue.claim(owner, limit),
      });
    },
    /does not stop the other endpoints/,
  ],
  [
    'records nothing of disabled endpoints',
    (correct) => {
      const disabled = new Disabled();
      return withQueue(disabled.noting(correct), {
        settle: (owner, claimed, attempt, settlement) =>
          disabled.isDisabled(claimed.endpoint.id)
            ? okAsync({ recorded: false, isDead: false })
            : correct.queue.settle(owner, claimed, attempt, settlement),
      });
    },
    /records an attempt that was claimed before/,
  ],
  [
    'loses events that were written while disabled',
    losing(({ position }, latest) => position > latest),
    /written before and meanwhile/,
  ],
  ['loses what was pending', losing(({ status }) => status === 'pending'), /written before and meanwhile/],
  [
    'delivers again what was accepted',
    (correct) => {
      const disabled = new Disabled();
      return disabled.noting(correct, async (owner, { id }) => {
        for (const { event_id, status } of await logOf(correct, owner, id))
          if (status === 'delivered') await succeeds(correct.deliveries.redeliver(owner, id, event_id));
      });
    },
    /written before and meanwhile once/,
  ],
  ['does not deliver failed ones again', losing(({ status }) => status === 'failed'), /while a fan-out runs/],
  [
    'does not deliver failed ones again unless a fan-out ran meanwhile',
    (correct) => {
      const lossy = losing(({ status }) => status === 'failed')(correct);
      const disabled = new Disabled();
      const noted = disabled.noting(lossy);
      let isSeen = false;
      return withQueue(noted, {
        fanOut: (owner) => {
          isSeen ||= [...disabled.endpoints.keys()].some((id) => disabled.isDisabled(id));
          return correct.queue.fanOut(owner);
        },
        claim: (owner, limit) => (isSeen ? correct : lossy).queue.claim(owner, limit),
        settle: (owner, claimed, attempt, settlement) =>
          (isSeen ? correct : lossy).queue.settle(owner, claimed, attempt, settlement),
      });
    },
    /while no fan-out runs/,
  ],
  [
    'delivers failed ones after later ones',
    (correct) => {
      const disabled = new Disabled();
      return acceptingEarly(
        () =>
          ({ endpoint }) =>
            disabled.wasDisabled(endpoint.id),
        'handed out',
      )(disabled.noting(correct));
    },
    /before later ones of their resources/,
  ],
  [
    'starts one at a time after it was enabled',
    (correct) => {
      const disabled = new Disabled();
      return withQueue(disabled.noting(correct), {
        claim: (owner, limit) => correct.queue.claim(owner, disabled.endpoints.size > 0 ? 1 : limit),
      });
    },
    /at once, however often it failed before/,
  ],
];

/** Injects a query for due owners that returns others. */
const finding =
  (
    alter: (due: readonly string[], correct: WebhookQueueSubject, known: KnownEndpoints) => Promise<readonly string[]>,
  ): Inject =>
  (correct) => {
    const known = new KnownEndpoints();
    return withQueue(known.noting(correct), {
      findDue: (limit, after) =>
        later(async () => {
          const due = await succeeds(correct.queue.findDue(10_000, null));
          const all = (await alter(due, correct, known)).filter((owner) => after === null || owner > after);
          return all.toSorted().slice(0, limit);
        }),
    });
  };

/** Checks whether a delivery of the owner matches. */
async function hasDelivery(
  correct: WebhookQueueSubject,
  known: KnownEndpoints,
  owner: string,
  matches: (delivery: WebhookDelivery) => boolean,
): Promise<boolean> {
  for (const [id, owned] of known.all())
    if (owned === owner && (await logOf(correct, owner, id)).some(matches)) return true;
  return false;
}

/** Adds the owners with a delivery that matches. */
const alsoWith = (matches: (delivery: WebhookDelivery) => boolean): Inject =>
  finding(async (due, correct, known) => {
    const all = new Set(due);
    for (const owner of known.owners()) if (await hasDelivery(correct, known, owner, matches)) all.add(owner);
    return [...all];
  });

const dueFaults: readonly QueueFault[] = [
  ['finds no owner', finding(() => Promise.resolve([])), /has new events or deliveries/],
  ['finds every owner', finding((_due, _correct, known) => Promise.resolve(known.owners())), /is due while an enabled/],
  [
    'finds owners of deliveries behind others',
    alsoWith(({ status }) => status === 'pending'),
    /is due while an enabled/,
  ],
  [
    'finds owners before the next attempt',
    alsoWith(({ status, attempts }) => status === 'pending' && attempts > 0),
    /when the next attempt of a delivery is/,
  ],
  [
    'finds owners of claimed deliveries',
    alsoWith(({ status, next_attempt_at }) => status === 'pending' && next_attempt_at !== null),
    /is due when a lease has expired/,
  ],
  [
    'finds owners whose fresh deliveries must wait',
    alsoWith(
      ({ status, attempts, next_attempt_at }) => status === 'pending' && attempts === 0 && next_attempt_at !== null,
    ),
    /is not due while its endpoint rejects everything/,
  ],
  [
    'finds no owner of new events alone',
    finding(async (due, correct, known) => {
      const found: string[] = [];
      for (const owner of due) if (await hasDelivery(correct, known, owner, () => true)) found.push(owner);
      return found;
    }),
    /is due while an enabled/,
  ],
  [
    'finds no owner of an expired lease',
    (correct) => {
      const results = new Results();
      const noted = results.noting(correct);
      return withQueue(noted, {
        findDue: (limit, after) => (results.claimed.size > 0 ? okAsync([]) : correct.queue.findDue(limit, after)),
      });
    },
    /when a lease has expired/,
  ],
  [
    'finds owners of events that no endpoint wants',
    (correct) => {
      const known = new KnownEndpoints();
      return withQueue(known.noting(correct), {
        findDue: (limit, after) =>
          later(async () => {
            const all = new Set(await succeeds(correct.queue.findDue(limit, null)));
            for (const [id, owner] of known.all()) {
              const { types } = await succeeds(correct.endpoints.find(owner, id));
              if (types?.includes('customer.deleted')) all.add(owner);
            }
            return [...all].filter((owner) => after === null || owner > after);
          }),
      });
    },
    /events that no endpoint wants/,
  ],
  [
    'finds owners of disabled endpoints',
    (correct) => {
      const disabled = new Disabled();
      const known = new KnownEndpoints();
      return withQueue(disabled.noting(known.noting(correct)), {
        findDue: (limit, after) =>
          correct.queue.findDue(limit, after).map((due) => {
            const more = known
              .all()
              .filter(([id, owner]) => disabled.isDisabled(id) && (after === null || owner > after));
            return [...new Set([...due, ...more.map(([, owner]) => owner)])].toSorted();
          }),
      });
    },
    /not due for disabled and deleted endpoints/,
  ],
  [
    'finds no owner of failed deliveries whose endpoint is enabled again',
    finding(async (due, correct, known) => {
      const found: string[] = [];
      for (const owner of due)
        if (
          !(await hasDelivery(correct, known, owner, ({ attempts, status }) => attempts === 0 && status === 'pending'))
        )
          found.push(owner);
      return found;
    }),
    /enabled again with nothing but failed deliveries/,
  ],
  [
    'ignores the limit',
    (correct) => withQueue(correct, { findDue: (_limit, after) => correct.queue.findDue(1000, after) }),
    /are returned in pages/,
  ],
  [
    'begins each page at the first owner',
    (correct) => withQueue(correct, { findDue: (limit) => correct.queue.findDue(limit, null) }),
    /are returned in pages/,
  ],
  [
    'sorts owners without regard to case',
    (correct) =>
      withQueue(correct, {
        findDue: (limit, after) =>
          correct.queue.findDue(1000, null).map((due) => {
            const sorted = due.toSorted((left, right) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1));
            const start = after === null ? 0 : sorted.indexOf(after) + 1;
            return sorted.slice(start, start + limit);
          }),
      }),
    /in the order of their text/,
  ],
];

/** Injects a log whose redeliveries have an additional effect. */
const redelivering =
  (
    effect: (correct: WebhookQueueSubject, owner: string, endpointId: string, before: WebhookDelivery) => Promise<void>,
  ): Inject =>
  (correct) =>
    withLog(correct, {
      redeliver: (owner, endpointId, eventId) =>
        later(async () => {
          const before = (await logOf(correct, owner, endpointId)).find(
            ({ event_id }) => event_id === eventId.toLowerCase(),
          );
          return before ?? null;
        }).andThen((before) =>
          correct.deliveries.redeliver(owner, endpointId, eventId).map(async (delivery) => {
            if (before) await effect(correct, owner, endpointId, before);
            return delivery;
          }),
        ),
    });

/** Injects a queue that claims other than the correct one after redeliveries, by what was redelivered. */
const claimingRedelivered =
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
          later(async () =>
            (await logOf(correct, owner, id)).find(({ event_id }) => event_id === event.toLowerCase()),
          ).andThen((found) =>
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
  [
    'records attempts of purged events',
    afterPurge(alteringSettled((settled) => ({ ...settled, recorded: true }))),
    /leaves a claim without effect/,
  ],
  [
    'stops at a gap in the feed',
    afterPurge((correct) => withQueue(correct, { fanOut: () => okAsync(false) })),
    /continue at the oldest event/,
  ],
];

describe('the contract of the webhook queue port, on failing endpoints,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, failingFaults);
});

describe('the contract of the webhook queue port, on disabled endpoints,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, disabledFaults);
});

describe('the contract of the webhook queue port, on owners that are due,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, dueFaults);
});

describe('the contract of the webhook deliveries port', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, logFaults);
});

describe('the contract of the webhook queue port, on purges,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, purgeFaults);
});
