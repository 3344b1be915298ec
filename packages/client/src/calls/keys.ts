import { err, ok, type Result } from 'neverthrow';
import type { ErrorOf } from '../errors.ts';
import { IDEMPOTENCY_KEY } from '../generated/api.ts';
import type { WriteOptions } from '../options.ts';

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

const INVALID_KEY: ErrorOf<'validation_failed'> = {
  type: 'validation_failed',
  errors: [{ field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters', code: 'invalid_format' }],
};

/** Checks whether `id` is a UUID. Any other id belongs to no resource, and must not become part of a path. */
export function isId(id: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
}
