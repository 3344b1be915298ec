import { err, ok, type Result } from 'neverthrow';
import type { ErrorOf } from '../errors.ts';
import { EXTERNAL_USER_ID, IDEMPOTENCY_KEY } from '../generated/api.ts';
import type { ChangedBy, WriteOptions } from '../options.ts';

/** Returns a random idempotency key. `crypto.randomUUID` does not exist in pages that are not served securely. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns a key as a quoted string (RFC 9651 section 3.3.3), because some keys have no bare form. */
export function quoted(key: string): string {
  return `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** Returns the key of a write, a new one by default, or why the given value is none. */
export function keyOf({ idempotencyKey: key = newKey() }: WriteOptions): Result<string, ErrorOf<'validation_failed'>> {
  return typeof key === 'string' && IDEMPOTENCY_KEY.test(quoted(key)) ? ok(key) : err(INVALID_KEY);
}

/** Returns the user of a call, by default that of the client, or why the given value is none. */
export function userOf(
  { externalUserId: id }: ChangedBy,
  { externalUserId: byDefault }: ChangedBy,
): Result<string | undefined, ErrorOf<'validation_failed'>> {
  if (id === undefined) return ok(byDefault);
  return typeof id === 'string' && EXTERNAL_USER_ID.test(id) ? ok(id) : err(INVALID_USER);
}

/** What is wrong with an invalid external user id. */
export const EXTERNAL_USER_ID_RULE =
  'must be 1 to 255 printable ASCII characters without @, and without a space at an end';
const INVALID_USER = invalidHeader('Orders-External-User-Id', EXTERNAL_USER_ID_RULE);
const INVALID_KEY = invalidHeader('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');

function invalidHeader(field: string, message: string): ErrorOf<'validation_failed'> {
  return { type: 'validation_failed', errors: [{ field, message, code: 'invalid_format' }] };
}

/** Checks whether `id` is a UUID. Any other id belongs to no resource, and must not become part of a path. */
export function isId(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}
