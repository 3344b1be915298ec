import { err, ok, type Result } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency, KeyReused } from '../../shared/idempotency.ts';

/** Minimum number of records before expired ones are purged. */
const PURGE_MIN = 1000;

/** The version that a write made, or the current one of a write that changed nothing. */
export interface VersionReference {
  readonly aggregate: 'order' | 'customer' | 'webhook_endpoint';
  /** UUID in lower case. */
  readonly id: string;
  readonly version: number;
}

interface KeyRecord extends VersionReference {
  readonly fingerprint: string;
  readonly expires_at: Timestamp;
}

/**
 * The records of the idempotency keys of all writes. They refer to versions and hold no result, so no personal data.
 * New records purge expired ones from time to time. At most twice the records that the last purge kept exist, or
 * {@link PURGE_MIN} if that is more.
 */
export class InMemoryKeys {
  readonly #records = new Map<string, KeyRecord>();
  #purgeAt = PURGE_MIN;

  /** Returns the version that the key refers to, or `null` if the key is unused or expired. */
  findReference(
    owner: Owner,
    aggregate: VersionReference['aggregate'],
    idempotency: Idempotency | undefined,
  ): Result<VersionReference | null, KeyReused> {
    if (!idempotency) return ok(null);
    const found = this.#records.get(recordKeyOf(owner, idempotency));
    if (!found || found.expires_at <= idempotency.now) return ok(null);
    const isRetry = found.fingerprint === idempotency.fingerprint && found.aggregate === aggregate;
    return isRetry ? ok(found) : err({ type: 'idempotency_key_reused' });
  }

  /** Records the version that a retry with the key returns. */
  record(owner: Owner, idempotency: Idempotency, reference: VersionReference): void {
    if (this.#records.size >= this.#purgeAt) this.#purge(idempotency.now);
    const { fingerprint, expires_at } = idempotency;
    this.#records.set(recordKeyOf(owner, idempotency), { ...reference, fingerprint, expires_at });
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
