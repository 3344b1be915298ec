import { err, ok, type Result } from 'neverthrow';
import { readActor, WRITE_OPTIONS } from './actor.ts';
import type { WriteOptions } from './write-options.ts';

/** Error: the current version of the resource does not meet the {@link ExpectedVersion} of the caller. */
export interface PreconditionFailed {
  readonly type: 'precondition_failed';
  readonly current_version: number;
}

/** Precondition on the current version of a resource (optimistic locking). */
export interface ExpectedVersion {
  /** The accepted versions; any other version fails with `precondition_failed`. Default: every version. */
  readonly ifVersion?: readonly number[] | undefined;
  /** The rejected versions, which fail with `precondition_failed`; `any` rejects every version. Default: none. */
  readonly unlessVersion?: readonly number[] | 'any' | undefined;
}

/** Options of a change or deletion. */
export interface ChangeOptions extends WriteOptions, ExpectedVersion {}

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

/** Checks the precondition of a caller on the current version; returns `precondition_failed` if it is not met. */
export function checkVersion(version: number, expected: ExpectedVersion): Result<null, PreconditionFailed> {
  const { ifVersion, unlessVersion } = expected;
  const isExpected = ifVersion?.includes(version) ?? true;
  const isExcluded = unlessVersion === 'any' || (unlessVersion?.includes(version) ?? false);
  return isExpected && !isExcluded ? ok(null) : err({ type: 'precondition_failed', current_version: version });
}
