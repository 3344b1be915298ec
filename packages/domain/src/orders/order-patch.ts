import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type MetadataPatch, patchMetadata, readMetadataPatch } from '../shared/metadata.ts';
import type { InvalidStatusTransition, OrderAlreadyCancelled, OrderNotModifiable } from './order-errors.ts';
import { type OrderEventType, STATUS_EVENT_TYPES } from './order-events.ts';
import { availableTransitions, canBecome, isOrderStatus, ORDER_STATUSES, type OrderStatus } from './order-lifecycle.ts';
import { ORDER_DETAILS, type OrderDetail, type OrderDetails, readPatchDetails } from './order-details.ts';
import { CANCEL_REASON_LENGTH_MAX, type Order, READ_ONLY_FIELDS } from './order.ts';

/** The members of a merge patch of an order besides its status. An absent member leaves its field unchanged. */
interface DetailsPatch {
  /** Id of a customer of the same owner; `null` removes it. */
  readonly customer_id?: string | null | undefined;
  /** Your identifier of the order, unique per owner; `null` removes it. */
  readonly reference?: string | null | undefined;
  /** Free text; `null` removes it. */
  readonly note?: string | null | undefined;
  /** Keys to set, or to remove by `null`; `null` removes all. */
  readonly metadata?: MetadataPatch | null | undefined;
}

/** A change to any status except `cancelled`, or to none. */
interface StatusPatch {
  readonly status?: Exclude<OrderStatus, 'cancelled'> | undefined;
  readonly cancel_reason?: undefined;
}

/** A cancellation. */
interface CancellationPatch {
  readonly status: 'cancelled';
  /** Reason for the cancellation. Default: none. */
  readonly cancel_reason?: string | null | undefined;
}

/** A merge patch of an order (RFC 7396). Only a cancellation has a reason. */
export type OrderPatch = DetailsPatch & (StatusPatch | CancellationPatch);

/** A validated change of an order. An absent member leaves its field unchanged. */
export interface OrderChange extends Partial<OrderDetails> {
  readonly status?: OrderStatus;
  /** Present exactly when `status` is `cancelled`. */
  readonly cancel_reason?: string | null;
  readonly metadata?: MetadataPatch | null;
}

/** The errors of a change that the current order does not allow. */
export type OrderChangeRejected =
  | OrderAlreadyCancelled
  | InvalidStatusTransition
  | OrderNotModifiable
  | ValidationFailed;

/** The order after a change, and the event to record; `null` if nothing changes. */
export interface ChangedOrder {
  readonly order: Order;
  readonly event: EventOutline<OrderEventType> | null;
}

/** Parses a merge patch of an order (RFC 7396), without the rules that depend on the current order. */
export function parseOrderPatch(input: unknown): Result<OrderChange, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = ['status', 'cancel_reason', ...ORDER_DETAILS, 'metadata'];
  const members = invalid.readObject(input, known, ['items', ...READ_ONLY_FIELDS]);
  const { cancel_reason, metadata } = members;
  const status = readStatus(members['status'], invalid);
  if (status !== 'cancelled' && cancel_reason !== undefined) {
    invalid.add('cancel_reason', 'invalid_value', 'can be set only together with status cancelled');
  }
  return invalid.settle({
    ...(status && { status }),
    ...(status === 'cancelled' && {
      cancel_reason: readCancelReason(cancel_reason, 'cancel_reason', invalid) ?? null,
    }),
    ...readPatchDetails(members, invalid),
    ...(metadata !== undefined && { metadata: readMetadataPatch(metadata, 'metadata', invalid) ?? null }),
  });
}

/** Reads the reason of a cancellation; an absent value and `null` mean no reason. */
export function readCancelReason(input: unknown, path: string, invalid: InvalidFields): string | null | undefined {
  return input === undefined || input === null ? null : invalid.readText(input, path, 0, CANCEL_REASON_LENGTH_MAX);
}

function readStatus(input: unknown, invalid: InvalidFields): OrderStatus | undefined {
  if (input === undefined) return undefined;
  if (input === null) return invalid.add('status', 'required', 'cannot be cleared');
  if (typeof input !== 'string') return invalid.add('status', 'wrong_type', 'must be a string');
  if (isOrderStatus(input)) return input;
  return invalid.add('status', 'invalid_value', `must be one of ${ORDER_STATUSES.join(', ')}`);
}

/** Applies a change to an order, or rejects it as a whole. A pure function: `order` stays unchanged. */
export function applyOrderChange(
  order: Order,
  change: OrderChange,
  now: Timestamp,
): Result<ChangedOrder, OrderChangeRejected> {
  const { status = order.status, cancel_reason, metadata: patch, ...details } = change;
  const changedDetails = ORDER_DETAILS.filter((name) => details[name] !== undefined && details[name] !== order[name]);
  const error = findTransitionError(order, change) ?? findCancelledEditError(order, changedDetails);
  if (error) return err(error);
  const patched = patch === undefined ? ok(order.metadata) : patchMetadata(order.metadata, patch);
  return patched.map((metadata) => {
    const changed = [
      ...(status === order.status ? [] : ['status', `${status}_at`]),
      ...changedDetails,
      ...(metadata === order.metadata ? [] : ['metadata']),
      ...(typeof cancel_reason === 'string' ? ['cancel_reason'] : []),
    ];
    if (changed.length === 0) return { order, event: null };
    const changedAt = laterTimestamp(order.updated_at, now);
    const enteredAt = (entering: OrderStatus, before: Timestamp | null) =>
      status === entering && order.status !== entering ? changedAt : before;
    return {
      order: {
        ...order,
        status,
        ...details,
        metadata,
        cancel_reason: cancel_reason ?? order.cancel_reason,
        version: order.version + 1,
        updated_at: changedAt,
        paid_at: enteredAt('paid', order.paid_at),
        shipped_at: enteredAt('shipped', order.shipped_at),
        delivered_at: enteredAt('delivered', order.delivered_at),
        cancelled_at: enteredAt('cancelled', order.cancelled_at),
      },
      event: { type: status === order.status ? 'order.changed' : STATUS_EVENT_TYPES[status], changed },
    };
  });
}

function findTransitionError(
  order: Order,
  change: OrderChange,
): OrderAlreadyCancelled | InvalidStatusTransition | null {
  if (change.status === undefined) return null;
  if (order.status === 'cancelled' && change.status === 'cancelled') {
    return {
      type: 'order_already_cancelled',
      cancelled_at: order.cancelled_at,
      current_version: order.version,
    };
  }
  if (change.status === order.status || canBecome(order.status, change.status)) return null;
  return {
    type: 'invalid_status_transition',
    current_status: order.status,
    requested_status: change.status,
    available_transitions: availableTransitions(order.status),
  };
}

/** The details that cannot change after cancellation. */
const FIXED_AFTER_CANCELLATION: readonly OrderDetail[] = ['customer_id', 'reference'];

function findCancelledEditError(order: Order, changed: readonly OrderDetail[]): OrderNotModifiable | null {
  if (order.status !== 'cancelled') return null;
  const fields = changed.filter((name) => FIXED_AFTER_CANCELLATION.includes(name));
  return fields.length === 0 ? null : { type: 'order_not_modifiable', fields };
}
