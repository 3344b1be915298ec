import type { Idempotency, KeyReused, Owner } from '@orders/domain';
import { ok, type Result } from 'neverthrow';
import type { Executor } from '../shared/executor.ts';
import { isExpiredLocally, type RecordedWrite, verifyRecord } from './idempotency-record.ts';
import type { IdempotencyStatements } from './idempotency-statements.ts';

/** Maximum number of recently used keys. Beyond it the older half is evicted. */
const RECENT_KEYS_MAX = 20_000;

/** The idempotency keys of the writes of one kind of aggregate. */
export class RecordedKeys<Row extends RecordedWrite> {
  readonly #statements: IdempotencyStatements<Row>;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(statements: IdempotencyStatements<Row>) {
    this.#statements = statements;
  }

  /**
   * Whether this process used the key recently. Most retries follow soon, in the same process; their record is looked up
   * before anything else. A hint without owners: a false positive costs one lookup.
   */
  isRecent(idempotency: Idempotency | undefined): boolean {
    return idempotency !== undefined && (this.#young.has(idempotency.key) || this.#old.has(idempotency.key));
  }

  addRecent(idempotency: Idempotency | undefined): void {
    if (!idempotency) return;
    if (this.#young.size >= RECENT_KEYS_MAX / 2) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(idempotency.key);
  }

  /**
   * Returns the record of a key; `null` without one. Deletes an expired record; one that is expired by this server's
   * clock alone is still valid.
   */
  async find(executor: Executor, owner: Owner, idempotency: Idempotency): Promise<Result<Row | null, KeyReused>> {
    const key = { owner_id: owner, key: idempotency.key };
    const [row] = await this.#statements.find(executor, { idempotency: key });
    if (!row) {
      this.#young.delete(idempotency.key);
      this.#old.delete(idempotency.key);
      return ok(null);
    }
    if (!isExpiredLocally(idempotency, row)) return verifyRecord(idempotency, row);
    const removed = await this.#statements.deleteExpired(executor, { idempotency: { ...key, now: idempotency.now } });
    if (removed.length > 0) return ok(null);
    const [current] = await this.#statements.find(executor, { idempotency: key });
    return current ? verifyRecord(idempotency, current) : ok(null);
  }
}
