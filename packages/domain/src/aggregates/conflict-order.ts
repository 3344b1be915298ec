import { deepFreeze } from '../shared/frozen.ts';

/**
 * The rules about other writes and other aggregates that a write may violate, in the order of their checks: of several
 * violated ones, the first is reported. A retry comes first, then whether the aggregate can exist, whom it refers to or who
 * refers to it, and last what must be unique.
 */
export const CONFLICT_ORDER = deepFreeze([
  'key_used',
  'id_taken',
  'unknown_customer',
  'customer_has_orders',
  'customer_erased',
  'email_taken',
  'reference_taken',
  'too_many_endpoints',
] as const);

/** A rule of {@link CONFLICT_ORDER}. */
export type ConflictRule = (typeof CONFLICT_ORDER)[number];

/** The checks of those rules that concern a write. Each returns what it has found, or `null` if the rule is not violated. */
export type ConflictChecks<Found> = { readonly [Rule in ConflictRule]?: (() => Found) | undefined };

/** Returns the checks in the order of their rules. A store reports what the first of them finds. */
export function inConflictOrder<Found>(checks: ConflictChecks<Found>): readonly (() => Found)[] {
  return CONFLICT_ORDER.flatMap((rule) => checks[rule] ?? []);
}
