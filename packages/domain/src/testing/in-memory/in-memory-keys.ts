import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency } from '../../shared/idempotency.ts';

/** Minimum number of records before expired ones are purged. */
const PURGE_MIN = 1000;

/** The record of a key: the version that its write made, or the current one of a write that changed nothing. */
interface KeyRecord {
  readonly aggregate: string;
  /** UUID in lower case. */
  readonly id: string;
  readonly version: number;
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

  /** Takes the records of another one. */
  copyFrom(other: InMemoryKeys): void {
    this.#records.clear();
    for (const [name, record] of other.#records) this.#records.set(name, record);
  }

  /** Returns the record of a key, or `null` if the key is unused or expired. */
  find(owner: Owner, { key, now }: Idempotency): KeyRecord | null {
    const found = this.#records.get(recordKeyOf(owner, key));
    return found && found.expires_at > now ? found : null;
  }

  /** Records the version that a retry with the key returns. */
  record(owner: Owner, idempotency: Idempotency, reference: Pick<KeyRecord, 'aggregate' | 'id' | 'version'>): void {
    if (this.#records.size >= this.#purgeAt) this.#purge(idempotency.now);
    const { key, fingerprint, expires_at } = idempotency;
    this.#records.set(recordKeyOf(owner, key), { ...reference, fingerprint, expires_at });
  }

  /** Deletes all expired records. The growing threshold makes the amortised cost of a write constant. */
  #purge(now: Timestamp): void {
    for (const [name, { expires_at }] of this.#records) if (expires_at <= now) this.#records.delete(name);
    this.#purgeAt = Math.max(PURGE_MIN, 2 * this.#records.size);
  }
}

function recordKeyOf(owner: Owner, key: string): string {
  return JSON.stringify([owner, key]);
}
