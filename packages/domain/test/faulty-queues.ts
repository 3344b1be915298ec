import type { WebhookQueueSubject } from '@orders/domain/testing';
import type {
  Attempt,
  ClaimedDelivery,
  Settled,
  Settlement,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointRepository,
  WebhookQueue,
} from '@orders/domain/webhooks';
import { ok, ResultAsync } from 'neverthrow';
import { succeeds } from './a-domain.ts';
import type { FaultOf } from './contract-faults.ts';

export type QueueFault = FaultOf<WebhookQueueSubject>;
type Inject = QueueFault[1];

const ACCEPTED: Attempt = { status: 204, error: null, duration_ms: 1, retryAfterMs: null };
const DELIVERED: Settlement = { status: 'delivered', retryInMs: null };

/** Turns a promise into a result without errors. */
export function later<T>(run: () => Promise<T>): ResultAsync<T, never> {
  return new ResultAsync(run().then((value) => ok(value)));
}

/** Returns the subject with other methods of its queue. */
export function withQueue(correct: WebhookQueueSubject, methods: Partial<WebhookQueue>): WebhookQueueSubject {
  const { queue } = correct;
  return {
    ...correct,
    queue: {
      findDue: (limit, after) => queue.findDue(limit, after),
      fanOut: (owner) => queue.fanOut(owner),
      claim: (owner, limit) => queue.claim(owner, limit),
      settle: (owner, claimed, attempt, settlement) => queue.settle(owner, claimed, attempt, settlement),
      ...methods,
    },
  };
}

/** Returns the subject with other methods of its endpoints. */
export function withEndpoints(
  correct: WebhookQueueSubject,
  methods: Partial<WebhookEndpointRepository>,
): WebhookQueueSubject {
  return { ...correct, endpoints: { ...correct.endpoints, ...methods } };
}

/** Injects a queue that alters what was claimed. */
export const alteringClaims =
  (
    createAlter: (correct: WebhookQueueSubject) => (claimed: readonly ClaimedDelivery[]) => readonly ClaimedDelivery[],
  ) =>
  (correct: WebhookQueueSubject): WebhookQueueSubject => {
    const alter = createAlter(correct);
    return withQueue(correct, { claim: (owner, limit) => correct.queue.claim(owner, limit).map(alter) });
  };

/** Injects a queue that alters each claimed delivery. */
export const alteringEach = (alter: (claimed: ClaimedDelivery) => ClaimedDelivery): Inject =>
  alteringClaims(() => (claimed) => claimed.map(alter));

/** Injects a queue that alters what a settlement returns. */
export const alteringSettled = (
  alter: (settled: Settled, settlement: Settlement, claimed: ClaimedDelivery) => Settled,
): Inject => {
  return (correct) =>
    withQueue(correct, {
      settle: (owner, claimed, attempt, settlement) =>
        correct.queue.settle(owner, claimed, attempt, settlement).map((settled) => alter(settled, settlement, claimed)),
    });
};

/** Injects endpoints that are stored otherwise than they are given. */
export const alteringEndpoints = (alter: (endpoint: WebhookEndpoint) => WebhookEndpoint): Inject => {
  return (correct) =>
    withEndpoints(correct, {
      commit: (owner, write) =>
        correct.endpoints.commit(
          owner,
          write.kind === 'create' || write.kind === 'change' ? { ...write, after: alter(write.after) } : write,
        ),
    });
};

/**
 * Injects a queue that records claimed deliveries as accepted before they are attempted, and then claims further ones.
 * The accepted ones are handed out, which breaks their order, or lost.
 */
export const acceptingEarly = (
  createMatch: (correct: WebhookQueueSubject) => (claimed: ClaimedDelivery) => boolean,
  fate: 'handed out' | 'lost',
) => {
  return (correct: WebhookQueueSubject): WebhookQueueSubject => {
    const [matches, early] = [createMatch(correct), new Set<number>()];
    const { queue } = correct;
    return withQueue(correct, {
      claim: (owner, limit) =>
        later(async () => {
          const handed: ClaimedDelivery[] = [];
          for (let isOver = false; !isOver && handed.length < limit;) {
            isOver = true;
            for (const one of await succeeds(queue.claim(owner, limit - handed.length))) {
              const isEarly = matches(one);
              if (!isEarly || fate === 'handed out') handed.push(one);
              if (!isEarly) continue;
              await succeeds(queue.settle(owner, one, ACCEPTED, DELIVERED));
              early.add(one.fence);
              isOver = false;
            }
          }
          return handed;
        }),
      settle: (owner, claimed, attempt, settlement) =>
        early.has(claimed.fence)
          ? later(() => Promise.resolve({ recorded: true, isDead: false, isMoreDue: false }))
          : queue.settle(owner, claimed, attempt, settlement),
    });
  };
};

/** Returns all deliveries of an endpoint, newest first. */
export async function logOf(
  { deliveries }: WebhookQueueSubject,
  owner: string,
  endpointId: string,
): Promise<readonly WebhookDelivery[]> {
  return (await succeeds(deliveries.list(owner, endpointId, { limit: 100, before: null, status: null }))).data;
}

/** Returns the kind and id of the resource of a claimed delivery. */
export function resourceOf({ event: { resource } }: ClaimedDelivery): string {
  return `${resource.type} ${resource.id}`;
}

/** Returns the endpoint and event of a claimed delivery. */
export function deliveryOf({ endpoint, event }: ClaimedDelivery): string {
  return `${endpoint.id} ${event.id}`;
}
