import type { DatabaseSync } from 'node:sqlite';
import type { Unavailable } from '@orders/domain';
import { type Result, ResultAsync } from 'neverthrow';

/** Runs `work` in a transaction in which no other write interleaves. It is committed on success, else rolled back. */
export function inTransaction<T, E>(db: DatabaseSync, work: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  return orUnavailable(() => {
    db.exec('begin immediate');
    try {
      const result = work();
      if (result.isOk()) db.exec('commit');
      return result;
    } finally {
      if (db.isOpen && db.isTransaction) db.exec('rollback');
    }
  });
}

/** Runs `work` at once, before the caller can change an argument. A failure of SQLite is the error `unavailable`. */
export function orUnavailable<T, E>(work: () => Result<T, E>): ResultAsync<T, E | Unavailable> {
  const done = new Promise<Result<T, E>>((resolve) => resolve(work()));
  return ResultAsync.fromPromise(done, toUnavailable).andThen((result) => result);
}

/** A file that is locked, full, broken or closed. Any other exception is a bug, with which the promise rejects. */
function toUnavailable(cause: unknown): Unavailable {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'ERR_SQLITE_ERROR' && code !== 'ERR_INVALID_STATE') throw cause;
  return { type: 'unavailable', cause };
}
