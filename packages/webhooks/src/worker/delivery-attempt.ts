import type { OrderDefinition, Owner } from '@orders/domain';
import { systemTimer } from '@orders/domain/events';
import {
  type Attempt,
  ATTEMPT_TIMEOUT_MS,
  ATTEMPTS_MAX,
  type ClaimedDelivery,
  disableEndpoint,
  LEASE_MS,
  RELEASED,
  type Settled,
  type Settlement,
  settleAttempt,
  webhookMessage,
} from '@orders/domain/webhooks';
import { observe } from './reporting.ts';
import type { WebhookWorkerOptions } from './worker-options.ts';

/** Pauses between attempts to record a result, in milliseconds: the first one, and the longest. */
const FIRST_PAUSE_MS = 100;
const PAUSE_MAX_MS = 5000;

/** Status of a response by which an endpoint says that it is gone for good. */
const GONE = 410;

/** The signals that end attempts. */
export interface AttemptSignals {
  /** No attempt starts any more. */
  readonly stopping: AbortSignal;
  /** Running attempts end. */
  readonly interrupted: AbortSignal;
  /** Results that the store has not recorded yet are abandoned. */
  readonly abandoned: AbortSignal;
}

const INTERRUPTED: Attempt = { status: null, error: 'interrupted', duration_ms: 0, retryAfterMs: null };

/** Sends claimed deliveries and records the results. */
export class DeliveryAttempts {
  readonly #options: WebhookWorkerOptions<OrderDefinition>;
  readonly #signals: AttemptSignals;

  constructor(options: WebhookWorkerOptions<OrderDefinition>, signals: AttemptSignals) {
    this.#options = options;
    this.#signals = signals;
  }

  /**
   * Makes one attempt and records its result. Returns whether its owner may have further deliveries to claim. Never rejects.
   *
   * @param claimedAt when the claim was requested, by the timer
   */
  async make(owner: Owner, claimed: ClaimedDelivery<OrderDefinition>, claimedAt: number): Promise<boolean> {
    const { timer = systemTimer, log } = this.#options;
    const ids = { owner, endpoint: claimed.endpoint.id, event: claimed.event.id };
    // An attempt that outlives its lease would run beside that of the next worker.
    if (timer.now() - claimedAt > LEASE_MS - ATTEMPT_TIMEOUT_MS) {
      this.#observe((observer) => observer.leaseLost?.());
      log.warn(ids, 'a webhook was not sent: its claim took too long');
      return false;
    }
    const attempt = await this.#send(owner, claimed, ids);
    const settlement = this.#settlementOf(attempt, claimed);
    this.#report(claimed, attempt, settlement, ids);
    const settle = (one: Settlement) => this.#settle(owner, claimed, attempt, one, claimedAt, ids);
    const disable = () => this.#disable(owner, claimed, attempt.status === GONE ? 'gone' : 'deliveries_failed', ids);
    // It is disabled first: if that is lost, the claim expires, and the next attempt leads to the same. That of a 410 is
    // recorded, and has a retry, which leads to the same, too.
    const isDisabled = attempt.status === GONE && (await disable());
    let settled = await settle({ ...settlement, unlessDead: !isDisabled });
    if (settled?.isDead && !settled.recorded && (await disable())) settled = await settle(settlement);
    if (settled?.recorded === false && !settled.isDead) this.#observe((observer) => observer.leaseLost?.());
    return settled?.isMoreDue === true;
  }

  /** An interrupted attempt says nothing of the endpoint: it is never the last one. That of a stop does not even count. */
  #settlementOf(attempt: Attempt, claimed: ClaimedDelivery<OrderDefinition>): Settlement {
    const { timer = systemTimer } = this.#options;
    if (attempt.error !== 'interrupted') return settleAttempt(attempt, claimed.attempt, timer.random());
    if (this.#signals.stopping.aborted) return RELEASED;
    return settleAttempt(attempt, Math.min(claimed.attempt, ATTEMPTS_MAX - 1), timer.random());
  }

  async #send(owner: Owner, { endpoint, event }: ClaimedDelivery<OrderDefinition>, ids: object): Promise<Attempt> {
    const { sender, present, log } = this.#options;
    if (this.#signals.stopping.aborted) return INTERRUPTED;
    try {
      return await sender.send(owner, endpoint, webhookMessage(event, present(event)), this.#signals.interrupted);
    } catch (err) {
      // A defect of this server, for example a signing key that it lacks. The delivery keeps its attempts and gaps.
      log.warn({ ...ids, err }, 'a webhook could not be sent');
      return INTERRUPTED;
    }
  }

  #report(
    { event, attempt }: ClaimedDelivery<OrderDefinition>,
    made: Attempt,
    settlement: Settlement,
    ids: object,
  ): void {
    const { clock, log } = this.#options;
    const { status, error, duration_ms: durationMs } = made;
    const isLast = settlement.status !== 'pending';
    const lagMs = Math.max(0, clock.now().getTime() - Date.parse(event.occurred_at));
    this.#observe((observer) => observer.attempted?.({ error, durationMs, lagMs, attempt, isLast }));
    if (error === null) return;
    const details = { ...ids, attempt, status, error };
    if (isLast) log.warn(details, 'a webhook has failed finally');
    else log.info(details, 'a webhook was not accepted');
  }

  /** Records the result, with retries for as long as the lease lasts. Returns `null` if the store did not record it. */
  async #settle(
    owner: Owner,
    claimed: ClaimedDelivery<OrderDefinition>,
    attempt: Attempt,
    settlement: Settlement,
    claimedAt: number,
    ids: object,
  ): Promise<Settled | null> {
    const { queue, timer = systemTimer, log } = this.#options;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
      try {
        const result = await queue.settle(owner, claimed, attempt, settlement);
        if (result.isOk()) return result.value;
        log.warn({ ...ids, err: result.error.cause }, 'the result of a webhook was not recorded');
      } catch (err) {
        log.warn({ ...ids, err }, 'the result of a webhook was not recorded');
      }
      this.#observe((observer) => observer.storeFailed?.());
      await timer.pause(pauseMs * (0.5 + timer.random() / 2), this.#signals.abandoned);
      if (this.#signals.abandoned.aborted || timer.now() - claimedAt > LEASE_MS) return null;
    }
  }

  /** Returns `false` if the store failed, so that the endpoint may still be enabled. */
  async #disable(
    owner: Owner,
    { endpoint }: ClaimedDelivery<OrderDefinition>,
    reason: 'gone' | 'deliveries_failed',
    ids: object,
  ): Promise<boolean> {
    const { log } = this.#options;
    try {
      const disabled = await disableEndpoint(this.#options, owner, endpoint, reason);
      if (disabled.isErr()) {
        this.#observe((observer) => observer.storeFailed?.());
        log.warn({ ...ids, reason, err: disabled.error.cause }, 'a webhook endpoint could not be disabled');
      } else if (disabled.value) {
        this.#observe((observer) => observer.disabled?.(reason));
        log.warn({ ...ids, reason }, 'a webhook endpoint was disabled');
      }
      return disabled.isOk();
    } catch (err) {
      log.warn({ ...ids, reason, err }, 'a webhook endpoint could not be disabled');
      return false;
    }
  }

  #observe(report: (observer: NonNullable<WebhookWorkerOptions['observer']>) => void): void {
    observe(this.#options, report);
  }
}
