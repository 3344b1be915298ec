import { webhookQueueContract, type WebhookQueueSubject } from '@orders/domain/testing';
import type { Settled, Settlement, WebhookDelivery } from '@orders/domain/webhooks';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { alteringSettled, later, logOf, type QueueFault, withQueue } from './faulty-queues.ts';
import { Disabled, KnownEndpoints, Results } from './noted-queues.ts';

type Inject = QueueFault[1];

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
          const { owners: due } = await succeeds(correct.queue.findDue(10_000, null));
          const { owners, next } = await succeeds(correct.queue.findDue(limit, after));
          const altered = await alter(due, correct, known);
          const found = altered.filter(
            (owner) => (after === null || owner > after) && (next === null || owner <= next),
          );
          return {
            owners: [...new Set([...owners.filter((owner) => altered.includes(owner)), ...found])].toSorted(),
            next,
          };
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
        findDue: (limit, after) =>
          results.claimed.size > 0 ? okAsync({ owners: [], next: null }) : correct.queue.findDue(limit, after),
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
            const { owners, next } = await succeeds(correct.queue.findDue(limit, after));
            const all = new Set(owners);
            for (const [id, owner] of known.all()) {
              const found = await succeeds(correct.endpoints.load(owner, id));
              if (found?.aggregate.types?.includes('customer.deleted')) all.add(owner);
            }
            return { owners: [...all], next };
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
          correct.queue.findDue(limit, after).map(({ owners, next }) => {
            const more = known
              .all()
              .filter(([id, owner]) => disabled.isDisabled(id) && (after === null || owner > after));
            return { owners: [...new Set([...owners, ...more.map(([, owner]) => owner)])].toSorted(), next };
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
          correct.queue.findDue(1000, null).map(({ owners }) => {
            const sorted = owners.toSorted((left, right) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1));
            const start = after === null ? 0 : sorted.indexOf(after) + 1;
            const page = sorted.slice(start, start + limit);
            return { owners: page, next: start + limit < sorted.length ? (page.at(-1) ?? null) : null };
          }),
      }),
    /in the order of their text/,
  ],
];

const saying = (isMoreDue: (settled: Settled, settlement: Settlement) => boolean) =>
  alteringSettled((settled, settlement) => ({ ...settled, isMoreDue: isMoreDue(settled, settlement) }));

const furtherDueFaults: readonly QueueFault[] = [
  [
    'never says that more is due after an accepted one',
    saying(({ isMoreDue }, { status }) => isMoreDue && status !== 'delivered'),
    /next one of the same resource has waited/,
  ],
  [
    'says that more is due after accepted ones alone',
    saying((_settled, { status }) => status === 'delivered'),
    /its own next attempt is due at once/,
  ],
  [
    'says nothing of those beyond 8 in flight',
    (correct) => {
      let inFlight = 0;
      return withQueue(correct, {
        claim: (owner, limit) =>
          correct.queue.claim(owner, limit).map((claimed) => {
            inFlight = claimed.length;
            return claimed;
          }),
        settle: (owner, claimed, attempt, settlement) =>
          correct.queue
            .settle(owner, claimed, attempt, settlement)
            .map((settled) => ({ ...settled, isMoreDue: settled.isMoreDue && inFlight < 8 })),
      });
    },
    /more than an endpoint may have in flight/,
  ],
  [
    'says nothing of an endpoint that accepts again',
    (correct) => {
      let hasFailed = false;
      return alteringSettled((settled, { status, counts }) => {
        hasFailed ||= status === 'pending' && counts !== false;
        return { ...settled, isMoreDue: settled.isMoreDue && !hasFailed };
      })(correct);
    },
    /accepts the first one after a rejected one/,
  ],
];

describe('the contract of the webhook queue port, on owners that are due,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, [...dueFaults, ...furtherDueFaults]);
});
