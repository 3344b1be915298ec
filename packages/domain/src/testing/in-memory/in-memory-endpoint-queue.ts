import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { type Timestamp, toTimestamp } from '../../shared/clock.ts';
import { freshGapAfter, RELEASED, type Settlement } from '../../webhooks/settle-attempt.ts';
import type { DeliveryStatus, WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import type { AnyEndpoint } from '../../webhooks/webhook-endpoint.ts';
import { type ClaimedDelivery, ENDPOINT_IN_FLIGHT_MAX, LEASE_MS, type Settled } from '../../webhooks/webhook-queue.ts';
import type { Attempt } from '../../webhooks/webhook-sender.ts';

/** A delivery with its place in the queue. Times are milliseconds of the store's clock. */
export interface QueuedDelivery {
  readonly event: FeedEvent<OrderDefinition>;
  status: DeliveryStatus;
  attempts: number;
  /** `null` behind an earlier pending delivery of the same resource, and when no attempt is left. */
  dueAt: number | null;
  leasedUntil: number | null;
  /** The last claim. */
  fence: number;
  /** Whether it was not attempted since its creation, or since its endpoint was enabled again. */
  isFresh: boolean;
  /** Whether it is outside the order of its resource. */
  isRedelivery: boolean;
  /** Number of deliveries that the endpoint had accepted at the first attempt; `null` before it. */
  acceptedBefore: number | null;
  last: Pick<Attempt, 'status' | 'error' | 'duration_ms'> | null;
}

/** The settlement of a claim that is no longer one. */
export const NOTHING_RECORDED: Settled = { recorded: false, isDead: false, isMoreDue: false };

/** The deliveries of one endpoint, in memory. */
export class InMemoryEndpointQueue {
  /** Position of the last event that has a delivery or is not wanted. */
  position: number;
  /** Version of the endpoint that the queue has seen last. */
  endpointVersion: number;
  /** By position, oldest first. */
  readonly #deliveries = new Map<number, QueuedDelivery>();
  /** The pending deliveries of {@link #deliveries}. */
  readonly #pending = new Map<number, QueuedDelivery>();
  /** The pending deliveries of each resource that are in order, oldest first. */
  readonly #waiting = new Map<string, QueuedDelivery[]>();
  #oldest = 0;
  #accepted = 0;
  /** Number of gaps between fresh deliveries since the last accepted one. */
  #gaps = 0;
  /** The next fresh delivery may start after this time, while {@link #gaps} is not 0. */
  #freshAfter = 0;

  constructor({ start, version }: AnyEndpoint) {
    this.position = start;
    this.endpointVersion = version;
  }

  /** Creates the delivery of an event, which is due `now` unless an earlier one of its resource is pending. */
  add(event: FeedEvent<OrderDefinition>, now: number): void {
    const delivery: QueuedDelivery = {
      event,
      status: 'pending',
      attempts: 0,
      dueAt: null,
      leasedUntil: null,
      fence: 0,
      isFresh: true,
      isRedelivery: false,
      acceptedBefore: null,
      last: null,
    };
    this.#deliveries.set(event.position, delivery);
    this.#pending.set(event.position, delivery);
    this.#append(delivery, now);
  }

  /** Removes the deliveries up to a position. */
  expire(position: number, now: number): void {
    if (position <= this.#oldest) return;
    this.#oldest = position;
    this.position = Math.max(this.position, position);
    for (const each of [...this.#deliveries.keys()].filter((one) => one <= position)) {
      const delivery = this.#deliveries.get(each);
      this.#deliveries.delete(each);
      if (delivery?.status === 'pending') this.#end(delivery, now);
    }
  }

  /** Makes failed deliveries pending again, and lets fresh ones start at once. */
  requeue(now: number): void {
    this.#gaps = 0;
    this.#waiting.clear();
    for (const [position, delivery] of this.#deliveries) {
      if (delivery.status === 'failed') {
        Object.assign(delivery, { status: 'pending', attempts: 0, isFresh: true, isRedelivery: false });
        Object.assign(delivery, { acceptedBefore: null, dueAt: null });
        this.#pending.set(position, delivery);
      }
      if (delivery.status === 'pending' && !delivery.isRedelivery) this.#append(delivery, now);
    }
  }

  /** Returns the deliveries that can be claimed, those that have been due for longest first. */
  claimable(now: number): readonly QueuedDelivery[] {
    let slots = ENDPOINT_IN_FLIGHT_MAX;
    let freshSlots = ENDPOINT_IN_FLIGHT_MAX;
    if (this.#gaps > 0) freshSlots = this.#freshAfter <= now ? 1 : 0;
    const due: QueuedDelivery[] = [];
    for (const delivery of this.#pending.values()) {
      if (delivery.leasedUntil !== null && delivery.leasedUntil > now) slots -= 1;
      else if (delivery.dueAt !== null && delivery.dueAt <= now) due.push(delivery);
    }
    if (slots <= 0 || due.length === 0) return [];
    const claimable: QueuedDelivery[] = [];
    for (const delivery of due.toSorted(compareDue)) {
      if (delivery.isFresh && freshSlots <= 0) continue;
      if (delivery.isFresh) freshSlots -= 1;
      claimable.push(delivery);
      if (claimable.length === slots) break;
    }
    return claimable;
  }

  /** Claims one of {@link claimable}. Returns the number of gaps before its attempt, if it is a first one. */
  claim(delivery: QueuedDelivery, fence: number, now: number): number | null {
    delivery.fence = fence;
    delivery.leasedUntil = now + LEASE_MS;
    delivery.acceptedBefore ??= this.#accepted;
    if (!delivery.isFresh) return null;
    this.#freshAfter = delivery.leasedUntil;
    return this.#gaps;
  }

  settle(claimed: ClaimedDelivery<OrderDefinition>, made: Attempt, settlement: Settlement, now: number): Settled {
    const delivery = this.#deliveries.get(claimed.event.position);
    if (!delivery || delivery.leasedUntil === null || delivery.fence !== claimed.fence) return NOTHING_RECORDED;
    // One that was requested again meanwhile has all attempts left.
    const isReleased = delivery.attempts < claimed.attempt - 1 && settlement.status !== 'delivered';
    const { status, retryInMs, counts = true } = isReleased ? RELEASED : settlement;
    const isDead = status === 'failed' && delivery.acceptedBefore === this.#accepted;
    if (isDead && settlement.unlessDead) return { ...NOTHING_RECORDED, isDead };
    if (counts) delivery.attempts += 1;
    delivery.last = { status: made.status, error: made.error, duration_ms: made.duration_ms };
    delivery.leasedUntil = null;
    const gapMs = freshGapAfter(claimed.gaps, settlement);
    if (status === 'delivered') {
      this.#accepted += 1;
      this.#gaps = 0;
    } else if (gapMs !== null && claimed.gaps === this.#gaps) {
      this.#gaps += Number(counts);
      this.#freshAfter = now + gapMs;
    }
    if (delivery.isFresh && !counts) delivery.acceptedBefore = null;
    delivery.isFresh &&= !counts;
    delivery.status = status;
    if (status !== 'pending') this.#end(delivery, now);
    else if (delivery.isRedelivery || this.#isNext(delivery)) delivery.dueAt = now + (retryInMs ?? 0);
    return { recorded: true, isDead, isMoreDue: this.claimable(now).length > 0 };
  }

  /** Makes the delivery of an event due at once, with new attempts. Returns `null` if the event has none. */
  redeliver(eventId: string, now: number): QueuedDelivery | null {
    for (const [position, delivery] of this.#deliveries) {
      if (delivery.event.id !== eventId) continue;
      delivery.attempts = 0;
      delivery.isFresh = false;
      if (delivery.leasedUntil === null) delivery.acceptedBefore = null;
      if (delivery.status !== 'pending') {
        Object.assign(delivery, { status: 'pending', isRedelivery: true, dueAt: now });
        this.#pending.set(position, delivery);
      } else if (delivery.dueAt !== null) delivery.dueAt = now;
      return delivery;
    }
    return null;
  }

  /** Makes deliveries that wait for a further attempt due at once, with new attempts, and lets fresh ones start. */
  resume(now: number): void {
    this.#gaps = 0;
    for (const delivery of this.#pending.values()) {
      if (delivery.attempts === 0 || delivery.dueAt === null) continue;
      const isLeased = (delivery.leasedUntil ?? 0) > now;
      if (!isLeased && delivery.dueAt <= now) continue;
      delivery.attempts = 0;
      if (!isLeased) delivery.dueAt = now;
    }
  }

  /** Returns the deliveries below a position, newest first. */
  *newestFirst(before: number): Generator<QueuedDelivery, void, undefined> {
    for (const delivery of [...this.#deliveries.values()].toReversed())
      if (delivery.event.position < before) yield delivery;
  }

  #append(delivery: QueuedDelivery, now: number): void {
    const resource = resourceOf(delivery);
    const waiting = this.#waiting.get(resource) ?? [];
    waiting.push(delivery);
    this.#waiting.set(resource, waiting);
    if (waiting.length === 1) delivery.dueAt ??= now;
    else delivery.dueAt = null;
  }

  /** Checks whether no earlier delivery of the same resource is pending. */
  #isNext(delivery: QueuedDelivery): boolean {
    return this.#waiting.get(resourceOf(delivery))?.[0] === delivery;
  }

  /** Ends the attempts of a delivery, and makes the next one of its resource due. */
  #end(delivery: QueuedDelivery, now: number): void {
    delivery.dueAt = null;
    this.#pending.delete(delivery.event.position);
    const waiting = this.#waiting.get(resourceOf(delivery)) ?? [];
    const index = waiting.indexOf(delivery);
    if (index === -1) return;
    waiting.splice(index, 1);
    const [next] = waiting;
    if (next) next.dueAt ??= now;
    else this.#waiting.delete(resourceOf(delivery));
  }
}

/** Returns the element of the log for a delivery. */
export function toWebhookDelivery({ event, status, attempts, dueAt, last }: QueuedDelivery): WebhookDelivery {
  return {
    event_id: event.id,
    position: event.position,
    type: event.type,
    status,
    attempts,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    last_duration_ms: last?.duration_ms ?? null,
    next_attempt_at: dueAt === null ? null : timestampOf(dueAt),
  };
}

function timestampOf(ms: number): Timestamp {
  return toTimestamp(Math.round(ms));
}

/** Returns the kind and id of the resource of a delivery, as text. */
function resourceOf({ event }: QueuedDelivery): string {
  return `${event.resource.type} ${event.resource.id}`;
}

/** Sorts those that have been due for longest first. */
export function compareDue(left: QueuedDelivery, right: QueuedDelivery): number {
  return (left.dueAt ?? 0) - (right.dueAt ?? 0) || left.event.position - right.event.position;
}
