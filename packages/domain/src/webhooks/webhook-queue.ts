import type { ResultAsync } from 'neverthrow';
import type { OwnersPage } from '../events/checkpoints.ts';
import type { FeedEvent } from '../events/feed-event.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Owner } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { Settlement } from './settle-attempt.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';
import type { Attempt } from './webhook-sender.ts';

/** Maximum number of deliveries of one endpoint that are attempted at a time. */
export const ENDPOINT_IN_FLIGHT_MAX = 8;

/** Time for which a claimed delivery belongs to its worker, in milliseconds. */
export const LEASE_MS = 60_000;

/** Maximum number of events from which one call of {@link WebhookQueue.fanOut} creates deliveries. */
export const FAN_OUT_BATCH_MAX = 1000;

/** A delivery that belongs to one worker for {@link LEASE_MS}. */
export interface ClaimedDelivery<D extends OrderDefinition = DefaultDefinition> {
  /** The endpoint when the delivery was claimed. */
  readonly endpoint: WebhookEndpoint<D>;
  /** With the data of its resource if the endpoint includes it. */
  readonly event: FeedEvent<D>;
  /** Number of this attempt, from 1: one more than were recorded. A claim that was lost without a result does not count. */
  readonly attempt: number;
  /** Differs for each claim of the delivery. A claim with a lost fence records nothing. */
  readonly fence: number;
  /** Number of {@link FRESH_GAPS_MS} before this attempt since the last success, if it is a first one; `null` otherwise. */
  readonly gaps: number | null;
}

/** The result of {@link WebhookQueue.fanOut}. */
export interface FannedOut {
  /** Whether more events are left for an endpoint. */
  readonly isMoreLeft: boolean;
  /** Whether the owner has an enabled endpoint. Without one, a write of the owner leads to no delivery. */
  readonly hasEndpoints: boolean;
}

/** The result of {@link WebhookQueue.settle}. */
export interface Settled {
  /**
   * False when the lease had expired and the delivery was claimed again, when the claim was settled before, when the event
   * has left the feed, and when {@link Settlement.unlessDead} applied. Nothing is recorded then.
   */
  readonly recorded: boolean;
  /** Whether the delivery failed finally, and no delivery of the endpoint has succeeded since its first attempt. */
  readonly isDead: boolean;
  /**
   * Whether the endpoint may have further deliveries that can be claimed now: the next one of the same resource, for example,
   * or those beyond {@link ENDPOINT_IN_FLIGHT_MAX}. Of attempts that are recorded together, the last one says it for all.
   */
  readonly isMoreDue: boolean;
}

/**
 * Port: the deliveries that a worker makes. Every adapter guarantees, beyond the types:
 *
 * - Every event after the start of an endpoint that the endpoint wants gets one delivery, in order of the positions.
 * - Deliveries of one order, customer or endpoint to one endpoint are claimed in the order of their positions. The next one
 *   can be claimed when the one before was accepted or has failed finally. Redelivered ones are outside this order.
 * - Resources never block one another. While an endpoint rejects what it receives, deliveries that were not attempted
 *   yet are claimed one at a time, {@link FRESH_GAPS_MS} apart, until one is accepted.
 * - At most {@link ENDPOINT_IN_FLIGHT_MAX} deliveries of an endpoint are claimed at a time, by all workers together.
 * - A delivery is claimed by one worker at a time. It can be claimed again {@link LEASE_MS} after its claim.
 * - Nothing of a disabled endpoint is created or claimed. When it is enabled again, its failed deliveries are pending
 *   again, and it continues after the last event that has a delivery. This holds also if no worker saw it disabled.
 * - Deliveries leave with their events. The next ones of their resources can then be claimed.
 * - Times are those of the store, so that workers with other clocks agree.
 */
export interface WebhookQueue<D extends OrderDefinition = DefaultDefinition> {
  /**
   * Searches for owners with enabled endpoints that have new events, or deliveries that can be claimed. One call covers
   * the next `limit` endpoints, due or not, and at the others of the last owner. `after` is where the call before has
   * ended; `null` starts at the first owner.
   */
  findDue(limit: number, after: Owner | null): ResultAsync<OwnersPage, Unavailable>;

  /** Creates the deliveries of at most {@link FAN_OUT_BATCH_MAX} further events for each enabled endpoint of the owner. */
  fanOut(owner: Owner): ResultAsync<FannedOut, Unavailable>;

  /** Claims at most `limit` deliveries of the owner, those that have been due for longest first. */
  claim(owner: Owner, limit: number): ResultAsync<readonly ClaimedDelivery<D>[], Unavailable>;

  /** Records an attempt of a claimed delivery and releases the claim. */
  settle(
    owner: Owner,
    claimed: ClaimedDelivery<D>,
    attempt: Attempt,
    settlement: Settlement,
  ): ResultAsync<Settled, Unavailable>;
}
