import { deepFreeze } from '../shared/frozen.ts';
import type { InvalidFields } from '../shared/validation.ts';

/** Maximum length of a reference, in Unicode code points. */
export const REFERENCE_LENGTH_MAX = 64;
/** Maximum length of a note, in Unicode code points. */
export const NOTE_LENGTH_MAX = 2000;

/** The fields of an order, besides items and metadata, that a client sets and changes. `null` means not set. */
export interface OrderDetails {
  /** Id of a customer of the same owner. */
  readonly customer_id: string | null;
  /** The client's identifier of the order: unique per owner, compared exactly, reusable only after deletion. */
  readonly reference: string | null;
  /** Free text. */
  readonly note: string | null;
}

/** Name of a member of {@link OrderDetails}. */
export type OrderDetail = keyof OrderDetails;

/** The details of an order when the client sets none. */
export const NO_DETAILS: OrderDetails = deepFreeze({ customer_id: null, reference: null, note: null });

const READERS: { readonly [Detail in OrderDetail]: (value: unknown, invalid: InvalidFields) => string | undefined } = {
  customer_id: (value, invalid) => invalid.readUuid(value, 'customer_id'),
  reference: (value, invalid) => invalid.readText(value, 'reference', 1, REFERENCE_LENGTH_MAX),
  note: (value, invalid) => invalid.readText(value, 'note', 0, NOTE_LENGTH_MAX),
};

/** Names of all details, in the order in which events and errors list them. */
export const ORDER_DETAILS: readonly OrderDetail[] = ['customer_id', 'reference', 'note'];

/** Reads the details of a new order; an absent member and `null` mean not set. */
export function readDetails(input: Readonly<Record<string, unknown>>, invalid: InvalidFields): OrderDetails {
  return { ...NO_DETAILS, ...readPatchDetails(input, invalid) };
}

/** Reads the details that a merge patch (RFC 7396) contains. */
export function readPatchDetails(
  input: Readonly<Record<string, unknown>>,
  invalid: InvalidFields,
): Partial<OrderDetails> {
  const details: { -readonly [Detail in OrderDetail]?: OrderDetails[Detail] } = {};
  for (const name of ORDER_DETAILS) {
    const value = input[name];
    if (value !== undefined) details[name] = value === null ? null : (READERS[name](value, invalid) ?? null);
  }
  return details;
}
