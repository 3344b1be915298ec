import type { Result } from 'neverthrow';
import { type MetadataPatch, readMetadataPatch } from '../shared/metadata.ts';
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
import { ORDER_DETAILS, type OrderDetails, readPatchDetails } from './order-details.ts';
import { isOrderStatus, type ORDERS } from './order-lifecycle.ts';
import { REASON_LENGTH_MAX, readOnlyFields } from './order.ts';

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

const MEMBERS = ['status', 'cancel_reason', ...ORDER_DETAILS, 'metadata'];

/** Parses a merge patch of an order (RFC 7396), without the rules that depend on the current order. */
export function parseOrderPatch(
  input: unknown,
  definition: OrderDefinition,
): Result<OrderChange<OrderDefinition>, ValidationFailed> {
  const invalid = new InvalidFields();
  const known = definition.custom ? [...MEMBERS, 'custom'] : MEMBERS;
  const members = invalid.readObject(input, known, ['items', 'adjustments', ...readOnlyFields(definition)]);
  const { cancel_reason, metadata, custom } = members;
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
    ...readPatchDetails(members, invalid),
    ...(metadata !== undefined && { metadata: readMetadataPatch(metadata, 'metadata', invalid) ?? null }),
    ...(definition.custom && custom !== undefined && { custom: readCustomPatch(custom, invalid) }),
  });
}

function readStatus(input: unknown, definition: OrderDefinition, invalid: InvalidFields): string | undefined {
  if (input === undefined) return undefined;
  if (input === null) return invalid.add('status', 'required', 'cannot be cleared');
  if (typeof input !== 'string') return invalid.add('status', 'wrong_type', 'must be a string');
  if (isOrderStatus(input, definition)) return input;
  return invalid.add('status', 'invalid_value', `must be one of ${definition.statuses.join(', ')}`);
}
