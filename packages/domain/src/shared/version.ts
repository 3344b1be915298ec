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
