import type { Domain, OrderDefinition, Owner, Unavailable } from '@orders/domain';
import { type AuditEntry, type Database, postgresAudit, retried, TransactionFailed } from '@orders/persistence';
import { type Result, ResultAsync } from 'neverthrow';

/**
 * Returns what writes for operators: the use cases of one transaction, in which the record of the write is the last statement.
 * One that failed without an effect is made again. `instrumented` wraps the use cases; by default nothing does.
 */
export function auditedWrites(
  database: Database<unknown, OrderDefinition>,
  instrumented: (domain: Domain<OrderDefinition>) => Domain<OrderDefinition> = (domain) => domain,
) {
  const audit = postgresAudit(database);
  return <T, E>(
    owner: Owner,
    work: (domain: Domain<OrderDefinition>) => PromiseLike<Result<T, E>>,
    entryOf: () => AuditEntry,
  ): ResultAsync<T, E | Unavailable> => {
    const attempt = () =>
      database.transaction(
        async ({ domain, client }) => {
          const result = await work(instrumented(domain));
          if (result.isOk()) await audit.recordWithin(client, entryOf());
          return result;
        },
        { owner },
      );
    return ResultAsync.fromPromise(retried(attempt), transactionFailed)
      .andThen((result) => result)
      .mapErr((error) => (error instanceof TransactionFailed ? { type: 'unavailable', cause: error } : error));
  };
}

/** Returns the failure of a transaction that its work has thrown. */
function transactionFailed(thrown: unknown): TransactionFailed {
  if (thrown instanceof TransactionFailed) return thrown;
  throw thrown;
}
