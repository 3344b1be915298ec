import type { Owner } from '@orders/domain';
import { type FeedWaitOptions, type StoreChanges, systemTimer } from '@orders/domain/events';
import type { OpenedPools } from '../database/opened-pools.ts';
import type { WriteListener } from '../postgres/repository-connections.ts';
import { VisibleTransactions } from './visible-transactions.ts';

/** The interval between two checks for writes of other processes, in milliseconds. */
export const POLL_MS = 250;

/** The interval on Citus, where each check counts as a change, in milliseconds. */
const CITUS_POLL_MS = 1000;

/** Longer timers would end at once, in milliseconds. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

interface Waiter {
  readonly state: string | null;
  readonly end: (changes: StoreChanges) => void;
}

/**
 * The consumers of this process that wait for changes. A write of the same process ends their waits at once. For those of
 * other processes, one statement for all of them checks every 250 ms whether a transaction of the cluster has ended. Nothing
 * runs while none waits.
 */
export class ChangeWatch implements WriteListener {
  readonly #connected: Pick<OpenedPools, 'writeListeners'>;
  readonly #transactions: VisibleTransactions;
  readonly #waiters = new Set<Waiter>();
  #isPolling = false;
  /** Aborted, it ends the pause between two checks. */
  #pause = new AbortController();
  #checks = 0;

  constructor(connected: Pick<OpenedPools, 'orm' | 'primary' | 'writeListeners'>) {
    this.#connected = connected;
    this.#transactions = new VisibleTransactions(connected);
  }

  /** See {@link OwnerCheckpoints.waitForChanges}. */
  wait(state: string | null, { timeoutMs, signal }: FeedWaitOptions): Promise<StoreChanges> {
    return new Promise((resolve) => {
      const end = (changes: StoreChanges): void => {
        clearTimeout(timeout);
        signal?.removeEventListener('abort', giveUp);
        this.#waiters.delete(waiter);
        resolve(changes);
      };
      const waiter: Waiter = { state, end };
      // Without a state, all counts as changed.
      const giveUp = (): void => end({ state: state ?? '', owners: null });
      const timeout = setTimeout(giveUp, Math.min(timeoutMs, TIMER_MAX_MS));
      signal?.addEventListener('abort', giveUp);
      if (signal?.aborted) return giveUp();
      this.#waiters.add(waiter);
      this.#connected.writeListeners.add(this);
      if (state === null) this.#pause.abort();
      if (!this.#isPolling) void this.#poll();
    });
  }

  /** Ends all waits. The write shows in the next check, too. */
  written(owner: Owner): void {
    for (const { state, end } of this.#waiters) if (state !== null) end({ state, owners: [owner] });
  }

  /** Ends all waits, because the database is closed. */
  closed(): void {
    for (const { state, end } of this.#waiters) end({ state: state ?? '', owners: null });
  }

  /** Checks until no one waits, and no more often when waits are short. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#waiters.size > 0) {
      // After a failure the next check is soon enough: the search fails, too, and is retried.
      const visible = await this.#transactions.read().catch(() => null);
      if (visible !== null) this.#endAllBefore(visible ?? `${(this.#checks += 1)}`);
      this.#pause = new AbortController();
      await systemTimer.pause(visible === undefined ? CITUS_POLL_MS : POLL_MS, this.#pause.signal);
    }
    this.#isPolling = false;
    this.#connected.writeListeners.delete(this);
  }

  #endAllBefore(state: string): void {
    for (const waiter of this.#waiters) if (waiter.state !== state) waiter.end({ state, owners: null });
  }
}
