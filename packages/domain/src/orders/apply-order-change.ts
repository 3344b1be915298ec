import { err, ok, type Result } from 'neverthrow';
import { laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { patchFields } from '../shared/fields.ts';
import { INVALID_FIELDS_MAX, type ValidationFailed } from '../shared/validation.ts';
import type { OrderDefinition } from './definition/order-definition.ts';
import { patchCustom } from './order-custom.ts';
import type { InvalidStatusTransition, OrderAlreadyCancelled, OrderNotModifiable } from './order-errors.ts';
import type { ChangedOrder } from './order-kind.ts';
import { ORDER_FIELDS } from './order-fields.ts';
import { availableTransitions, canBecome } from './order-lifecycle.ts';
import type { OrderChange } from './order-patch.ts';
import { ORDER_RULES, rejectByStatus } from './order-rules.ts';
import type { AnyOrder } from './order.ts';

/** The errors of a change that the current order does not allow. */
export type OrderChangeRejected<D extends OrderDefinition = OrderDefinition> =
  | OrderAlreadyCancelled<D>
  | InvalidStatusTransition<D>
  | OrderNotModifiable
  | ValidationFailed;

/** Applies a change to an order, or rejects it as a whole. A pure function: `order` stays unchanged. */
export function applyOrderChange(
  definition: OrderDefinition,
  order: AnyOrder,
  change: OrderChange,
  now: Timestamp,
): Result<ChangedOrder, OrderChangeRejected> {
  const { status = order.status, cancel_reason, custom: customPatch, ...patch } = change;
  // A cancellation has no fields.
  const isPatch = Object.keys(patch).length > 0;
  const { changed: fields, errors } = isPatch ? patchFields(ORDER_FIELDS, order, patch) : { changed: {}, errors: [] };
  const names = Object.keys(fields);
  const fixed = names.filter((name) => FIXED_AFTER_CANCELLATION.includes(name));
  const error =
    findTransitionError(definition, order, change) ??
    rejectByStatus(definition, order, ORDER_RULES.change_customer_or_reference, fixed);
  if (error) return err(error);
  const parsed: Result<unknown, ValidationFailed> =
    customPatch === undefined || !definition.custom
      ? ok(order.custom)
      : patchCustom(definition, order.custom ?? null, customPatch);
  const invalid = parsed.isErr() ? [...errors, ...parsed.error.errors] : errors;
  if (invalid.length > 0) return err({ type: 'validation_failed', errors: invalid.slice(0, INVALID_FIELDS_MAX) });
  return parsed.map((custom) => {
    const entry = status === order.status ? undefined : definition.entries[status];
    const reason = isLeaving(definition, order, status) ? null : (cancel_reason ?? order.cancel_reason);
    const changed = [
      ...(entry ? ['status'] : []),
      ...(entry?.time ? [entry.time] : []),
      ...names,
      ...(custom === order.custom ? [] : ['custom']),
      ...(typeof cancel_reason === 'string' || reason !== order.cancel_reason ? ['cancel_reason'] : []),
    ];
    if (changed.length === 0) return { order, event: null };
    const changedAt = laterTimestamp(order.updated_at, now);
    return {
      order: {
        ...order,
        status,
        ...fields,
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

/** Checks whether a change to `status` reopens a cancelled order, whose reason is removed then. */
function isLeaving({ cancel }: OrderDefinition, order: AnyOrder, status: string): boolean {
  return order.status === cancel && status !== cancel;
}

function findTransitionError(
  definition: OrderDefinition,
  order: AnyOrder,
  change: OrderChange,
): OrderAlreadyCancelled | OrderNotModifiable | InvalidStatusTransition | null {
  if (change.status === undefined) return null;
  if (change.status === definition.cancel) {
    const refused = rejectByStatus(definition, order, ORDER_RULES.cancel, ['status']);
    if (refused) return refused;
  }
  if (change.status === order.status || canBecome(order.status, change.status, definition)) return null;
  return {
    type: 'invalid_status_transition',
    current_status: order.status,
    requested_status: change.status,
    available_transitions: availableTransitions(order.status, definition),
  };
}

/** The fields that cannot change after cancellation. */
const FIXED_AFTER_CANCELLATION: readonly string[] = ['customer_id', 'reference'];
