import type { Owner } from '@orders/domain';
import {
  type AbortSignalLike,
  FEED_WAITS_MAX,
  FEED_WAITS_PER_OWNER_MAX,
  type FeedWaitOptions,
} from '@orders/domain/events';
import type { Connected, WriteListener } from '../connected.ts';
import type { FeedStatements } from './feed-statements.ts';
import type { ProbeRange } from './probe-range.ts';

/** The interval between two checks for writes of other processes, in milliseconds. */
const POLL_MS = 250;

/** Waiters per statement, so that each takes milliseconds. */
const CHECKED = 1000;

/** Statements about one owner each that run at the same time. */
const CONCURRENT = 8;

/** Longer timers would end at once, in milliseconds. */
const TIMER_MAX_MS = 2 ** 31 - 1;

interface Waiter {
  readonly owner: Owner;
  readonly position: number;
  readonly wake: () => void;
}

/**
 * The readers of this process that wait for events. A write of the same process wakes the waiters of its owner at once. For
 * those of other processes, one statement per 250 ms checks the feeds of all waiters, and of new ones at once. Nothing
 * runs without waiters.
 */
export class FeedWaiters implements WriteListener {
  readonly #connected: Pick<Connected, 'primary' | 'writeListeners'>;
  readonly #statements: Pick<FeedStatements, 'citus' | 'waits' | 'waiting'>;
  readonly #range: ProbeRange;
  readonly #waiters = new Map<Owner, Set<Waiter>>();
  #count = 0;
  /** The waiters that no check has included. */
  #unchecked = new Set<Waiter>();
  /** Ends the pause between two checks. */
  #endPause = (): void => undefined;
  #isPolling = false;
  #isOnCitus: boolean | undefined;

  constructor(
    connected: Pick<Connected, 'primary' | 'writeListeners'>,
    statements: Pick<FeedStatements, 'citus' | 'waits' | 'waiting'>,
    range: ProbeRange,
  ) {
    this.#connected = connected;
    this.#statements = statements;
    this.#range = range;
  }

  /** See {@link EventFeed.wait}. */
  wait(owner: Owner, position: number, { timeoutMs, signal }: FeedWaitOptions): Promise<void> {
    const ofOwner = this.#waiters.get(owner);
    const isFull = this.#count >= FEED_WAITS_MAX || (ofOwner?.size ?? 0) >= FEED_WAITS_PER_OWNER_MAX;
    if (signal?.aborted || isFull) return Promise.resolve();
    return new Promise((resolve) => this.#add(owner, position, timeoutMs, signal, resolve));
  }

  /** Wakes the waiters of an owner. */
  written(owner: Owner): void {
    this.#wakeAll(this.#waiters.get(owner));
  }

  /** Wakes all waiters, because the database is closed. */
  closed(): void {
    this.#wakeAll(this.#all());
  }

  #add(
    owner: Owner,
    position: number,
    timeoutMs: number,
    signal: AbortSignalLike | undefined,
    resolve: () => void,
  ): void {
    const wake = (): void => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', wake);
      this.#remove(waiter);
      resolve();
    };
    const waiter = { owner, position, wake };
    const timeout = setTimeout(wake, Math.min(timeoutMs, TIMER_MAX_MS));
    signal?.addEventListener('abort', wake);
    const ofOwner = this.#waiters.get(owner) ?? new Set();
    this.#waiters.set(owner, ofOwner.add(waiter));
    this.#count += 1;
    this.#unchecked.add(waiter);
    this.#connected.writeListeners.add(this);
    this.#endPause();
    if (!this.#isPolling) void this.#poll();
  }

  #remove(waiter: Waiter): void {
    const ofOwner = this.#waiters.get(waiter.owner);
    if (!ofOwner?.delete(waiter)) return;
    if (ofOwner.size === 0) this.#waiters.delete(waiter.owner);
    this.#unchecked.delete(waiter);
    this.#count -= 1;
    if (this.#count > 0) return;
    this.#connected.writeListeners.delete(this);
    this.#endPause();
  }

  #all(): readonly Waiter[] {
    return [...this.#waiters.values()].flatMap((ofOwner) => [...ofOwner]);
  }

  #wakeAll(waiters: Iterable<Waiter> = []): void {
    for (const waiter of waiters) waiter.wake();
  }

  /** Checks until no one waits. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    let polledAt = performance.now();
    while (this.#count > 0) {
      const isDue = performance.now() - polledAt >= POLL_MS;
      const waiters = isDue ? this.#all() : [...this.#unchecked];
      if (isDue) polledAt = performance.now();
      this.#unchecked.clear();
      // After a failure the next check is soon enough: a waiter only has to read no later than at its timeout.
      await this.#check(waiters).catch(() => undefined);
      if (this.#unchecked.size === 0 && this.#count > 0) await this.#pause(polledAt + POLL_MS - performance.now());
    }
    this.#isPolling = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#endPause = () => undefined;
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, ms));
      timer.unref();
      this.#endPause = end;
    });
  }

  /** Wakes those of the waiters who may have further events. */
  async #check(waiters: readonly Waiter[]): Promise<void> {
    const { primary } = this.#connected;
    this.#isOnCitus ??= (await this.#statements.citus(primary, {}))[0]?.is_installed === true;
    const size = this.#isOnCitus ? CONCURRENT : CHECKED;
    for (let first = 0; first < waiters.length; first += size) {
      const some = waiters.slice(first, first + size);
      await (this.#isOnCitus ? this.#checkEach(some) : this.#checkAll(some));
    }
  }

  async #checkAll(waiters: readonly Waiter[]): Promise<void> {
    const since = this.#sinceOf(waiters);
    const values = {
      owners: waiters.map(({ owner }) => owner),
      positions: waiters.map(({ position }) => position),
      since: waiters.map(({ owner }) => since(owner)),
    };
    const found = await this.#statements.waiting(this.#connected.primary, { waiters: values });
    for (const { place } of found) waiters[place - 1]?.wake();
  }

  async #checkEach(waiters: readonly Waiter[]): Promise<void> {
    const since = this.#sinceOf(waiters);
    const check = async ({ owner, position, wake }: Waiter): Promise<void> => {
      const waiter = { owner_id: owner, position, since: since(owner) };
      const [row] = await this.#statements.waits(this.#connected.primary, { waiter });
      if (row?.has_events === true) wake();
    };
    await Promise.all(waiters.map(check));
  }

  /** Returns the beginning of the probe of each owner, which the waiters of an owner share. */
  #sinceOf(waiters: readonly Waiter[]): (owner: Owner) => string {
    const since = new Map(waiters.map(({ owner }) => [owner, '']));
    for (const owner of since.keys()) since.set(owner, this.#range.since(owner));
    return (owner) => since.get(owner) ?? '';
  }
}
