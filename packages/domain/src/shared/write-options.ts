import { assertActor, assertIdempotencyKey } from './ids.ts';
import { assertOptions } from './options.ts';

/** Options of a write. A write with any other member, or an invalid one, throws a TypeError before it calls a port. */
export interface WriteOptions {
  /** Makes retries of the write safe: 1 to 255 visible ASCII characters, unique per owner. Default: no key. */
  readonly idempotencyKey?: string | undefined;
  /**
   * The credential that makes the change, such as `api_key:ord_4fT9`: 1 to 255 printable ASCII characters. It is
   * recorded with the change, so it must not identify a person. Default: unknown.
   */
  readonly actor?: string | undefined;
}

/** The members of {@link WriteOptions}. */
export const WRITE_OPTIONS: readonly string[] = ['idempotencyKey', 'actor'];

/**
 * Validates the options of a write, which have the members `known`, and returns its actor, or `null` if it is unknown.
 * Each write calls it before it calls a port: an invalid option is a bug of the caller.
 *
 * @throws {TypeError} an option is unknown or invalid
 */
export function readActor(options: WriteOptions, known = WRITE_OPTIONS): string | null {
  assertOptions(options, known);
  const { idempotencyKey, actor } = options;
  if (idempotencyKey !== undefined) assertIdempotencyKey(idempotencyKey);
  if (actor === undefined) return null;
  assertActor(actor);
  return actor;
}
