import { hash } from 'node:crypto';
import type { KeyReused, Idempotency } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { toTimestamp } from '../shared/timestamp-type.ts';

/** The recorded result of a write. */
export interface Snapshot {
  /** The version of the format of `aggregate`, so that records of an earlier release stay readable. */
  readonly format: 1;
  /** The aggregate after the write; `null` when the write deleted it, and after it was erased. */
  readonly aggregate: unknown;
}

export function snapshotOf(aggregate: unknown): Snapshot {
  return { format: 1, aggregate };
}

/** An idempotency record in the types that the driver returns. */
export interface IdempotencyRow {
  readonly fingerprint: string;
  readonly aggregate_id: string;
  readonly snapshot: Snapshot;
  readonly expires_at: string;
}

/** The values of an idempotency record, by column. */
export type IdempotencyValues = Readonly<Record<string, string>>;

/** Returns the record of a write to the aggregate `id`; `aggregate` is `null` for a deletion. */
export function idempotencyValues(idempotency: Idempotency, id: string, aggregate: unknown): IdempotencyValues {
  return {
    key: idempotency.key,
    fingerprint: digest(idempotency),
    aggregate_id: id,
    snapshot: JSON.stringify(snapshotOf(aggregate)),
    created_at: idempotency.now,
    expires_at: idempotency.expires_at,
  };
}

/** Hashes the fingerprint, which may be as long as the command and contain personal data. */
function digest(idempotency: Idempotency): string {
  return hash('sha256', idempotency.fingerprint, 'base64url');
}

/** The result that the first write with a key recorded. */
export interface RecordedResult {
  readonly id: string;
  /** The aggregate after the write; `null` when the write deleted it, and after it was erased. */
  readonly aggregate: unknown;
}

/** Whether the record has expired by this server's clock. The database's clock has to confirm it. */
export function isExpiredLocally(idempotency: Idempotency, row: IdempotencyRow): boolean {
  return toTimestamp(row.expires_at) <= idempotency.now;
}

/**
 * Returns the recorded result for a retry, or rejects a key that belongs to another command. The record must not be
 * expired.
 */
export function verifyRecord(idempotency: Idempotency, row: IdempotencyRow): Result<RecordedResult, KeyReused> {
  if (row.fingerprint !== digest(idempotency)) return err({ type: 'idempotency_key_reused' });
  return ok({ id: row.aggregate_id, aggregate: row.snapshot.aggregate });
}

/** Returns the aggregate of a record, or `undefined` when it was deleted or erased. */
export function recordedAggregate<A>(
  { id, aggregate }: RecordedResult,
  is: (aggregate: object) => aggregate is A & object,
): A | undefined {
  if (aggregate === null) return undefined;
  if (typeof aggregate === 'object' && is(aggregate)) return aggregate;
  throw new Error(`the idempotency record of ${id} contains an unknown kind of aggregate`);
}
