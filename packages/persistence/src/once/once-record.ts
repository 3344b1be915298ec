import { hash } from 'node:crypto';
import type { KeyReused, Idempotency } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { toTimestamp } from '../shared/timestamp-type.ts';

/** What a write left, as it is recorded with its key. */
export interface Snapshot {
  /** Rises when the shape of what follows changes, so that records of an earlier release can still be read. */
  readonly format: 1;
  /** The aggregate after the write; `null` when the write deleted it, and once it is forgotten. */
  readonly aggregate: unknown;
}

export function snapshotOf(aggregate: unknown): Snapshot {
  return { format: 1, aggregate };
}

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
export function onceValues(once: Idempotency, id: string, aggregate: unknown): OnceValues {
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
function digest(once: Idempotency): string {
  return hash('sha256', once.fingerprint, 'base64url');
}

/** What a write left when its key was first used. */
export interface Recorded {
  readonly id: string;
  /** The aggregate after the write; `null` when the write deleted it, and once it is forgotten. */
  readonly aggregate: unknown;
}

/** Whether the clock of this server calls a record expired; whether it is, the database's clock has to confirm. */
export function seemsExpired(once: Idempotency, row: OnceRow): boolean {
  return toTimestamp(row.expires_at) <= once.now;
}

/** What a key's record that has not expired means for a write with that key: a result to replay, or a rejection. */
export function recalled(once: Idempotency, row: OnceRow): Result<Recorded, KeyReused> {
  if (row.fingerprint !== digest(once)) return err({ type: 'idempotency_key_reused' });
  return ok({ id: row.aggregate_id, aggregate: row.snapshot.aggregate });
}

/** The aggregate that a record holds; `undefined` when it holds none, having been a deletion's or forgotten. */
export function recordedAggregate<A>(
  { id, aggregate }: Recorded,
  is: (aggregate: object) => aggregate is A & object,
): A | undefined {
  if (aggregate === null) return undefined;
  if (typeof aggregate === 'object' && is(aggregate)) return aggregate;
  throw new Error(`the record of ${id} holds something else than its write left`);
}
