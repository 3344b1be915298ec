import type { Owner } from '@orders/domain';
import {
  type AbortSignalLike,
  FEED_WAITS_MAX,
  FEED_WAITS_PER_OWNER_MAX,
  type FeedWaitOptions,
  systemTimer,
} from '@orders/domain/events';
import type { OpenedPools } from '../database/opened-pools.ts';
import type { WriteListener } from '../postgres/repository-connections.ts';
import { POLL_MS, TIMER_MAX_MS } from './change-watch.ts';
import type { FeedStatements } from './feed-statements.ts';
import type { SlowProbes } from './slow-probes.ts';
import type { VisibleTransactions } from './visible-transactions.ts';

/** Places per statement, so that each takes milliseconds, and the beginning of a statement does not count. */
const CHECKED = 2500;

/** Statements about one place each that run at the same time. */
const CONCURRENT = 8;

type Wake = () => void;

/** The readers that wait at one position of a feed. One check covers all of them. */
interface Place {
  readonly owner: Owner;
  readonly position: number;
  readonly readers: Set<Wake>;
}

type WaitStatements = Pick<FeedStatements, 'waits' | 'waiting'>;
type Transactions = Pick<VisibleTransactions, 'usesCitus' | 'read'>;

/**
 * The readers of this process that wait for events. A write of the same process wakes the readers of its owner at once. For
 * those of other processes, the feeds of all readers are checked every 250 ms if a transaction of the cluster was committed
 * since the last check. The feeds of new readers are checked at once. Slow probes run beside the checks, and wake their readers
 * when they end. Nothing runs without readers.
 */
export class FeedWaiters implements WriteListener {
  readonly #connected: Pick<OpenedPools, 'primary' | 'writeListeners'>;
  readonly #statements: WaitStatements;
  readonly #slow: SlowProbes;
  readonly #transactions: Transactions;
  /** By owner and position. */
  readonly #places = new Map<Owner, Map<number, Place>>();
  #count = 0;
  /** The places of new readers, whom no check has included. */
  #unchecked = new Set<Place>();
  /** Aborted, it ends the pause between two checks. */
  #pause = new AbortController();
  #isPolling = false;
  /** The transactions that were visible to the last check of all; undefined after a check that may have missed an event. */
  #visible: string | undefined;

  constructor(
    connected: Pick<OpenedPools, 'primary' | 'writeListeners'>,
    statements: WaitStatements,
    slow: SlowProbes,
    transactions: Transactions,
  ) {
    this.#connected = connected;
    this.#statements = statements;
    this.#slow = slow;
    this.#transactions = transactions;
  }

  /** See {@link EventFeed.wait}. */
  wait(owner: Owner, position: number, { timeoutMs, signal }: FeedWaitOptions): Promise<void> {
    const isFull = this.#count >= FEED_WAITS_MAX || this.#countOf(owner) >= FEED_WAITS_PER_OWNER_MAX;
    if (signal?.aborted || isFull) return Promise.resolve();
    return new Promise((resolve) => this.#add(this.#placeAt(owner, position), timeoutMs, signal, resolve));
  }

  /** Wakes the readers of an owner. */
  written(owner: Owner): void {
    for (const place of this.#placesOf(owner)) wakeAll(place);
  }

  /** Wakes all readers, because the database is closed. */
  closed(): void {
    for (const place of this.#all()) wakeAll(place);
  }

  #add(place: Place, timeoutMs: number, signal: AbortSignalLike | undefined, resolve: () => void): void {
    const wake = (): void => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', wake);
      this.#remove(place, wake);
      resolve();
    };
    const timeout = setTimeout(wake, Math.min(timeoutMs, TIMER_MAX_MS));
    signal?.addEventListener('abort', wake);
    place.readers.add(wake);
    this.#count += 1;
    this.#unchecked.add(place);
    this.#connected.writeListeners.add(this);
    this.#pause.abort();
    if (!this.#isPolling) void this.#poll();
  }

  #remove(place: Place, wake: Wake): void {
    if (!place.readers.delete(wake)) return;
    this.#count -= 1;
    if (place.readers.size === 0) this.#removePlace(place);
    if (this.#count > 0) return;
    this.#connected.writeListeners.delete(this);
    this.#pause.abort();
  }

  /** Returns the place at a position, a new one without readers at first. */
  #placeAt(owner: Owner, position: number): Place {
    const ofOwner = this.#places.get(owner) ?? new Map<number, Place>();
    const place = ofOwner.get(position) ?? { owner, position, readers: new Set() };
    this.#places.set(owner, ofOwner.set(position, place));
    return place;
  }

  #removePlace(place: Place): void {
    const ofOwner = this.#places.get(place.owner);
    ofOwner?.delete(place.position);
    if (ofOwner?.size === 0) this.#places.delete(place.owner);
    this.#unchecked.delete(place);
  }

  #placesOf(owner: Owner): readonly Place[] {
    return [...(this.#places.get(owner)?.values() ?? [])];
  }

  #countOf(owner: Owner): number {
    return this.#placesOf(owner).reduce((sum, { readers }) => sum + readers.size, 0);
  }

  #all(): readonly Place[] {
    return [...this.#places.values()].flatMap((ofOwner) => [...ofOwner.values()]);
  }

  /** Checks until no one waits. */
  async #poll(): Promise<void> {
    this.#isPolling = true;
    let polledAt = performance.now();
    while (this.#count > 0) {
      const isDue = performance.now() - polledAt >= POLL_MS;
      if (isDue) polledAt = performance.now();
      const added = [...this.#unchecked];
      this.#unchecked.clear();
      // After a failure the next check is soon enough: a reader only has to read no later than at its timeout.
      await (isDue ? this.#checkDue(added) : this.#check(added)).catch(() => (this.#visible = undefined));
      if (this.#unchecked.size > 0 || this.#count === 0) continue;
      this.#pause = new AbortController();
      await systemTimer.pause(Math.max(0, polledAt + POLL_MS - performance.now()), this.#pause.signal);
    }
    this.#isPolling = false;
  }

  /** Checks all places, or only the added ones when no transaction has been committed since the last check of all. */
  async #checkDue(added: readonly Place[]): Promise<void> {
    const visible = await this.#transactions.read();
    if (visible !== undefined && visible === this.#visible) return await this.#check(added);
    this.#visible = visible;
    await this.#check(this.#all());
  }

  /** Wakes the readers at those places after which the feed may have further events. */
  async #check(places: readonly Place[]): Promise<void> {
    const usesCitus = await this.#transactions.usesCitus();
    const size = usesCitus ? CONCURRENT : CHECKED;
    for (let first = 0; first < places.length; first += size) {
      const some = places.slice(first, first + size);
      this.#probeSlow(some);
      await (usesCitus ? this.#checkEach(some) : this.#checkAll(some));
    }
  }

  /** Probes those owners of places whose probes are slow, and wakes their readers later. */
  #probeSlow(places: readonly Place[]): void {
    for (const owner of new Set(places.map((place) => place.owner))) {
      if (!this.#slow.has(owner)) continue;
      const wake = (isUnnumbered: boolean): void => {
        if (isUnnumbered) this.written(owner);
      };
      this.#slow.probe(owner).then(wake, () => (this.#visible = undefined));
    }
  }

  async #checkAll(places: readonly Place[]): Promise<void> {
    const waiters = {
      owners: places.map(({ owner }) => owner),
      positions: places.map(({ position }) => position),
      probes: places.map(({ owner }) => !this.#slow.has(owner)),
    };
    for (const { place } of await this.#statements.waiting(this.#connected.primary, waiters))
      wakeAll(places[place - 1]);
  }

  async #checkEach(places: readonly Place[]): Promise<void> {
    const check = async (place: Place): Promise<void> => {
      const { owner, position } = place;
      const waiter = { owner_id: owner, position, probes: !this.#slow.has(owner) };
      const [row] = await this.#statements.waits(this.#connected.primary, waiter);
      if (row?.has_events === true) wakeAll(place);
    };
    await Promise.all(places.map(check));
  }
}

function wakeAll(place: Place | undefined): void {
  for (const wake of place?.readers ?? []) wake();
}
