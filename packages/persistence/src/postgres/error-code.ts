import { isNativeError } from 'node:util/types';

/**
 * Returns the `code` of an error of Node.js or `pg`; an empty string for errors without a code and for other values.
 *
 * This package recognizes errors by their internal kind. `instanceof Error` is false for an error of another realm,
 * such as those that `vm` and Jest create, and `Error.isError` is missing in Node.js 22.
 */
export function errorCode(cause: unknown): string {
  return isNativeError(cause) && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
