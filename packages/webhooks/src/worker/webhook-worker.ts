import { availableParallelism } from 'node:os';
import type { OrderDefinition, ORDERS, Owner, Unavailable } from '@orders/domain';
import { systemTimer, type Timer } from '@orders/domain/events';
import type { ClaimedDelivery, FannedOut, WebhookQueue } from '@orders/domain/webhooks';
import type { ResultAsync } from 'neverthrow';
import { AttemptSlots, OwnerPace } from './attempt-slots.ts';
import { DeliveryAttempts } from './delivery-attempt.ts';
import { searchDueOwners } from './due-owner-search.ts';
import { observe, quietLog } from './reporting.ts';
import { QuietOwners } from './quiet-owners.ts';
import {
  WORKER_ATTEMPTS_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT,
  WORKER_POLL_MS_DEFAULT,
  WORKER_STOP_GRACE_MS_DEFAULT,
  type WebhookWorkerOptions,
} from './worker-options.ts';

/** Maximum number of owners whose deliveries are created and claimed at a time. */
const TURNS_MAX = 4;

/** Maximum number of owners that wait for their turn. Beyond it, writes wake no owner, and the background query pauses. */
const WAITING_MAX = 10_000;

/** Pauses after consecutive failures of the store, in milliseconds: the first one, and the longest. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5000;

/** Time that interrupted attempts have to release their claims when the worker stops, in milliseconds. */
const RELEASE_MS = 2000;

/** The fan-out of a turn without new events, which an owner gets only with endpoints. */
const NOTHING_NEW: FannedOut = { isMoreLeft: false, hasEndpoints: true };

/** What a worker is doing. */
export interface WebhookWorkerState {
  /** Number of attempts that run, with those that are being claimed. */
  readonly inFlight: number;
  /** Number of owners that wait for their turn. */
  readonly ownersWaiting: number;
}

/** A running worker. */
export interface WebhookWorker {
  /** Delivers new events of an owner at once. Call it after each write of this process; it returns immediately. */
  wake(owner: Owner): void;
  /** Does the same after a write of a webhook endpoint. The next writes of the owner are no longer known to be unwanted. */
  wakeForEndpoint(owner: Owner): void;
  state(): WebhookWorkerState;
  /**
   * Claims nothing more, waits for running attempts within `stopGraceMs`, then interrupts them and releases their claims.
   * Resolves at the latest two seconds after that time; claims that could not be released expire. Never rejects.
   */
  stop(): Promise<void>;
}

/**
 * Starts to deliver webhooks. Owners take turns: each creates its deliveries and claims those that are due, in the limits of
 * {@link WebhookWorkerOptions.attemptsMax}. An owner comes up at once when its events are written in this process or one
 * of its attempts ends, and otherwise by a background query. Any number of workers may run on one store.
 *
 * It never stops by itself: failures of the store are logged and retried after pauses of up to 5 s.
 */
export function startWebhookWorker<D extends OrderDefinition = typeof ORDERS>(
  options: WebhookWorkerOptions<D>,
): WebhookWorker;
export function startWebhookWorker(options: WebhookWorkerOptions<OrderDefinition>): WebhookWorker {
  const worker = new Worker(options);
  worker.start();
  return {
    wake: (owner) => worker.wake(owner),
    wakeForEndpoint: (owner) => worker.wakeForEndpoint(owner),
    state: () => worker.state(),
    stop: () => worker.stop(),
  };
}

class Worker {
  readonly #options: WebhookWorkerOptions<OrderDefinition>;
  readonly #queue: WebhookQueue<OrderDefinition>;
  readonly #timer: Timer;
  readonly #stopping = new AbortController();
  readonly #interrupted = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #attempts: DeliveryAttempts;
  readonly #slots: AttemptSlots;
  readonly #quiet = new QuietOwners();
  readonly #pace: OwnerPace;
  /** The owners that wait for their turn, in order, and whether they may have new events. */
  readonly #waiting = new Map<Owner, boolean>();
  /** The owners that have as many attempts as they may have. They wait again after one of these ends. */
  readonly #full = new Map<Owner, boolean>();
  /** The owners whose turn it is. */
  readonly #turns = new Set<Owner>();
  /** The owners that have claimed at their pace. Their next turn waits. */
  readonly #resting = new Set<Owner>();
  /** All turns and attempts, which {@link stop} waits for. */
  readonly #running = new Set<Promise<void>>();
  #failures = 0;
  #isPausing = false;
  #stopped: Promise<void> | null = null;

  constructor(given: WebhookWorkerOptions<OrderDefinition>) {
    const options = { ...given, log: quietLog(given.log) };
    const {
      queue,
      timer = systemTimer,
      attemptsMax = WORKER_ATTEMPTS_MAX_DEFAULT,
      attemptsPerOwnerMax = WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT,
      attemptsPerOwnerPerSecond = WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT * availableParallelism(),
    } = given;
    this.#options = options;
    this.#queue = queue;
    this.#timer = timer;
    this.#slots = new AttemptSlots(attemptsMax, attemptsPerOwnerMax);
    this.#pace = new OwnerPace(attemptsPerOwnerPerSecond);
    this.#attempts = new DeliveryAttempts(options, {
      stopping: this.#stopping.signal,
      interrupted: this.#interrupted.signal,
      abandoned: this.#abandoned.signal,
    });
  }

  start(): void {
    this.#run(
      searchDueOwners({
        timer: this.#timer,
        pollMs: this.#options.pollMs ?? WORKER_POLL_MS_DEFAULT,
        signal: this.#stopping.signal,
        hasRoomFor: (owners) => this.#waiting.size + owners <= WAITING_MAX,
        findDue: (endpoints, after) => this.#ask('find_due', {}, () => this.#queue.findDue(endpoints, after)),
        onFound: (owners) => this.#found(owners),
        onEnd: (owners) => observe(this.#options, (observer) => observer.ownersDue?.(owners)),
      }),
    );
  }

  wake(owner: Owner): void {
    if (this.#waiting.size >= WAITING_MAX || this.#quiet.has(owner, this.#timer.now())) return;
    this.#enqueue(owner, true);
    this.#serve();
  }

  wakeForEndpoint(owner: Owner): void {
    this.#quiet.delete(owner);
    this.wake(owner);
  }

  state(): WebhookWorkerState {
    return { inFlight: this.#slots.taken, ownersWaiting: this.#waiting.size };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    this.#waiting.clear();
    this.#full.clear();
    await this.#endWithin(this.#options.stopGraceMs ?? WORKER_STOP_GRACE_MS_DEFAULT);
    this.#interrupted.abort();
    await this.#endWithin(RELEASE_MS);
    this.#abandoned.abort();
  }

  /** Waits for turns and attempts, but no longer than `ms` milliseconds. */
  async #endWithin(ms: number): Promise<void> {
    const isOver = new AbortController();
    const limit = this.#timer.pause(ms, isOver.signal).then(() => isOver.abort());
    while (this.#running.size > 0 && !isOver.signal.aborted)
      await Promise.race([limit, Promise.allSettled(this.#running)]);
    isOver.abort();
  }

  #found(owners: readonly Owner[]): void {
    for (const owner of owners) {
      this.#quiet.delete(owner);
      this.#enqueue(owner, true);
    }
    this.#serve();
  }

  /** Lets an owner wait for its turn, behind those that wait already. */
  #enqueue(owner: Owner, hasNewEvents: boolean): void {
    if (this.#stopping.signal.aborted) return;
    this.#waiting.set(owner, hasNewEvents || (this.#waiting.get(owner) ?? false) || (this.#full.get(owner) ?? false));
    this.#full.delete(owner);
  }

  /** Starts turns, as many as may run. */
  #serve(): void {
    for (const [owner, hasNewEvents] of this.#waiting) {
      if (this.#isPausing || this.#turns.size >= TURNS_MAX || !this.#slots.hasFree) return;
      // It waits for the end of its turn or its rest; its place is kept.
      if (this.#turns.has(owner) || this.#resting.has(owner)) continue;
      this.#waiting.delete(owner);
      const slots = this.#slots.freeFor(owner);
      if (slots === 0) this.#full.set(owner, hasNewEvents);
      else this.#run(this.#turn(owner, hasNewEvents, slots));
    }
  }

  /** Creates and claims deliveries of one owner, and starts to attempt them. */
  async #turn(owner: Owner, hasNewEvents: boolean, slots: number): Promise<void> {
    this.#turns.add(owner);
    this.#slots.take(owner, slots);
    let unused = slots;
    const fannedOut = hasNewEvents
      ? await this.#ask('fan_out', { owner }, () => this.#queue.fanOut(owner))
      : NOTHING_NEW;
    const claimedAt = this.#timer.now();
    // Claims after the stop would only be released, each with one attempt less.
    const isEnded = fannedOut === null || this.#stopping.signal.aborted;
    const claimed = isEnded ? null : await this.#ask('claim', { owner }, () => this.#queue.claim(owner, slots));
    const count = claimed?.length ?? 0;
    unused -= count;
    const gapMs = count === 0 ? 0 : this.#pace.gapAfter(owner, this.#timer.now());
    for (const [index, one] of (claimed ?? []).entries())
      this.#run(this.#attempt(owner, one, claimedAt, index * gapMs));
    if (gapMs > 0) this.#rest(owner, count * gapMs);
    this.#slots.release(owner, unused);
    this.#turns.delete(owner);
    // After a failure, the background query finds the owner again: that is the pace of retries.
    if (claimed !== null && fannedOut !== null) {
      if (!fannedOut.hasEndpoints) this.#quiet.add(owner, this.#timer.now());
      if (fannedOut.isMoreLeft || claimed.length === slots) this.#enqueue(owner, fannedOut.isMoreLeft);
    }
    this.#serve();
  }

  /** Lets the next turn of an owner wait. */
  #rest(owner: Owner, restMs: number): void {
    this.#resting.add(owner);
    this.#run(
      this.#timer.pause(restMs, this.#stopping.signal).then(() => {
        this.#resting.delete(owner);
        this.#serve();
      }),
    );
  }

  /** Waits for an attempt, after which its owner may have further deliveries to claim. */
  async #attempt(
    owner: Owner,
    claimed: ClaimedDelivery<OrderDefinition>,
    claimedAt: number,
    delayMs: number,
  ): Promise<void> {
    if (delayMs > 0) await this.#timer.pause(delayMs, this.#stopping.signal);
    const isMoreDue = await this.#attempts.make(owner, claimed, claimedAt);
    this.#slots.release(owner, 1);
    if (isMoreDue || this.#full.has(owner)) this.#enqueue(owner, false);
    this.#serve();
  }

  /** Calls the store. Returns `null` if it fails, and pauses all turns after consecutive failures. */
  async #ask<T>(operation: string, ids: object, call: () => ResultAsync<T, Unavailable>): Promise<T | null> {
    try {
      const result = await call();
      if (result.isOk()) {
        this.#failures = 0;
        return result.value;
      }
      this.#fail(operation, ids, result.error.cause);
    } catch (cause) {
      this.#fail(operation, ids, cause);
    }
    return null;
  }

  #fail(operation: string, ids: object, err: unknown): void {
    this.#failures += 1;
    observe(this.#options, (observer) => observer.storeFailed?.());
    this.#options.log.warn({ ...ids, operation, err }, 'the store of webhooks failed');
    // A single failure may be about one owner, for whom the others do not wait.
    if (this.#failures > 1 && !this.#isPausing) this.#run(this.#pause());
  }

  async #pause(): Promise<void> {
    this.#isPausing = true;
    const mostMs = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** (this.#failures - 2));
    await this.#timer.pause(mostMs * (0.5 + this.#timer.random() / 2), this.#stopping.signal);
    this.#isPausing = false;
    this.#serve();
  }

  /** Keeps a promise that never rejects for {@link stop}. */
  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
