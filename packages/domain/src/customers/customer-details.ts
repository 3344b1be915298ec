import { type FieldsOf, METADATA, optionalText, replaced } from '../shared/fields.ts';
import type { Metadata } from '../shared/metadata.ts';
import { INVALID_TEXT, type InvalidFields } from '../shared/validation.ts';
import { CUSTOMER_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN } from './customer.ts';

/** The values of {@link CUSTOMER_FIELDS}. */
export interface CustomerFields {
  /** Unique per owner, in any case. */
  readonly email: string;
  readonly name: string | null;
  /** At most {@link METADATA_KEYS_MAX} keys. */
  readonly metadata: Metadata;
}

/** The fields of a customer that a client sets and changes. */
export const CUSTOMER_FIELDS: FieldsOf<CustomerFields> = {
  email: replaced(INVALID_TEXT, readEmail),
  name: optionalText(1, CUSTOMER_NAME_LENGTH_MAX),
  metadata: METADATA,
};

/** Fields that only the system sets. A command that contains one is rejected with `read_only`. */
export const READ_ONLY_FIELDS = ['id', 'version', 'created_at', 'updated_at', 'erased_at', 'erasure'];

/** Reads an email address. */
export function readEmail(input: unknown, path: string, invalid: InvalidFields): string | undefined {
  const email = invalid.readText(input, path, EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX);
  if (email === undefined) return undefined;
  // Only the form that every address has: whether an address receives mail shows when mail is sent to it.
  if (/^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email)) return email;
  return invalid.add(path, 'invalid_format', 'must be an email address: one @, something on both sides, no spaces');
}
