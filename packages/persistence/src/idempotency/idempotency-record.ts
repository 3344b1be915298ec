import { hash } from 'node:crypto';
import type { Idempotency, KeyReused } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import type { StoredSnapshot } from '../changes/change-record.ts';
import { toTimestamp } from '../shared/timestamp-type.ts';
import type { ColumnValues } from '../writes/write-functions.ts';

/** An idempotency record with the version that its write made, as the driver returns them. */
export interface RecordedWrite extends StoredSnapshot {
  readonly fingerprint: string;
  readonly aggregate_id: string;
  readonly expires_at: string;
}

/** The key of a write without one. An empty text, because Citus drops the filter by owner of a comparison with null. */
const NO_KEY = { key: '', fingerprint: '', expires_at: null };

/** Returns the idempotency record of a write, without the version that it refers to. */
export function keyValues(idempotency: Idempotency | undefined): ColumnValues {
  if (!idempotency) return NO_KEY;
  return { key: idempotency.key, fingerprint: digest(idempotency), expires_at: idempotency.expires_at };
}

/** Hashes the fingerprint, which may be as long as the command and contain personal data. */
function digest(idempotency: Idempotency): string {
  return hash('sha256', idempotency.fingerprint, 'base64url');
}

/** Whether the record has expired by this server's clock. The database's clock has to confirm it. */
export function isExpiredLocally(idempotency: Idempotency, record: RecordedWrite): boolean {
  return toTimestamp(record.expires_at) <= idempotency.now;
}

/** Returns the record for a retry, or rejects a key that belongs to another command. The record must not be expired. */
export function verifyRecord<R extends RecordedWrite>(idempotency: Idempotency, record: R): Result<R, KeyReused> {
  return record.fingerprint === digest(idempotency) ? ok(record) : err({ type: 'idempotency_key_reused' });
}
