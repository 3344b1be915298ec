import type { InvalidFields } from '../shared/validation.ts';
import { CUSTOMER_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN } from './customer.ts';

/** Fields of a customer that a client sets and changes. */
export const CUSTOMER_FIELDS = ['email', 'name', 'metadata'];
/** Fields that only the system sets. A command that contains one is rejected with `read_only`. */
export const READ_ONLY_FIELDS = ['id', 'version', 'created_at', 'updated_at', 'erased_at', 'erasure'];

/** Reads an email address. */
export function readEmail(input: unknown, invalid: InvalidFields): string | undefined {
  const email = invalid.readText(input, 'email', EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX);
  if (email === undefined) return undefined;
  // Only the form that every address has: whether an address receives mail shows when mail is sent to it.
  if (/^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email)) return email;
  return invalid.add('email', 'invalid_format', 'must be an email address: one @, something on both sides, no spaces');
}

/** Reads the name of a customer; an absent value and `null` mean no name. */
export function readName(input: unknown, invalid: InvalidFields): string | null | undefined {
  return input === undefined || input === null ? null : invalid.readText(input, 'name', 1, CUSTOMER_NAME_LENGTH_MAX);
}
