import type { ResultAsync } from 'neverthrow';
import type { OrderNotFound } from '../orders/order-errors.ts';
import type { OrderDefinition } from '../orders/order-lifecycle.ts';
import type { OrderVersion } from '../orders/order-version.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { Money } from '../shared/money.ts';
import type { Page, Position } from '../shared/page.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import type { WebhookDelivery } from '../webhooks/webhook-delivery.ts';
import { NO_CHANGES, type OrderChanges, orderChanges } from './order-changes.ts';

/** Maximum number of deliveries of an event in a timeline. */
export const DELIVERIES_OF_EVENT_MAX = 50;
/** The number of the newest versions whose deliveries the summary of a timeline looks at. */
export const SUMMARIZED_VERSIONS = 100;

/** Members of a delivery that say how it went. */
type Attempted = Pick<
  WebhookDelivery,
  'status' | 'attempts' | 'last_status' | 'last_error' | 'last_duration_ms' | 'next_attempt_at'
>;

/** A delivery of the event of a version. */
export interface TimelineDelivery extends Attempted {
  readonly endpoint_id: string;
  /** `null` once the endpoint was deleted. */
  readonly endpoint_url: string | null;
}

/** A version of an order in its timeline. */
export interface TimelineChange
  extends
    Omit<OrderVersion<OrderDefinition>, 'order' | 'occurred_at'>,
    Pick<OrderChanges, 'items' | 'money' | 'fulfillments'> {
  readonly kind: 'change';
  readonly at: Timestamp;
  /** The name of the actor: of an operator, an API key or a client certificate; `null` without one. */
  readonly actor_name: string | null;
  /** Why an operator made it, which owners do not see; `null` without one, and once it was erased. */
  readonly operator_reason: string | null;
  /**
   * The values that changed; `null` when this version or the one before was purged, and with it there are no items, money
   * and fulfillments. Fewer than {@link OrderVersion.changed} names once personal data was erased.
   */
  readonly changes: OrderChanges['changes'] | null;
  /** By endpoint, at most {@link DELIVERIES_OF_EVENT_MAX}; none until the event is delivered, `null` once they were purged. */
  readonly deliveries: readonly TimelineDelivery[] | null;
}

/** What an operator wrote about an order, in its timeline. */
export interface TimelineComment extends Pick<TimelineChange, 'at' | 'actor' | 'actor_name'> {
  readonly kind: 'comment';
  /** UUIDv7. */
  readonly id: string;
  /** `null` once it was erased. */
  readonly text: string | null;
}

/** Something that happened to an order. */
export type TimelineEntry = TimelineChange | TimelineComment;

/** Deliveries to one endpoint that went wrong. */
export interface DeliveryFault extends Omit<TimelineDelivery, 'last_duration_ms'> {
  /** All attempts failed, or further ones follow. */
  readonly code: 'delivery_failed' | 'delivery_retried';
  /** The version of the first delivery that went wrong, of which the other members are. */
  readonly version: number;
  readonly type: string | null;
  /** The number of deliveries. */
  readonly count: number;
}

/** What went wrong with an order. */
export type TimelineFault = DeliveryFault | { readonly code: 'status_unknown'; readonly status: string };

/** Quantities of all items of an order together. */
export interface SummarizedQuantities {
  readonly ordered: number;
  readonly fulfilled: number;
  readonly cancelled: number;
  readonly returned: number;
  /** What is neither fulfilled nor cancelled; 0 of a cancelled order. */
  readonly open: number;
}

/** What an order is, or was before its deletion. */
export interface SummarizedOrder {
  readonly status: string;
  /** The statuses that it can change to; none after its deletion. */
  readonly available_transitions: readonly string[];
  readonly reference: string | null;
  readonly customer_id: string | null;
  readonly line_count: number;
  readonly quantities: SummarizedQuantities;
  readonly total: Money;
  /** The sum of its refunds, at least 0. */
  readonly refunded: Money;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
  readonly erased_at: Timestamp | null;
  /** The statuses that it has entered, oldest first. */
  readonly entered: readonly { readonly status: string; readonly at: Timestamp }[];
}

/** What an order is, what is open, and what went wrong. */
export interface TimelineSummary {
  readonly id: string;
  readonly version: number;
  /** `null` once the snapshots of a deleted order were purged. */
  readonly order: SummarizedOrder | null;
  readonly deleted_at: Timestamp | null;
  /** Who placed or imported it; `null` once the first version was purged. */
  readonly placed_by: Pick<TimelineChange, 'type' | 'actor' | 'actor_name' | 'external_user_id'> | null;
  /** The time from which all versions have their changes; `null` if none has. */
  readonly complete_from: Timestamp | null;
  /** About deliveries of the newest {@link SUMMARIZED_VERSIONS} versions. */
  readonly faults: readonly TimelineFault[];
}

/** One page of a timeline, oldest entry first. */
export interface OrderTimeline extends Page<TimelineEntry, string> {
  /** On the first page alone. */
  readonly summary: TimelineSummary | null;
}

/** A validated query for a page of a timeline. */
export interface TimelineQuery {
  /** 1 to {@link PAGE_LIMIT_MAX}. */
  readonly limit: number;
  /** The version after which the page starts; 0 before the first. */
  readonly afterVersion: number;
  /** The comment after which the page starts; `null` before the first. */
  readonly afterComment: string | null;
}

/** Port: what happened to orders. Ids are UUIDs in lower case. */
export interface OrderTimelines {
  /** Returns a page, also after the deletion of the order. It ends early like a page of versions. */
  read(owner: Owner, id: string, query: TimelineQuery): ResultAsync<OrderTimeline, OrderNotFound | Unavailable>;
}

/** A version as it is stored, with what belongs to it. */
export interface TimelineVersion
  extends OrderVersion<OrderDefinition>, Pick<TimelineChange, 'actor_name' | 'operator_reason' | 'deliveries'> {}

/** Returns the entry of a version; `before` is the version before it, if it is stored. */
export function timelineChange(before: OrderVersion<OrderDefinition> | null, version: TimelineVersion): TimelineChange {
  const { order: _, occurred_at, ...members } = version;
  return { kind: 'change', ...members, at: occurred_at, ...changesOf(before, version) };
}

function changesOf(
  before: OrderVersion<OrderDefinition> | null,
  { version, type, order }: OrderVersion<OrderDefinition>,
): Pick<TimelineChange, 'changes' | 'items' | 'money' | 'fulfillments'> {
  if (type === 'order.deleted') return { changes: [], ...NO_CHANGES };
  if (order && version === 1) return orderChanges(null, order);
  if (order && before?.order && before.version === version - 1) return orderChanges(before.order, order);
  return { changes: null, ...NO_CHANGES };
}

/** Returns the position of an order's timeline after a version and a comment. */
export function timelinePosition(id: string, version: number, comment: string | null): Position<string> {
  return { value: comment === null ? String(version) : `${version} ${comment}`, id };
}
