import { isNativeError } from 'node:util/types';

/**
 * Returns the `code` of an error of Node.js or `pg`; the empty text for an error without one and for what is no error.
 *
 * This package recognizes errors by their internal kind: `instanceof Error` is false for one of another
 * realm, such as those that `vm` and Jest make, and `Error.isError` is missing in Node.js 22.
 */
export function errorCode(cause: unknown): string {
  return isNativeError(cause) && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
