import type { Unavailable } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';

/** The version of the format of snapshots that this release writes, and the highest one that it reads. */
export const SNAPSHOT_FORMAT = 1;

/** A snapshot as the driver returns it; its columns are null without a change record. */
export interface StoredSnapshot {
  readonly snapshot: object | null;
  readonly snapshot_format: number | null;
}

/** Returns a snapshot, `null` for a deletion or after its erasure. One of a later release is unavailable. */
export function readSnapshot({ snapshot, snapshot_format }: StoredSnapshot): Result<object | null, Unavailable> {
  if (snapshot_format === null || snapshot_format <= SNAPSHOT_FORMAT) return ok(snapshot);
  const cause = new Error(`a snapshot has format ${snapshot_format}, which only a later release can read`);
  return err({ type: 'unavailable', cause });
}
