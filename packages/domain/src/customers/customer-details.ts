import type { InvalidFields } from '../shared/validation.ts';
import { CUSTOMER_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX, EMAIL_LENGTH_MIN } from './customer.ts';

export const CUSTOMER_FIELDS = ['email', 'name', 'metadata'];
export const READ_ONLY_FIELDS = ['id', 'version', 'created_at', 'updated_at'];

export function readEmail(input: unknown, invalid: InvalidFields): string | undefined {
  const email = invalid.readText(input, 'email', EMAIL_LENGTH_MIN, EMAIL_LENGTH_MAX);
  if (email === undefined) return undefined;
  // The least that every address has; whether mail arrives is found out by sending some.
  if (/^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email)) return email;
  return invalid.add('email', 'invalid_format', 'must be an email address: one @, something on both sides, no spaces');
}

export function readName(input: unknown, invalid: InvalidFields): string | null | undefined {
  return input === undefined || input === null ? null : invalid.readText(input, 'name', 1, CUSTOMER_NAME_LENGTH_MAX);
}
