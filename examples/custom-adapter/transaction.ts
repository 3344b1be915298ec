import type { DatabaseSync } from 'node:sqlite';
import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';

/** Runs `write` in a transaction that no other writer can interleave with: committed on success, else rolled back. */
export function inTransaction<T, E>(db: DatabaseSync, write: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  return orUnavailable<T, E>(() => {
    db.exec('begin immediate');
    try {
      const result = write();
      db.exec(result.isOk() ? 'commit' : 'rollback');
      return result;
    } finally {
      if (db.isOpen && db.isTransaction) db.exec('rollback');
    }
  });
}

/** Turns an exception of SQLite into `unavailable`. Any other exception is a bug and rejects the promise. */
export function orUnavailable<T, E>(query: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  const attempt = (): Result<T, E | Unavailable> => {
    try {
      return query();
    } catch (cause) {
      if (isSqliteError(cause)) return err({ type: 'unavailable', cause });
      throw cause;
    }
  };
  return new ResultAsync(new Promise((resolve) => resolve(attempt())));
}

/** A file that is locked, full, broken or closed. */
function isSqliteError(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ERR_SQLITE_ERROR' || code === 'ERR_INVALID_STATE';
}
