import { availableParallelism } from 'node:os';
import type { OrderDefinition, ORDERS, Owner, Unavailable } from '@orders/domain';
import {
  type OwnersPage,
  type OwnerTurns,
  startTurns,
  systemTimer,
  type Timer,
  type Turn,
} from '@orders/domain/events';
import type { ClaimedDelivery, FannedOut, WebhookQueue } from '@orders/domain/webhooks';
import { type Result, ResultAsync } from 'neverthrow';
import { AttemptSlots, OwnerPace } from './attempt-slots.ts';
import { type AttemptSignals, DeliveryAttempt } from './delivery-attempt.ts';
import { observe, quietLog, tried } from './exceptions.ts';
import { QuietOwners } from './quiet-owners.ts';
import {
  STORE_PAUSES,
  WORKER_ATTEMPTS_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_MAX_DEFAULT,
  WORKER_ATTEMPTS_PER_OWNER_PER_SECOND_DEFAULT,
  WORKER_POLL_MS_DEFAULT,
  WORKER_STOP_GRACE_MS_DEFAULT,
  type WebhookWorkerOptions,
} from './worker-options.ts';

/** Maximum number of endpoints that one query for due deliveries covers, and of owners that it returns. */
const ENDPOINTS_PER_QUERY = 1000;

/** Time that interrupted attempts have to release their claims when the worker stops, in milliseconds. */
const RELEASE_MS = 2000;

/** The fan-out of a turn without new events, which an owner gets only with endpoints. */
const NOTHING_NEW: FannedOut = { isMoreLeft: false, hasEndpoints: true };

const NOTHING_LEFT: Turn = { isMoreLeft: false };

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
  readonly #turns: OwnerTurns;
  /** The owners that may have new events. */
  readonly #fresh = new Set<Owner>();
  /** The owners that have as many attempts as they may have. They wait again after one of these ends. */
  readonly #full = new Set<Owner>();
  /** The turns and all attempts, which {@link stop} waits for. */
  readonly #running = new Set<Promise<void>>();
  /** Number of owners that the search under way has found. */
  #ownersDue = 0;
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
    this.#turns = startTurns({
      turn: (owner) => this.#turn(owner),
      findOwners: (after) => this.#findDue(after),
      searchMs: pollMs,
      hasRoom: () => this.#slots.hasFree,
      retryPauses: STORE_PAUSES,
      allFailPauses: STORE_PAUSES,
      signal: this.#stopping.signal,
      timer,
    });
    this.#run(this.#turns.ended);
  }

  wake(owner: Owner): void {
    if (this.#turns.isFull || this.#quiet.has(owner, this.#timer.now())) return;
    this.#fresh.add(owner);
    this.#turns.wake(owner);
  }

  wakeForEndpoint(owner: Owner): void {
    this.#quiet.delete(owner);
    this.wake(owner);
  }

  state(): WebhookWorkerState {
    return { inFlight: this.#slots.taken, ownersWaiting: this.#turns.waiting };
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
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

  /** Finds the next owners with due deliveries. */
  #findDue(after: Owner | null): ResultAsync<OwnersPage, Unavailable> {
    const found = this.#ask('find_due', {}, () => this.#queue.findDue(ENDPOINTS_PER_QUERY, after));
    return new ResultAsync(found).map(({ owners, next }) => {
      for (const owner of owners) {
        this.#quiet.delete(owner);
        this.#fresh.add(owner);
      }
      this.#ownersDue = (after === null ? 0 : this.#ownersDue) + owners.length;
      if (next === null) observe(this.#options, (observer) => observer.ownersDue?.(this.#ownersDue));
      return { owners, next };
    });
  }

  /** Creates and claims deliveries of one owner, and starts to attempt them. */
  async #turn(owner: Owner): Promise<Turn> {
    const slots = this.#slots.freeFor(owner);
    if (slots === 0) {
      this.#full.add(owner);
      return NOTHING_LEFT;
    }
    this.#full.delete(owner);
    const hasNewEvents = this.#fresh.delete(owner);
    this.#slots.take(owner, slots);
    let unused = slots;
    try {
      const { hasEndpoints, isMoreLeft } = hasNewEvents ? await this.#fanOut(owner) : NOTHING_NEW;
      // Claims after the stop would only be released, each with one attempt less.
      if (this.#stopping.signal.aborted) return NOTHING_LEFT;
      const claimedAt = this.#timer.now();
      const claimed = await this.#claim(owner, slots);
      unused -= claimed.length;
      const gapMs = claimed.length === 0 ? 0 : this.#pace.gapAfter(owner, this.#timer.now());
      for (const [index, one] of claimed.entries()) this.#run(this.#attempt(owner, one, claimedAt, index * gapMs));
      // An endpoint may have been created during an earlier turn, which found none.
      if (hasEndpoints) this.#quiet.delete(owner);
      else this.#quiet.add(owner, this.#timer.now());
      if (isMoreLeft) this.#fresh.add(owner);
      const pauseMs = gapMs > 0 ? claimed.length * gapMs : undefined;
      return { isMoreLeft: isMoreLeft || claimed.length === slots, pauseMs };
    } catch (cause) {
      this.#fresh.add(owner);
      throw cause;
    } finally {
      this.#slots.release(owner, unused);
    }
  }

  async #fanOut(owner: Owner): Promise<FannedOut> {
    return valueOf(await this.#ask('fan_out', { owner }, () => this.#queue.fanOut(owner)));
  }

  /** Claims deliveries of an owner, none while nothing may be sent. */
  async #claim(owner: Owner, slots: number): Promise<readonly ClaimedDelivery<OrderDefinition>[]> {
    if ((await this.#options.maySend?.()) === false) return [];
    return valueOf(await this.#ask('claim', { owner }, () => this.#queue.claim(owner, slots)));
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
    const wasFull = this.#full.delete(owner);
    if (isMoreDue || wasFull) this.#turns.wake(owner);
    else this.#turns.proceed();
  }

  /** Calls the store, and reports its failure. */
  async #ask<T>(operation: string, ids: object, call: Parameters<typeof tried<T>>[0]): Promise<Result<T, Unavailable>> {
    const result = await tried(call);
    if (result.isErr()) {
      observe(this.#options, (observer) => observer.storeFailed?.());
      this.#options.log.warn({ ...ids, operation, err: result.error.cause }, 'the store of webhooks failed');
    }
    return result;
  }

  /** Keeps a promise that never rejects for {@link stop}. */
  #run(work: Promise<void>): void {
    const running = work.finally(() => this.#running.delete(running));
    this.#running.add(running);
  }
}

/** Returns the value of a result. Throws the cause of an error. */
function valueOf<T>(result: Result<T, Unavailable>): T {
  if (result.isErr()) throw result.error.cause;
  return result.value;
}
