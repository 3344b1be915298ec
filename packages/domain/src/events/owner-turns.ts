import type { ResultAsync } from 'neverthrow';
import type { Owner } from '../shared/ids.ts';
import { type Unavailable, valueOf } from '../shared/unavailable.ts';
import { Abort } from './abort.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import { OWNERS_PAGE_MAX, type OwnerCheckpoints, type OwnersPage } from './checkpoints.ts';
import { backoffMs, type BackoffPolicy, Retries, type Retry, RETRY_PAUSES } from './retries.ts';
import { systemTimer, type Timer } from './timer.ts';

/** Default of {@link TurnOptions.concurrency}. */
const TURNS_DEFAULT = 4;

/** Maximum of {@link OwnerTurnsOptions.concurrency}. */
const TURNS_MAX = 100;

/** Maximum number of owners that wait for their turn, and of owners whose failures are counted. */
const WAITING_MAX = 10_000;

/** A search begins after this time at the latest, in milliseconds. */
const SEARCH_MS = 60_000;

/** Pause after a page of a search, as a multiple of its duration: the search takes a twentieth of the time. */
const PAUSE_PER_PAGE = 19;

/** Pause of a search while too many owners wait, in milliseconds. */
const FULL_PAUSE_MS = 100;

/** Pauses of a place for turns while all turns fail. */
const ALL_FAIL_PAUSES: BackoffPolicy = { firstMs: 100, maxMs: 100, jitter: 0 };

/** The result of a turn. */
export interface Turn {
  /** Whether the owner has further work. It then waits behind the other owners. */
  readonly isMoreLeft: boolean;
  /** Minimum time until its next turn, in milliseconds. Default: none. */
  readonly pauseMs?: number | undefined;
}

/** A retry about one owner; of the search for owners with `null`. */
export interface OwnerRetry extends Retry {
  readonly owner: Owner | null;
}

/** Options of activities about all owners. */
export interface TurnOptions {
  /** Maximum number of owners at a time: 1 to 100. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Ends everything when it is aborted. Default: never. */
  readonly signal?: AbortSignalLike | undefined;
  /** Receives each retry before its pause, for logs. Default: no-op. */
  readonly onRetry?: ((retry: OwnerRetry) => void) | undefined;
  /** Default: {@link systemTimer}. */
  readonly timer?: Timer | undefined;
}

/** The members of {@link TurnOptions}. */
export const TURN_OPTIONS: readonly string[] = ['concurrency', 'signal', 'onRetry', 'timer'];

/** Options of {@link takeTurns}. */
export interface OwnerTurnsOptions extends TurnOptions {
  /**
   * Does a bounded part of the work of an owner, after so many failures in a row. It is not called for an owner while its turn
   * lasts.
   */
  readonly turn: (owner: Owner, failures: number) => Promise<Turn>;
  /** Returns the next owners that have work, such as {@link OwnerCheckpoints.findBehind} of a consumer. */
  readonly findOwners: (after: Owner | null) => ResultAsync<OwnersPage, Unavailable>;
  /** Notices writes, after which a search begins. Default: a search begins every `searchMs`. */
  readonly waitForChanges?: OwnerCheckpoints['waitForChanges'] | undefined;
  /** Maximum time between two searches, in milliseconds; it varies by a quarter. Default: a minute. */
  readonly searchMs?: number | undefined;
  /** Whether a turn may begin now, if that has further conditions. Default: always. */
  readonly hasRoom?: (() => boolean) | undefined;
  /** The pauses of an owner that fails, or the search. Default: {@link RETRY_PAUSES}. */
  readonly retryPauses?: BackoffPolicy | undefined;
  /** The pauses of a place for turns while all turns fail, after the first failure. Default: 100 ms. */
  readonly allFailPauses?: BackoffPolicy | undefined;
}

/** The turns of owners, while they are taken. */
export interface OwnerTurns {
  /** Number of owners that wait for their turn. */
  readonly waiting: number;
  /** Whether so many owners wait that no other one is let in. A search finds it later. */
  readonly isFull: boolean;
  /** Lets an owner wait for its turn, as after a write of this process. */
  wake(owner: Owner): void;
  /** Begins turns after `hasRoom` has changed. */
  proceed(): void;
  /**
   * Resolves after `signal` is aborted, and the running turns have ended.
   *
   * @throws the first exception of a callback other than `turn`
   */
  readonly ended: Promise<void>;
}

/**
 * Gives turns to all owners that have work, a few at a time, until `signal` is aborted. Owners come up in the order in which
 * they were found; one that has more work goes behind those that wait. An owner whose turn throws rests, with pauses that
 * grow up to 30 s, while the others go on.
 *
 * Owners are found by a search over all of them, which begins after something was written and takes at most a twentieth of
 * the time. Those that this process writes for come up at once. At most 10,000 owners wait; the search finds the others.
 *
 * Resolves after `signal` is aborted, and the running turns have ended.
 *
 * @throws {RangeError} `concurrency` is out of range
 */
export async function takeTurns(options: OwnerTurnsOptions): Promise<void> {
  await startTurns(options).ended;
}

/**
 * Begins what {@link takeTurns} does.
 *
 * @throws {RangeError} `concurrency` is out of range
 */
export function startTurns(options: OwnerTurnsOptions): OwnerTurns {
  const { concurrency = TURNS_DEFAULT } = options;
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > TURNS_MAX)
    throw new RangeError(`concurrency must be an integer from 1 to ${TURNS_MAX}, got ${concurrency}`);
  return new Turns(options, concurrency);
}

class Turns implements OwnerTurns {
  readonly #options: OwnerTurnsOptions;
  readonly #concurrency: number;
  readonly #timer: Timer;
  readonly #end = new Abort();
  /** The owners that wait for their turn, in order. One whose turn it is may be among them. */
  readonly #waiting = new Set<Owner>();
  /** The owners whose turn it is. */
  readonly #turns = new Set<Owner>();
  /** The owners that wait for the end of a pause, and whether they have work then. */
  readonly #resting = new Map<Owner, boolean>();
  /** The failures in a row of owners. */
  readonly #failures = new Map<Owner, Retries>();
  /** All turns and rests. */
  readonly #running = new Set<Promise<void>>();
  /** Whether something was written since the last search began, and what ends the pause before the next one. */
  #isChanged = true;
  #changed = new Abort();
  /** The failures in a row of all turns. */
  #allFailures = 0;
  readonly ended: Promise<void>;
  /** The first exception of a callback, which is a bug of the caller. */
  #bug: { readonly cause: unknown } | null = null;

  constructor(options: OwnerTurnsOptions, concurrency: number) {
    this.#options = options;
    this.#concurrency = concurrency;
    this.#timer = options.timer ?? systemTimer;
    this.ended = this.#takeAll();
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get isFull(): boolean {
    return this.#waiting.size >= WAITING_MAX;
  }

  wake(owner: Owner): void {
    this.#enqueue(owner);
    this.proceed();
  }

  async #takeAll(): Promise<void> {
    const { signal } = this.#options;
    const end = (): void => this.#end.abort();
    this.#end.addEventListener('abort', () => {
      this.#waiting.clear();
      this.#changed.abort();
    });
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    this.#run(this.#watch());
    this.#run(this.#search());
    while (this.#running.size > 0) await Promise.all(this.#running);
    signal?.removeEventListener('abort', end);
    if (this.#bug) throw this.#bug.cause;
  }

  /** Notices writes, until the end. */
  async #watch(): Promise<void> {
    const { waitForChanges } = this.#options;
    let state: string | null = null;
    while (waitForChanges && !this.#end.aborted) {
      const changes = await waitForChanges(state, { timeoutMs: SEARCH_MS, signal: this.#end });
      ({ state } = changes);
      if (changes.owners === null) {
        this.#isChanged = true;
        this.#changed.abort();
      } else for (const owner of changes.owners) this.#enqueue(owner);
      this.proceed();
    }
  }

  /** Searches all owners after each change, until the end. */
  async #search(): Promise<void> {
    while (!this.#end.aborted) {
      this.#changed = new Abort();
      if (!this.#isChanged) await this.#timer.pause(this.#searchMs(), this.#changed);
      this.#isChanged = false;
      let after: Owner | null = null;
      do after = await this.#searchPage(after);
      while (after !== null);
    }
  }

  /** Returns the pause before a search without a change. Processes that begin together do not search together. */
  #searchMs(): number {
    const { searchMs } = this.#options;
    return searchMs === undefined ? SEARCH_MS : searchMs * (0.75 + this.#timer.random() / 2);
  }

  /** Lets the owners of a page wait for their turns, and returns where the next page begins; `null` at the end. */
  async #searchPage(after: Owner | null): Promise<Owner | null> {
    const isFull = () => this.#waiting.size + OWNERS_PAGE_MAX > WAITING_MAX;
    while (isFull() && !this.#end.aborted) await this.#timer.pause(FULL_PAUSE_MS, this.#end);
    const began = this.#timer.now();
    if (this.#end.aborted) return null;
    const page = (await this.#retriesOf(null).until(() => valueOf(this.#options.findOwners(after))))?.result;
    if (!page) return null;
    for (const owner of page.owners) this.#enqueue(owner);
    this.proceed();
    const { searchMs = SEARCH_MS, waitForChanges } = this.#options;
    const pauseMs = Math.min((this.#timer.now() - began) * PAUSE_PER_PAGE, searchMs);
    // After a change, the next search begins at once.
    if (page.next !== null || waitForChanges) await this.#timer.pause(pauseMs, this.#end);
    return page.next;
  }

  #retriesOf(owner: Owner | null): Retries {
    const { onRetry, retryPauses = RETRY_PAUSES } = this.#options;
    const report = (retry: Retry): void => onRetry?.({ ...retry, owner });
    return new Retries({ signal: this.#end, timer: this.#timer, onRetry: report }, retryPauses);
  }

  /** Lets an owner wait for its turn, after its rest. If too many wait, a later search has it. */
  #enqueue(owner: Owner): void {
    if (this.#resting.has(owner)) this.#resting.set(owner, true);
    else if (!this.isFull && !this.#end.aborted) this.#waiting.add(owner);
  }

  proceed(): void {
    const { hasRoom } = this.#options;
    for (const owner of this.#waiting) {
      if (this.#end.aborted || this.#turns.size >= this.#concurrency || hasRoom?.() === false) return;
      // It waits for the end of its turn; its place is kept.
      if (this.#turns.has(owner)) continue;
      this.#waiting.delete(owner);
      this.#turns.add(owner);
      this.#run(this.#take(owner));
    }
  }

  /** Gives an owner its turn. */
  async #take(owner: Owner): Promise<void> {
    try {
      const { isMoreLeft, pauseMs } = await this.#options.turn(owner, this.#failures.get(owner)?.failures ?? 0);
      this.#allFailures = 0;
      this.#failures.delete(owner);
      if (pauseMs !== undefined) this.#rest(owner, this.#timer.pause(pauseMs, this.#end), isMoreLeft);
      else if (isMoreLeft) this.#waiting.add(owner);
    } catch (cause) {
      const failures = this.#failures.get(owner) ?? this.#retriesOf(owner);
      if (this.#failures.size < WAITING_MAX) this.#failures.set(owner, failures);
      this.#rest(owner, failures.pause(cause), true);
      await this.#pauseWhileAllFail();
    }
    this.#turns.delete(owner);
    this.proceed();
  }

  /** Keeps the owners that wait from failing all at once. A single failure may be about one owner. */
  async #pauseWhileAllFail(): Promise<void> {
    const { allFailPauses = ALL_FAIL_PAUSES } = this.#options;
    const failures = this.#allFailures;
    this.#allFailures += 1;
    if (failures > 0) await this.#timer.pause(backoffMs(failures, allFailPauses, this.#timer.random()), this.#end);
  }

  /** Keeps an owner from its turn until the end of a pause. Then it waits for one if it has work, or was woken meanwhile. */
  #rest(owner: Owner, pause: Promise<void>, hasWork: boolean): void {
    this.#resting.set(owner, this.#waiting.delete(owner) || hasWork);
    const rest = async (): Promise<void> => {
      await pause;
      const isDue = this.#resting.get(owner);
      this.#resting.delete(owner);
      if (isDue === true && !this.#end.aborted) this.#waiting.add(owner);
      this.proceed();
    };
    this.#run(rest());
  }

  /** Keeps a promise, which rejects only for a bug of a callback, for the end. */
  #run(work: Promise<void>): void {
    const running = work
      .catch((cause: unknown) => {
        this.#bug ??= { cause };
        this.#end.abort();
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
