import type { AbortSignalLike, RequestOptions } from '../options.ts';

/** The members of `WriteOptions`. */
export const WRITE_OPTIONS: readonly string[] = ['idempotencyKey', 'externalUserId', 'signal'];
/** The members of `BatchOptions`. */
export const BATCH_OPTIONS: readonly string[] = ['externalUserId', 'signal'];
/** The members of `FollowOptions`. */
export const FOLLOW_OPTIONS: readonly string[] = ['signal', 'after', 'start', 'types', 'include'];

/**
 * Throws unless `options` is an object that has no members but those `known`: a misspelt option would have no effect.
 *
 * @throws {TypeError} the message names the unknown member and those that are known
 */
export function assertOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new TypeError(`unknown option "${name}", expected ${known.join(', ')}`);
  }
}

/**
 * Returns the only option of a read.
 *
 * @throws {TypeError} another option is given
 */
export function signalOf(options: RequestOptions): AbortSignalLike | undefined {
  assertOptions(options, ['signal']);
  return options.signal;
}
