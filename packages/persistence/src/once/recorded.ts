import type { KeyReused, Once } from '@orders/domain';
import { err, ok, type Result } from 'neverthrow';
import { toTimestamp } from '../shared/timestamp-type.ts';
import { digest, type OnceRow } from './once-row.ts';

/** What a write left when its key was first used. */
export interface Recorded {
  readonly id: string;
  /** The aggregate after the write; `null` when the write deleted it, and once it is forgotten. */
  readonly aggregate: unknown;
}

/** What a key's record means for a write with that key: a result to repeat, a refusal, or, `null`, nothing. */
export function recalled(once: Once, row: OnceRow | undefined): Result<Recorded | null, KeyReused> {
  if (!row || toTimestamp(row.expires_at) <= once.now) return ok(null);
  if (row.fingerprint !== digest(once)) return err({ type: 'idempotency_key_reused' });
  return ok({ id: row.aggregate_id, aggregate: row.snapshot.aggregate });
}
