import type { WebhookQueueSubject } from '@orders/domain/testing';
import type { ClaimedDelivery, WebhookEndpoint } from '@orders/domain/webhooks';
import { deliveryOf, type QueueFault, withEndpoints, withQueue } from './faulty-queues.ts';

type Inject = QueueFault[1];

/** The endpoints that a test has created, with their owners. */
export class KnownEndpoints {
  readonly #owners = new Map<string, string>();

  /** Returns the subject with endpoints that are noted. */
  noting(correct: WebhookQueueSubject): WebhookQueueSubject {
    return withEndpoints(correct, {
      commit: (owner, write) => {
        if (write.kind === 'create') this.#owners.set(write.after.id, owner);
        return correct.endpoints.commit(owner, write);
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

/** The endpoints that a test has disabled at some time, with their last status. */
export class Disabled {
  readonly endpoints = new Map<string, 'disabled' | 'enabled'>();

  /** Returns the subject with endpoints whose status changes are noted. */
  noting(
    correct: WebhookQueueSubject,
    onEnabled: (owner: string, endpoint: WebhookEndpoint) => Promise<void> = () => Promise.resolve(),
  ): WebhookQueueSubject {
    return withEndpoints(correct, {
      commit: (owner, write) =>
        correct.endpoints.commit(owner, write).map(async (written) => {
          if (write.kind !== 'change') return written;
          const { id, status } = write.after;
          if (status === 'enabled' && this.endpoints.get(id) === 'disabled') await onEnabled(owner, write.after);
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

/** Injects a queue that claims other than the correct one, by the results of earlier attempts. */
export const claimingBy =
  (createAlter: (results: Results) => (claimed: readonly ClaimedDelivery[]) => readonly ClaimedDelivery[]): Inject =>
  (correct) => {
    const results = new Results();
    return results.noting(correct, createAlter(results));
  };

/** Injects a queue that claims deliveries in flight once more when it has no others. */
export const claimingInFlightAgain: Inject = (correct) => {
  const results = new Results();
  const noted = results.noting(correct);
  return withQueue(noted, {
    claim: (owner, limit) =>
      noted.queue.claim(owner, limit).map((claimed) => (claimed.length > 0 ? claimed : [...results.claimed.values()])),
  });
};
