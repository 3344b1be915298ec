import { webhookQueueContract } from '@orders/domain/testing';
import type { WebhookDelivery, WebhookEndpoint } from '@orders/domain/webhooks';
import { okAsync } from 'neverthrow';
import { describe } from 'vitest';
import { succeeds } from './a-domain.ts';
import { aWebhookStore } from './a-webhook-store.ts';
import { itCatchesFaults } from './contract-faults.ts';
import { acceptingEarly, deliveryOf, logOf, type QueueFault, withEndpoints, withQueue } from './faulty-queues.ts';
import { claimingInFlightAgain, Disabled } from './noted-queues.ts';

type Inject = QueueFault[1];

/** Injects a queue that loses deliveries once their endpoint is enabled again. */
/** Claims later deliveries of an endpoint that was disabled before the failed ones of their resources. */
const claimingFailedOnesLate: QueueFault[1] = (correct) => {
  const disabled = new Disabled();
  return acceptingEarly(
    () =>
      ({ endpoint }) =>
        disabled.wasDisabled(endpoint.id),
    'handed out',
  )(disabled.noting(correct));
};

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

const disabledFaults: readonly QueueFault[] = [
  [
    'claims for disabled endpoints',
    (correct) => {
      const changed = new Map<string, WebhookEndpoint>();
      return withEndpoints(correct, {
        load: (owner, id) =>
          correct.endpoints.load(owner, id).map((found) => found && { aggregate: changed.get(id) ?? found.aggregate }),
        commit: (owner, write) => {
          if (write.kind !== 'change') return correct.endpoints.commit(owner, write);
          changed.set(write.after.id, write.after);
          return okAsync(null);
        },
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
            ? okAsync({ recorded: false, isDead: false, isMoreDue: false })
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
  ['loses pending deliveries', losing(({ status }) => status === 'pending'), /written before and meanwhile/],
  [
    'delivers accepted deliveries again',
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
  ['delivers failed ones after later ones', claimingFailedOnesLate, /before later ones of their resources/],
  [
    'claims deliveries whose claims were lost beside failed ones before them',
    claimingFailedOnesLate,
    /before a later one of its resource whose claim is/,
  ],
  ['claims deliveries in flight again', claimingInFlightAgain, /waits for the lease of a claim/],
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

describe('the contract of the webhook queue port, on disabled endpoints,', () => {
  itCatchesFaults(webhookQueueContract, aWebhookStore, disabledFaults);
});
