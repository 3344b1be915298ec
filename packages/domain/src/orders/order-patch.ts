import type { Result } from 'neverthrow';
import { type FieldsPatch, readFieldsPatch } from '../shared/fields.ts';
import { InvalidFields, type ValidationFailed } from '../shared/validation.ts';
import type {
  CustomData,
  CustomInputOf,
  OrderDefinition,
  StatusOf,
  UncancelledStatusOf,
  WithCustom,
} from './definition/order-definition.ts';
import { type MergePatch, readCustomPatch } from './order-custom.ts';
import { ORDER_FIELDS, type OrderFields } from './order-fields.ts';
import type { DefaultDefinition } from './order-lifecycle.ts';
import { REASON_LENGTH_MAX } from './order.ts';

/** The fields of a merge patch of an order. */
interface OrderFieldsPatch extends FieldsPatch<OrderFields> {}

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

/** A merge patch of custom data, whose result is parsed as a whole; `null` removes it, unless it is required. */
type CustomPatch<D extends OrderDefinition> = WithCustom<
  D,
  { readonly custom?: unknown },
  {
    readonly custom?:
      | MergePatch<CustomInputOf<D>>
      | (D['custom'] extends CustomData<unknown, unknown, true> ? never : null)
      | undefined;
  }
>;

/** A merge patch of an order (RFC 7396). Only a cancellation has a reason. */
export type OrderPatch<D extends OrderDefinition = DefaultDefinition> = OrderFieldsPatch &
  CustomPatch<D> &
  (StatusPatch<D> | CancellationPatch<D>);

/** A validated change of an order. An absent member leaves its field unchanged. `custom` is a merge patch. */
export type OrderChange<D extends OrderDefinition = OrderDefinition> = OrderFieldsPatch & {
  readonly status?: StatusOf<D>;
  /** Present exactly when `status` is that of a cancelled order. */
  readonly cancel_reason?: string | null;
} & WithCustom<D, { readonly custom?: unknown }, { readonly custom?: unknown }>;

const MEMBERS = ['status', 'cancel_reason', ...Object.keys(ORDER_FIELDS)];

/** Parses a merge patch of an order (RFC 7396), without the rules that depend on the current order. */
export function parseOrderPatch(input: unknown, definition: OrderDefinition): Result<OrderChange, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = definition.custom ? [...MEMBERS, 'custom'] : MEMBERS;
  const members = invalid.readObject(input, known, definition.members);
  const { cancel_reason, custom } = members;
  const status = readStatus(members['status'], definition, invalid);
  const isCancellation = status === definition.cancel;
  if (!isCancellation && cancel_reason !== undefined) {
    invalid.add('cancel_reason', 'invalid_value', `can be set only together with status ${definition.cancel}`);
  }
  return invalid.toResult({
    ...(status && { status }),
    ...(isCancellation && {
      cancel_reason: invalid.readOptionalText(cancel_reason, 'cancel_reason', REASON_LENGTH_MAX) ?? null,
    }),
    ...readFieldsPatch(ORDER_FIELDS, members, invalid),
    ...(definition.custom && custom !== undefined && { custom: readCustomPatch(custom, invalid) }),
  });
}

function readStatus(input: unknown, definition: OrderDefinition, invalid: InvalidFields): string | undefined {
  if (input === undefined) return undefined;
  if (input === null) return invalid.add('status', 'required', 'cannot be cleared');
  if (typeof input !== 'string') return invalid.add('status', 'wrong_type', 'must be a string');
  return invalid.readOneOf(input, 'status', definition.statuses);
}
