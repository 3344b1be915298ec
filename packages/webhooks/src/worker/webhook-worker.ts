import { availableParallelism } from 'node:os';
import type { OrderDefinition, ORDERS, Owner } from '@orders/domain';
import { Retries, systemTimer, type Timer } from '@orders/domain/events';
import type { ClaimedDelivery, DueOwners, FannedOut, WebhookQueue } from '@orders/domain/webhooks';
import { AttemptSlots, OwnerPace } from './attempt-slots.ts';
import { type AttemptSignals, DeliveryAttempt } from './delivery-attempt.ts';
import { observe, quietLog, tried } from './exceptions.ts';
import { QuietOwners } from './quiet-owners.ts';
import {
  STORE_PAUSE_MAX_MS,
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

/** Maximum number of endpoints that one query for due deliveries covers, and of owners that it returns. */
const ENDPOINTS_PER_QUERY = 1000;

/** Minimum pause after a query that is continued, as a multiple of its duration: the search takes a twentieth of the time. */
const PAUSE_PER_QUERY = 19;

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
  return new Worker(options);
}

class Worker implements WebhookWorker {
  readonly #options: WebhookWorkerOptions<OrderDefinition>;
  readonly #queue: WebhookQueue<OrderDefinition>;
  readonly #timer: Timer;
  readonly #stopping = new AbortController();
  readonly #interrupted = new AbortController();
  readonly #abandoned = new AbortController();
  readonly #signals: AttemptSignals = {
    stopping: this.#stopping.signal,
    interrupted: this.#interrupted.signal,
    abandoned: this.#abandoned.signal,
  };
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
  readonly #retries: Retries;
  /** Whether the last call of the store failed. */
  #hasFailed = false;
  #isPausing = false;
  #stopped: Promise<void> | null = null;

  constructor(given: WebhookWorkerOptions<OrderDefinition>) {
    const {
      queue,
      timer = systemTimer,
      pollMs = WORKER_POLL_MS_DEFAULT,
      attemptsMax = WORKER_ATTEMPTS_MAX_DEFAULT,
      attemptsPerOwnerMax = WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT,
      attemptsPerOwnerPerSecond = WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT * availableParallelism(),
    } = given;
    this.#options = { ...given, log: quietLog(given.log) };
    this.#queue = queue;
    this.#timer = timer;
    this.#slots = new AttemptSlots(attemptsMax, attemptsPerOwnerMax);
    this.#pace = new OwnerPace(attemptsPerOwnerPerSecond);
    this.#retries = new Retries({ timer, signal: this.#stopping.signal }, STORE_PAUSE_MAX_MS);
    this.#run(this.#search(pollMs));
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

  /** Finds owners with due deliveries, again and again, until the worker stops. Begins again when the store fails. */
  async #search(pollMs: number): Promise<void> {
    const { signal } = this.#stopping;
    let next: Owner | null = null;
    let count = 0;
    while (!signal.aborted) {
      let pauseMs = pollMs * (0.75 + this.#timer.random() / 2);
      if (this.#waiting.size + ENDPOINTS_PER_QUERY <= WAITING_MAX) {
        const began = this.#timer.now();
        const after: Owner | null = next;
        const found: DueOwners | null = await this.#ask('find_due', {}, () =>
          this.#queue.findDue(ENDPOINTS_PER_QUERY, after),
        );
        for (const owner of found?.owners ?? []) {
          this.#quiet.delete(owner);
          this.#enqueue(owner, true);
        }
        this.#serve();
        const due = count + (found?.owners.length ?? 0);
        next = found?.next ?? null;
        count = next === null ? 0 : due;
        if (next !== null) pauseMs = Math.min(pauseMs, (this.#timer.now() - began) * PAUSE_PER_QUERY);
        else if (found) observe(this.#options, (observer) => observer.ownersDue?.(due));
      }
      await this.#timer.pause(pauseMs, signal);
    }
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
    const claimed = isEnded ? null : await this.#claim(owner, slots);
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
      // An endpoint may have been created during an earlier turn, which found none.
      if (fannedOut.hasEndpoints) this.#quiet.delete(owner);
      else this.#quiet.add(owner, this.#timer.now());
      if (fannedOut.isMoreLeft || claimed.length === slots) this.#enqueue(owner, fannedOut.isMoreLeft);
    }
    this.#serve();
  }

  /** Claims deliveries of an owner, none while nothing may be sent. Returns `null` if the store fails. */
  async #claim(owner: Owner, slots: number): Promise<readonly ClaimedDelivery<OrderDefinition>[] | null> {
    if ((await this.#options.maySend?.()) === false) return [];
    return await this.#ask('claim', { owner }, () => this.#queue.claim(owner, slots));
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
    const isMoreDue = await new DeliveryAttempt(this.#options, this.#signals, owner, claimed, claimedAt).make();
    this.#slots.release(owner, 1);
    if (isMoreDue || this.#full.has(owner)) this.#enqueue(owner, false);
    this.#serve();
  }

  /** Calls the store. Returns `null` if it fails, and pauses all turns after consecutive failures. */
  async #ask<T>(operation: string, ids: object, call: Parameters<typeof tried<T>>[0]): Promise<T | null> {
    const result = await tried(call);
    if (result.isOk()) {
      this.#hasFailed = false;
      this.#retries.reset();
      return result.value;
    }
    const { cause } = result.error;
    observe(this.#options, (observer) => observer.storeFailed?.());
    this.#options.log.warn({ ...ids, operation, err: cause }, 'the store of webhooks failed');
    // A single failure may be about one owner, for whom the others do not wait.
    if (this.#hasFailed && !this.#isPausing) this.#run(this.#pause(cause));
    this.#hasFailed = true;
    return null;
  }

  async #pause(cause: unknown): Promise<void> {
    this.#isPausing = true;
    await this.#retries.pause(cause);
    this.#isPausing = false;
    this.#serve();
  }

  /** Keeps a promise that never rejects for {@link stop}. */
  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}
