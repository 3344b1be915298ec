import { assertIdempotencyKey, assertText, isOwner } from './ids.ts';
import { assertOptions } from './validation.ts';
import type { ChangeOptions } from './version.ts';
import type { WriteOptions } from './write-options.ts';

/** Checks whether `input`, of any type, is a valid {@link WriteOptions.actor}: 1 to 255 printable ASCII characters. */
export function isActor(input: unknown): input is string {
  return isOwner(input);
}

/**
 * Throws unless `input` is a valid {@link WriteOptions.actor}.
 *
 * @throws {TypeError} if the actor is invalid; the message omits the value, which may be personal data
 */
export function assertActor(input: unknown): asserts input is string {
  assertText('actor', 'printable', isActor(input), input);
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

const CHANGE_OPTIONS = [...WRITE_OPTIONS, 'ifVersion', 'unlessVersion'];

/**
 * Validates the options of a change or deletion, and returns its actor as {@link readActor} does.
 *
 * @throws {TypeError} an option is unknown or invalid
 */
export function readActorOfChange(options: ChangeOptions): string | null {
  const actor = readActor(options, CHANGE_OPTIONS);
  const { ifVersion = [], unlessVersion = [] } = options;
  if (!Array.isArray(ifVersion) || !(unlessVersion === 'any' || Array.isArray(unlessVersion)))
    throw new TypeError('ifVersion and unlessVersion must be arrays of versions');
  return actor;
}
