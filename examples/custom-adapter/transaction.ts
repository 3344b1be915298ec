import type { DatabaseSync } from 'node:sqlite';
import type { Unavailable } from '@orders/domain';
import { err, type Result, ResultAsync } from 'neverthrow';

/** Runs `write` in a transaction that no other writer can interleave with: kept on success, undone otherwise. */
export function inTransaction<T, E>(db: DatabaseSync, write: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  return answer<T, E>(() => {
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

/** The one place that catches: what SQLite throws becomes `unavailable`; anything else is a bug and stays thrown. */
export function answer<T, E>(ask: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  const asked = (): Result<T, E | Unavailable> => {
    try {
      return ask();
    } catch (cause) {
      if (isSqliteError(cause)) return err({ type: 'unavailable', cause });
      throw cause;
    }
  };
  return new ResultAsync(new Promise((resolve) => resolve(asked())));
}

/** A file that is locked, full, broken or closed. */
function isSqliteError(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return code === 'ERR_SQLITE_ERROR' || code === 'ERR_INVALID_STATE';
}
