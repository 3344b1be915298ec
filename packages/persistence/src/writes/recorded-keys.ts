import { hash } from 'node:crypto';
import type { Idempotency, Owner } from '@orders/domain';
import type { Executor } from '../postgres/executor.ts';
import { readTimestamp } from '../tables/timestamp-type.ts';
import type { ColumnValues } from './write-functions.ts';
import type { IdempotencyStatements, RecordedWrite } from './idempotency-statements.ts';

/** The key of a write without one. An empty text, because Citus drops the filter by owner of a comparison with null. */
const NO_KEY = { key: '', fingerprint: '', expires_at: null };

/** Returns the idempotency record of a write, without the version that it refers to. */
export function keyValues(idempotency: Idempotency | undefined): ColumnValues {
  if (!idempotency) return NO_KEY;
  return { key: idempotency.key, fingerprint: digest(idempotency), expires_at: idempotency.expires_at };
}

/** Maximum number of recently used keys. Beyond it the older half is evicted. */
const RECENT_KEYS_MAX = 20_000;

/** The record of a key. */
export interface FoundRecord<Row extends RecordedWrite> {
  readonly record: Row;
  /** Whether a retry gets it: the fingerprints are the same. */
  readonly sameCommand: boolean;
}

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
  async find(executor: Executor, owner: Owner, idempotency: Idempotency): Promise<FoundRecord<Row> | null> {
    const key = { owner_id: owner, key: idempotency.key };
    const [row] = await this.#statements.find(executor, key);
    if (!row) {
      this.#young.delete(idempotency.key);
      this.#old.delete(idempotency.key);
      return null;
    }
    if (!isExpiredLocally(idempotency, row)) return this.#found(idempotency, row);
    const removed = await this.#statements.deleteExpired(executor, { ...key, now: idempotency.now });
    if (removed.length > 0) return null;
    const [current] = await this.#statements.find(executor, key);
    return current ? this.#found(idempotency, current) : null;
  }

  /** Returns the records of several keys, by key. It lacks expired ones, which are looked up alone. */
  async findAll(
    executor: Executor,
    owner: Owner,
    all: readonly Idempotency[],
  ): Promise<ReadonlyMap<string, FoundRecord<Row>>> {
    if (all.length === 0) return new Map();
    const keys = new Map(all.map((idempotency) => [idempotency.key, idempotency]));
    const rows = await this.#statements.findAll(executor, { owner_id: owner, keys: [...keys.keys()] });
    return new Map(
      rows.flatMap((row) => {
        const idempotency = keys.get(row.key);
        if (!idempotency || isExpiredLocally(idempotency, row)) return [];
        return [[row.key, this.#found(idempotency, row)]];
      }),
    );
  }

  #found(idempotency: Idempotency, record: Row): FoundRecord<Row> {
    this.addRecent(idempotency);
    return { record, sameCommand: record.fingerprint === digest(idempotency) };
  }
}

/** Hashes the fingerprint, which may be as long as the command and contain personal data. */
function digest(idempotency: Idempotency): string {
  return hash('sha256', idempotency.fingerprint, 'base64url');
}

/** Whether the record has expired by this server's clock. The database's clock has to confirm it. */
function isExpiredLocally(idempotency: Idempotency, record: RecordedWrite): boolean {
  return readTimestamp(record.expires_at) <= idempotency.now;
}
