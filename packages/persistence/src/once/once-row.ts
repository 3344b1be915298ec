import { hash } from 'node:crypto';
import type { Once } from '@orders/domain';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** A key's record as SQL hands it out. */
export interface OnceRow {
  readonly fingerprint: string;
  readonly aggregate_id: string;
  readonly snapshot: Snapshot;
  readonly expires_at: string;
}

/** The values of a key's record, by column. */
export type OnceValues = Readonly<Record<string, string>>;

/** Records what a write left of the aggregate `id`; `null` for a deletion. */
export function onceValues(once: Once, id: string, aggregate: unknown): OnceValues {
  return {
    key: once.key,
    fingerprint: digest(once),
    aggregate_id: id,
    snapshot: JSON.stringify(snapshotOf(aggregate)),
    created_at: once.now,
    expires_at: once.expires_at,
  };
}

/** A digest stands for the fingerprint, which may be as long as the command and hold personal data. */
export function digest(once: Once): string {
  return hash('sha256', once.fingerprint, 'base64url');
}
