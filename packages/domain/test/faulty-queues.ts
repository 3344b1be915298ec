import { ok, ResultAsync } from 'neverthrow';
import type { WebhookQueueSubject } from '@orders/domain/testing';
import type {
  Attempt,
  ClaimedDelivery,
  Settlement,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointRepository,
  WebhookQueue,
} from '@orders/domain/webhooks';
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

/** Injects endpoints that are stored otherwise than they are given. */
export const alteringEndpoints = (alter: (endpoint: WebhookEndpoint) => WebhookEndpoint): Inject => {
  return (correct) =>
    withEndpoints(correct, {
      insert: (owner, { endpoint, event }) => correct.endpoints.insert(owner, { endpoint: alter(endpoint), event }),
      update: (owner, id, change) =>
        correct.endpoints.update(owner, id, (before) =>
          change(before).map(({ endpoint, event }) => ({ endpoint: alter(endpoint), event })),
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
          ? later(() => Promise.resolve({ recorded: true, isDead: false }))
          : queue.settle(owner, claimed, attempt, settlement),
    });
  };
};

/** The endpoints that a test has created, with their owners. */
export class KnownEndpoints {
  readonly #owners = new Map<string, string>();

  /** Returns the subject with endpoints that are noted. */
  noting(correct: WebhookQueueSubject): WebhookQueueSubject {
    return withEndpoints(correct, {
      insert: (owner, created, idempotency) => {
        this.#owners.set(created.endpoint.id, owner);
        return correct.endpoints.insert(owner, created, idempotency);
      },
    });
  }

  /** Returns the pairs of endpoint and owner. */
  all(): readonly (readonly [endpointId: string, owner: string])[] {
    return [...this.#owners];
  }

  owners(): readonly string[] {
    return [...new Set(this.#owners.values())];
  }

  /** Returns the owner of an endpoint. */
  ownerOf(endpointId: string, otherwise: string): string {
    return this.#owners.get(endpointId) ?? otherwise;
  }
}

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

/** The results of the attempts that a test has recorded. */
export class Results {
  /** Those whose last attempt was rejected. */
  readonly rejected = new Map<string, ClaimedDelivery>();
  /** Those that were claimed and not settled. */
  readonly claimed = new Map<string, ClaimedDelivery>();

  /** Returns the subject with a queue whose results are noted, and whose claims `alter` replaces. */
  noting(
    correct: WebhookQueueSubject,
    alter: (claimed: readonly ClaimedDelivery[]) => readonly ClaimedDelivery[] = (claimed) => claimed,
  ): WebhookQueueSubject {
    const { queue } = correct;
    return withQueue(correct, {
      claim: (owner, limit) =>
        queue.claim(owner, limit).map((all) => {
          const handed = alter(all);
          for (const one of all) this.claimed.set(deliveryOf(one), one);
          return handed;
        }),
      settle: (owner, claimed, attempt, settlement) =>
        queue.settle(owner, claimed, attempt, settlement).map((settled) => {
          this.claimed.delete(deliveryOf(claimed));
          if (settlement.status === 'delivered') this.rejected.delete(deliveryOf(claimed));
          else this.rejected.set(deliveryOf(claimed), claimed);
          return settled;
        }),
    });
  }
}
