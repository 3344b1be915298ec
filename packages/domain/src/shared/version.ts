import { err, ok, type Result } from 'neverthrow';
import type { WriteOptions } from './idempotency.ts';

/** The resource is not at a version that the caller wanted to act on. */
export interface VersionMismatch {
  readonly type: 'version_mismatch';
  readonly current_version: number;
}

/** Which versions a caller wants to act on. */
export interface ExpectedVersion {
  /** Go on only if the version is one of these; otherwise `version_mismatch`. Absent: whatever the version is. */
  readonly ifVersion?: readonly number[] | undefined;
  /** Go on only if the version is none of these, `any` meaning every version; otherwise `version_mismatch`. */
  readonly unlessVersion?: readonly number[] | 'any' | undefined;
}

/** What a caller may say of a change or deletion besides its values. */
export interface ChangeOptions extends WriteOptions, ExpectedVersion {}

/** Refuses a version that the caller did not want to act on (optimistic locking). */
export function checkVersion(version: number, expected: ExpectedVersion): Result<null, VersionMismatch> {
  const { ifVersion, unlessVersion } = expected;
  const isExpected = ifVersion?.includes(version) ?? true;
  const isExcluded = unlessVersion === 'any' || (unlessVersion?.includes(version) ?? false);
  return isExpected && !isExcluded ? ok(null) : err({ type: 'version_mismatch', current_version: version });
}
