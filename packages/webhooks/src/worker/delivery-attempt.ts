import type { OrderDefinition, Owner } from '@orders/domain';
import { Retries, systemTimer, type Timer } from '@orders/domain/events';
import {
  type Attempt,
  ATTEMPT_TIMEOUT_MS,
  ATTEMPTS_MAX,
  type ClaimedDelivery,
  type DisabledReason,
  disableEndpoint,
  LEASE_MS,
  RELEASED,
  type Settled,
  type Settlement,
  settleAttempt,
  webhookMessage,
} from '@orders/domain/webhooks';
import { observe, tried } from './exceptions.ts';
import { STORE_PAUSES, type WebhookWorkerOptions } from './worker-options.ts';

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

/** One attempt to deliver an event that was claimed. */
export class DeliveryAttempt {
  readonly #options: WebhookWorkerOptions<OrderDefinition>;
  readonly #timer: Timer;
  readonly #signals: AttemptSignals;
  readonly #owner: Owner;
  readonly #claimed: ClaimedDelivery<OrderDefinition>;
  readonly #claimedAt: number;
  /** What a line of the log is about. */
  readonly #ids: object;

  /** @param claimedAt when the claim was requested, by the timer */
  constructor(
    options: WebhookWorkerOptions<OrderDefinition>,
    signals: AttemptSignals,
    owner: Owner,
    claimed: ClaimedDelivery<OrderDefinition>,
    claimedAt: number,
  ) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#signals = signals;
    this.#owner = owner;
    this.#claimed = claimed;
    this.#claimedAt = claimedAt;
    this.#ids = { owner, endpoint: claimed.endpoint.id, event: claimed.event.id };
  }

  /** Makes the attempt and records its result. Returns whether its owner may have further deliveries to claim. Never rejects. */
  async make(): Promise<boolean> {
    // An attempt that outlives its lease would run beside that of the next worker.
    if (this.#timer.now() - this.#claimedAt > LEASE_MS - ATTEMPT_TIMEOUT_MS) {
      observe(this.#options, (observer) => observer.leaseLost?.());
      this.#options.log.warn(this.#ids, 'a webhook was not sent: its claim took too long');
      return false;
    }
    const attempt = await this.#send();
    const settlement = this.#settlementOf(attempt);
    this.#report(attempt, settlement);
    const isGone = attempt.status === GONE;
    // It is disabled first: if that is lost, the claim expires, and the next attempt leads to the same. That of a 410 is
    // recorded, and has a retry, which leads to the same, too.
    const isDisabled = isGone && (await this.#disable('gone'));
    let settled = await this.#settle(attempt, { ...settlement, unlessDead: !isDisabled });
    const isDead = settled?.isDead === true && !settled.recorded;
    if (isDead && (await this.#disable(isGone ? 'gone' : 'deliveries_failed')))
      settled = await this.#settle(attempt, settlement);
    if (settled?.recorded === false && !settled.isDead) observe(this.#options, (observer) => observer.leaseLost?.());
    return settled?.isMoreDue === true;
  }

  async #send(): Promise<Attempt> {
    const { sender, present, log } = this.#options;
    const { endpoint, event } = this.#claimed;
    if (this.#signals.stopping.aborted) return INTERRUPTED;
    try {
      return await sender.send(this.#owner, endpoint, webhookMessage(event, present(event)), this.#signals.interrupted);
    } catch (err) {
      // A defect of this server, for example a signing key that it lacks. The delivery keeps its attempts and gaps.
      log.warn({ ...this.#ids, err }, 'a webhook could not be sent');
      return INTERRUPTED;
    }
  }

  /** An interrupted attempt says nothing of the endpoint: it is never the last one. That of a stop does not even count. */
  #settlementOf(attempt: Attempt): Settlement {
    const isInterrupted = attempt.error === 'interrupted';
    if (isInterrupted && this.#signals.stopping.aborted) return RELEASED;
    const number = isInterrupted ? Math.min(this.#claimed.attempt, ATTEMPTS_MAX - 1) : this.#claimed.attempt;
    return settleAttempt(attempt, number, this.#timer.random());
  }

  #report({ status, error, duration_ms: durationMs }: Attempt, settlement: Settlement): void {
    const { clock, log } = this.#options;
    const { event, attempt } = this.#claimed;
    const isLast = settlement.status !== 'pending';
    const lagMs = Math.max(0, clock.now().getTime() - Date.parse(event.occurred_at));
    observe(this.#options, (observer) => observer.attempted?.({ error, durationMs, lagMs, attempt, isLast }));
    if (error === null) return;
    const details = { ...this.#ids, attempt, status, error };
    log.warn(details, isLast ? 'a webhook has failed finally' : 'a webhook was not accepted');
  }

  /** Records the result, with retries for as long as the lease lasts. Returns `null` if the store did not record it. */
  async #settle(attempt: Attempt, settlement: Settlement): Promise<Settled | null> {
    const { queue, log } = this.#options;
    const { abandoned } = this.#signals;
    const retries = new Retries({ timer: this.#timer, signal: abandoned }, STORE_PAUSES);
    for (;;) {
      const result = await tried(() => queue.settle(this.#owner, this.#claimed, attempt, settlement));
      if (result.isOk()) return result.value;
      const { cause } = result.error;
      log.warn({ ...this.#ids, err: cause }, 'the result of a webhook was not recorded');
      observe(this.#options, (observer) => observer.storeFailed?.());
      await retries.pause(cause);
      if (abandoned.aborted || this.#timer.now() - this.#claimedAt > LEASE_MS) return null;
    }
  }

  /** Returns `false` if the store failed, so that the endpoint may still be enabled. */
  async #disable(reason: Extract<DisabledReason, 'gone' | 'deliveries_failed'>): Promise<boolean> {
    const { log } = this.#options;
    const disabled = await tried(() => disableEndpoint(this.#options, this.#owner, this.#claimed.endpoint, reason));
    if (disabled.isErr()) {
      observe(this.#options, (observer) => observer.storeFailed?.());
      log.warn({ ...this.#ids, reason, err: disabled.error.cause }, 'a webhook endpoint could not be disabled');
    } else if (disabled.value) {
      observe(this.#options, (observer) => observer.disabled?.(reason));
      log.warn({ ...this.#ids, reason }, 'a webhook endpoint was disabled');
    }
    return disabled.isOk();
  }
}
