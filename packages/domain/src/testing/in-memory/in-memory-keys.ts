import { err, ok, type Result } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency, KeyReused } from '../../shared/idempotency.ts';

/** How many keys are recorded before expired ones are looked for. */
const PURGE_MIN = 1000;

/**
 * The idempotency keys of all kinds of writes: which command each belongs to, and until when. A write that records a key
 * purges the expired ones, so that at most twice as many are kept as had not expired at the last purge, or a thousand.
 */
export class InMemoryKeys {
  readonly #records = new Map<string, Idempotency>();
  #purgeAt = PURGE_MIN;

  /** Every record that is kept; each object stands for one write, and goes when the record is purged. */
  records(): Iterable<Idempotency> {
    return this.#records.values();
  }

  /** The record of the write that used the key; `null` when the key is free. */
  findRecord(owner: Owner, idempotency: Idempotency | undefined): Result<Idempotency | null, KeyReused> {
    if (!idempotency) return ok(null);
    const found = this.#records.get(recordKeyOf(owner, idempotency));
    if (!found || found.expires_at <= idempotency.now) return ok(null);
    return found.fingerprint === idempotency.fingerprint ? ok(found) : err({ type: 'idempotency_key_reused' });
  }

  /** Takes the key, and returns the record to leave the write's result under. */
  claim(owner: Owner, idempotency: Idempotency): Idempotency {
    if (this.#records.size >= this.#purgeAt) this.#purge(idempotency.now);
    const record = { ...idempotency };
    this.#records.set(recordKeyOf(owner, idempotency), record);
    return record;
  }

  /** Looks at every record, but not again before as many writes as records were left: a constant share of each write. */
  #purge(now: Timestamp): void {
    for (const [name, { expires_at }] of this.#records) if (expires_at <= now) this.#records.delete(name);
    this.#purgeAt = Math.max(PURGE_MIN, 2 * this.#records.size);
  }
}

function recordKeyOf(owner: Owner, { key }: Idempotency): string {
  return JSON.stringify([owner, key]);
}
