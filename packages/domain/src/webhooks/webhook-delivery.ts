import type { ResultAsync } from 'neverthrow';
import type { EventType } from '../event-types.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { Timestamp } from '../shared/clock.ts';
import { deepFreeze } from '../shared/frozen.ts';
import type { Owner } from '../shared/ids.ts';
import type { Page } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { DeliveryNotFound } from './webhook-errors.ts';
import type { AttemptError } from './webhook-sender.ts';

/** The statuses of a delivery: attempts are left, the endpoint accepted it, or all attempts failed. */
export const DELIVERY_STATUSES = deepFreeze(['pending', 'delivered', 'failed'] as const);
/** Status of a delivery, one of {@link DELIVERY_STATUSES}. */
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event to one endpoint. It is purged when the event leaves the feed. */
export interface WebhookDelivery<D extends OrderDefinition = OrderDefinition> {
  readonly event_id: string;
  /** Position of the event in its owner's feed. */
  readonly position: number;
  readonly type: EventType<D>;
  readonly status: DeliveryStatus;
  /** Number of attempts since the delivery was created or requested again. */
  readonly attempts: number;
  /** Status of the last response; `null` without one. */
  readonly last_status: number | null;
  /** `null` before the first attempt, and after one that was accepted. */
  readonly last_error: AttemptError | null;
  readonly last_duration_ms: number | null;
  /**
   * The earliest time of the next attempt. `null` when no attempt is left, and while an earlier event of the same resource
   * is pending.
   */
  readonly next_attempt_at: Timestamp | null;
}

/** A query for a page of deliveries, newest position first. */
export interface DeliveryQuery {
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** The page starts below this position; `null` starts at the newest delivery. */
  readonly before: number | null;
  /** `null` accepts every status. */
  readonly status: DeliveryStatus | null;
}

/**
 * Port: the log of the deliveries of an endpoint. The caller has made sure that the owner has the endpoint. Ids are UUIDs in
 * lower case, in arguments and in results.
 */
export interface WebhookDeliveries<D extends OrderDefinition = DefaultDefinition> {
  /** Returns one page, newest position first. The cursor's value is the position, its id that of the event. */
  list(
    owner: Owner,
    endpointId: string,
    query: DeliveryQuery,
  ): ResultAsync<Page<WebhookDelivery<D>, number>, Unavailable>;

  /**
   * Requests a delivery of an event again, whatever its status: with new attempts, at once, and without an effect on the
   * order of other deliveries. A pending delivery stays in its place of the order. Deliveries that are due already come first.
   */
  redeliver(
    owner: Owner,
    endpointId: string,
    eventId: string,
  ): ResultAsync<WebhookDelivery<D>, DeliveryNotFound | Unavailable>;

  /**
   * Ends the wait for an endpoint that rejected what it received: its pending deliveries that wait for a further attempt are
   * due at once, with new attempts and in the order of their resources, and first attempts are no longer made one at a time.
   * An attempt that is under way and fails is followed by another one at once. Deliveries that have failed finally stay so.
   */
  resume(owner: Owner, endpointId: string): ResultAsync<void, Unavailable>;
}
