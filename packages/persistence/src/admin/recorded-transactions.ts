import type { OrderDefinition, Owner, Unavailable } from '@orders/domain';
import { type Result, ResultAsync } from 'neverthrow';
import type { Database } from '../database/database.ts';
import { toUnavailable } from '../postgres/postgres-errors.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import { retried } from '../transaction/retried.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { type AuditEntry, postgresAudit } from './audit.ts';

/** Does work for an owner, and records what `entryOf` returns of its result: both or neither. Returns what the work returned. */
export type RecordedTransaction = <T, E>(
  owner: Owner,
  work: (transaction: Transaction<unknown, OrderDefinition>) => PromiseLike<Result<T, E>>,
  entryOf: (result: T) => AuditEntry,
) => ResultAsync<T, E | Unavailable>;

/**
 * Returns what works in one transaction, whose last statement is the record. One that failed without an effect is made again.
 * Work that returns an error is neither stored nor recorded.
 */
export function recordedTransactions(database: Database<unknown, OrderDefinition>): RecordedTransaction {
  const audit = postgresAudit(database);
  return (owner, work, entryOf) => {
    const attempt = () =>
      database.transaction(
        async (transaction) => {
          const result = await work(transaction);
          if (result.isOk()) await audit.recordWithin(transaction.client, entryOf(result.value));
          return result;
        },
        { owner },
      );
    return ResultAsync.fromPromise(retried(attempt), toUnavailable)
      .andThen((result) => result)
      .mapErr((error) => (error instanceof TransactionFailed ? { type: 'unavailable', cause: error } : error));
  };
}
