import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import type { EventOutline } from '../shared/domain-event.ts';
import { INVALID_FIELDS_MAX, InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import { type MetadataPatch, patchMetadata, readMetadataPatch } from '../shared/metadata.ts';
import type { InvalidStatusTransition, OrderAlreadyCancelled, OrderNotModifiable } from './order-errors.ts';
import type {
  CustomOf,
  OrderDefinition,
  StatusOf,
  UncancelledStatusOf,
  WithCustom,
} from './definition/order-definition.ts';
import { type MergePatch, patchCustom, readCustomPatch } from './order-custom.ts';
import type { OrderEventType } from './order-events.ts';
import { availableTransitions, canBecome, isOrderStatus, type ORDERS } from './order-lifecycle.ts';
import { ORDER_DETAILS, type OrderDetail, type OrderDetails, readPatchDetails } from './order-details.ts';
import { CANCEL_REASON_LENGTH_MAX, type Order, readOnlyFields } from './order.ts';

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

/** A change to any status except that of a cancelled order, or to none. */
interface StatusPatch<D extends OrderDefinition> {
  readonly status?: UncancelledStatusOf<D> | undefined;
  readonly cancel_reason?: undefined;
}

/** A cancellation. */
interface CancellationPatch<D extends OrderDefinition> {
  readonly status: D['cancel'];
  /** Reason for the cancellation. Default: none. */
  readonly cancel_reason?: string | null | undefined;
}

/** A merge patch of custom data, whose result is parsed as a whole; `null` removes it. */
type CustomPatch<D extends OrderDefinition> = WithCustom<
  D,
  { readonly custom?: unknown },
  { readonly custom?: MergePatch<CustomOf<D>> | null | undefined }
>;

/** A merge patch of an order (RFC 7396). Only a cancellation has a reason. */
export type OrderPatch<D extends OrderDefinition = typeof ORDERS> = DetailsPatch &
  CustomPatch<D> &
  (StatusPatch<D> | CancellationPatch<D>);

/** A validated change of an order. An absent member leaves its field unchanged. `custom` is a merge patch. */
export type OrderChange<D extends OrderDefinition = typeof ORDERS> = Partial<OrderDetails> & {
  readonly status?: StatusOf<D>;
  /** Present exactly when `status` is that of a cancelled order. */
  readonly cancel_reason?: string | null;
  readonly metadata?: MetadataPatch | null;
} & WithCustom<D, { readonly custom?: unknown }, { readonly custom?: unknown }>;

/** The errors of a change that the current order does not allow. */
export type OrderChangeRejected<D extends OrderDefinition = typeof ORDERS> =
  | OrderAlreadyCancelled<D>
  | InvalidStatusTransition<D>
  | OrderNotModifiable
  | ValidationFailed;

/** The order after a change, and the event to record; `null` if nothing changes. */
export interface ChangedOrder {
  readonly order: Order<OrderDefinition>;
  readonly event: EventOutline<OrderEventType<OrderDefinition>> | null;
}

const MEMBERS = ['status', 'cancel_reason', ...ORDER_DETAILS, 'metadata'];

/** Parses a merge patch of an order (RFC 7396), without the rules that depend on the current order. */
export function parseOrderPatch(
  input: unknown,
  definition: OrderDefinition,
): Result<OrderChange<OrderDefinition>, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = definition.custom ? [...MEMBERS, 'custom'] : MEMBERS;
  const members = invalid.readObject(input, known, ['items', ...readOnlyFields(definition)]);
  const { cancel_reason, metadata, custom } = members;
  const status = readStatus(members['status'], definition, invalid);
  const isCancellation = status === definition.cancel;
  if (!isCancellation && cancel_reason !== undefined) {
    invalid.add('cancel_reason', 'invalid_value', `can be set only together with status ${definition.cancel}`);
  }
  return invalid.toResult({
    ...(status && { status }),
    ...(isCancellation && {
      cancel_reason: readCancelReason(cancel_reason, 'cancel_reason', invalid) ?? null,
    }),
    ...readPatchDetails(members, invalid),
    ...(metadata !== undefined && { metadata: readMetadataPatch(metadata, 'metadata', invalid) ?? null }),
    ...(definition.custom && custom !== undefined && { custom: readCustomPatch(custom, invalid) }),
  });
}

/** Reads the reason of a cancellation; an absent value and `null` mean no reason. */
export function readCancelReason(input: unknown, path: string, invalid: InvalidFields): string | null | undefined {
  return input === undefined || input === null ? null : invalid.readText(input, path, 0, CANCEL_REASON_LENGTH_MAX);
}

function readStatus(input: unknown, definition: OrderDefinition, invalid: InvalidFields): string | undefined {
  if (input === undefined) return undefined;
  if (input === null) return invalid.add('status', 'required', 'cannot be cleared');
  if (typeof input !== 'string') return invalid.add('status', 'wrong_type', 'must be a string');
  if (isOrderStatus(input, definition)) return input;
  return invalid.add('status', 'invalid_value', `must be one of ${definition.statuses.join(', ')}`);
}

/** Applies a change to an order, or rejects it as a whole. A pure function: `order` stays unchanged. */
export function applyOrderChange(
  definition: OrderDefinition,
  order: Order<OrderDefinition>,
  change: OrderChange<OrderDefinition>,
  now: Timestamp,
): Result<ChangedOrder, OrderChangeRejected<OrderDefinition>> {
  const { status = order.status, cancel_reason, metadata: patch, custom: customPatch, ...details } = change;
  const changedDetails = ORDER_DETAILS.filter((name) => details[name] !== undefined && details[name] !== order[name]);
  const error =
    findTransitionError(definition, order, change) ?? findCancelledEditError(definition, order, changedDetails);
  if (error) return err(error);
  const patched = patch === undefined ? ok(order.metadata) : patchMetadata(order.metadata, patch);
  const parsed =
    customPatch === undefined || !definition.custom
      ? ok(order.custom)
      : patchCustom(definition.custom, order.custom ?? null, customPatch);
  return combine(patched, parsed).map(([metadata, custom]) => {
    const entry = status === order.status ? undefined : definition.entries[status];
    const reason = isLeaving(definition, order, status) ? null : (cancel_reason ?? order.cancel_reason);
    const changed = [
      ...(entry ? ['status'] : []),
      ...(entry?.time ? [entry.time] : []),
      ...changedDetails,
      ...(metadata === order.metadata ? [] : ['metadata']),
      ...(custom === order.custom ? [] : ['custom']),
      ...(typeof cancel_reason === 'string' || reason !== order.cancel_reason ? ['cancel_reason'] : []),
    ];
    if (changed.length === 0) return { order, event: null };
    const changedAt = laterTimestamp(order.updated_at, now);
    return {
      order: {
        ...order,
        status,
        ...details,
        metadata,
        ...(definition.custom && { custom }),
        cancel_reason: reason,
        version: order.version + 1,
        updated_at: changedAt,
        ...(entry?.time && { [entry.time]: changedAt }),
      },
      event: { type: entry?.event ?? 'order.changed', changed },
    };
  });
}

/** Combines the results of patches; all invalid fields are reported together. */
function combine<Left, Right>(
  left: Result<Left, ValidationFailed>,
  right: Result<Right, ValidationFailed>,
): Result<readonly [Left, Right], ValidationFailed> {
  if (left.isOk() && right.isOk()) return ok([left.value, right.value]);
  const errors = [left, right].flatMap((result) => (result.isErr() ? result.error.errors : []));
  return err({ type: 'validation_failed', errors: errors.slice(0, INVALID_FIELDS_MAX) });
}

/** Checks whether a change to `status` reopens a cancelled order, whose reason is removed then. */
function isLeaving({ cancel }: OrderDefinition, order: Order<OrderDefinition>, status: string): boolean {
  return order.status === cancel && status !== cancel;
}

function findTransitionError(
  definition: OrderDefinition,
  order: Order<OrderDefinition>,
  change: OrderChange<OrderDefinition>,
): OrderAlreadyCancelled<OrderDefinition> | InvalidStatusTransition<OrderDefinition> | null {
  if (change.status === undefined) return null;
  const { cancel } = definition;
  if (order.status === cancel && change.status === cancel) {
    const time = `${cancel}_at`;
    const cancelledAt: unknown = Reflect.get(order, time);
    return {
      type: 'order_already_cancelled',
      ...Object.fromEntries([[time, typeof cancelledAt === 'string' ? cancelledAt : null]]),
      current_version: order.version,
    };
  }
  if (change.status === order.status || canBecome(order.status, change.status, definition)) return null;
  return {
    type: 'invalid_status_transition',
    current_status: order.status,
    requested_status: change.status,
    available_transitions: availableTransitions(order.status, definition),
  };
}

/** The details that cannot change after cancellation. */
const FIXED_AFTER_CANCELLATION: readonly OrderDetail[] = ['customer_id', 'reference'];

function findCancelledEditError(
  { initial, cancel }: OrderDefinition,
  order: Order<OrderDefinition>,
  changed: readonly OrderDetail[],
): OrderNotModifiable | null {
  // Orders with a single status are never cancelled.
  if (order.status !== cancel || cancel === initial) return null;
  const fields = changed.filter((name) => FIXED_AFTER_CANCELLATION.includes(name));
  return fields.length === 0 ? null : { type: 'order_not_modifiable', fields };
}
