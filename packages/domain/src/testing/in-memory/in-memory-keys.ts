import { err, ok, type Result } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency, KeyReused } from '../../shared/idempotency.ts';

/** Minimum number of records before expired ones are purged. */
const PURGE_MIN = 1000;

/**
 * The records of the idempotency keys of all writes: their commands and expiry times. New records purge expired ones
 * from time to time. At most twice the records that the last purge kept exist, or {@link PURGE_MIN} if that is more.
 */
export class InMemoryKeys {
  readonly #records = new Map<string, Idempotency>();
  #purgeAt = PURGE_MIN;

  /** Returns all records. Each object identifies one write until its record is purged. */
  records(): Iterable<Idempotency> {
    return this.#records.values();
  }

  /** Returns the record of the write that used the key, or `null` if the key is unused or expired. */
  findRecord(owner: Owner, idempotency: Idempotency | undefined): Result<Idempotency | null, KeyReused> {
    if (!idempotency) return ok(null);
    const found = this.#records.get(recordKeyOf(owner, idempotency));
    if (!found || found.expires_at <= idempotency.now) return ok(null);
    return found.fingerprint === idempotency.fingerprint ? ok(found) : err({ type: 'idempotency_key_reused' });
  }

  /** Records the key as used, and returns the record that identifies the write. */
  claim(owner: Owner, idempotency: Idempotency): Idempotency {
    if (this.#records.size >= this.#purgeAt) this.#purge(idempotency.now);
    const record = { ...idempotency };
    this.#records.set(recordKeyOf(owner, idempotency), record);
    return record;
  }

  /** Deletes all expired records. The growing threshold makes the amortised cost of a write constant. */
  #purge(now: Timestamp): void {
    for (const [name, { expires_at }] of this.#records) if (expires_at <= now) this.#records.delete(name);
    this.#purgeAt = Math.max(PURGE_MIN, 2 * this.#records.size);
  }
}

function recordKeyOf(owner: Owner, { key }: Idempotency): string {
  return JSON.stringify([owner, key]);
}
