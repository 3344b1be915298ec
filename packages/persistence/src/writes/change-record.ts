import type { DomainEvent, Unavailable } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { jsonText } from '../sql/statement.ts';
import type { ColumnValues } from './write-functions.ts';

/** The version of the format of snapshots that this release writes, and the highest one that it reads. */
const SNAPSHOT_FORMAT = 1;

/**
 * Returns the change record of an event that makes `version`. `snapshot` is the aggregate after the change; `null` for a
 * deletion. A record without a type is in no feed.
 *
 * @throws {TypeError} the event has another version: the row, the change record and the key share one value
 */
export function changeValues(
  event: DomainEvent<string>,
  version: number,
  snapshot: object | null,
  isPublished = true,
): ColumnValues {
  if (event.version !== version) {
    throw new TypeError(`the event has version ${event.version}, but its change makes version ${version}`);
  }
  return {
    version,
    event_id: isPublished ? event.id : null,
    type: isPublished ? event.type : null,
    changed: JSON.stringify(event.changed),
    occurred_at: event.occurred_at,
    actor: event.actor,
    snapshot: snapshot && jsonText(snapshot),
    snapshot_format: SNAPSHOT_FORMAT,
  };
}

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
