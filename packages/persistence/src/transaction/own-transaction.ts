import type { Domain, OrderDefinition } from '@orders/domain';
import { assertResult, countWrites, type ErrOf, isResult, type OkOf, type Work } from '@orders/domain/runtime';
import { err, type Result, ResultAsync } from 'neverthrow';
import pg from 'pg';
import type { RepositoryConnections, WriteListener } from '../postgres/repository-connections.ts';
import type { Connections } from '../postgres/connections.ts';
import { errorCode } from '../postgres/error-code.ts';
import { runInTransaction } from '../postgres/open-transactions.ts';
import { isRejected, isUnavailable } from '../postgres/postgres-errors.ts';
import { isNotSent } from '../postgres/unreachable-database.ts';
import { EndedByHost, type TransactionSession } from '../postgres/session.ts';
import { boundStatements } from '../sql/bound-statements.ts';
import type { HostEntityManager } from './host.ts';
import { failureOf, type TransactionConnections, transactionConnections } from './transaction-connections.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import type { Transaction, TransactionClient, TransactionOptions } from './transaction.ts';

/** What a transaction is made of. */
export interface TransactionParts<Em, D extends OrderDefinition> {
  readonly primary: Connections;
  /** The PostgreSQL schema of the tables. */
  readonly schema: string;
  readonly writeListeners: Iterable<WriteListener>;
  /** Returns the use cases over these connections. */
  readonly bindDomain: (connections: RepositoryConnections) => Domain<D>;
  /** Time from its beginning after which it is rolled back, in milliseconds. */
  readonly timeoutMs: number;
  /** The `EntityManager` of the host, if there is one. */
  readonly em: (Em & HostEntityManager) | undefined;
}

/** See {@link Database.transaction}. */
export function runTransaction<Em, D extends OrderDefinition, R>(
  parts: TransactionParts<Em, D>,
  work: (transaction: Transaction<Em, D>) => Work<R>,
  { owner }: TransactionOptions = {},
): ResultAsync<OkOf<R>, ErrOf<R> | TransactionFailed> {
  const run = async (): Promise<Result<unknown, unknown>> => {
    const progress: { connections?: TransactionConnections; isCommitting?: true } = {};
    try {
      const committed = await parts.primary.transaction(
        async (session) => {
          const bound = boundStatements(session, parts.schema, session.id, () => new EndedByHost());
          progress.connections = transactionConnections(bound);
          const result = await runWork(parts, session, progress.connections, work);
          progress.isCommitting = true;
          return result;
        },
        owner,
        { timeoutMs: parts.timeoutMs },
      );
      for (const written of progress.connections?.written ?? []) {
        for (const listener of parts.writeListeners) listener.written(written);
      }
      return committed;
    } catch (cause) {
      if (cause instanceof RolledBack) return rolledBack(progress.connections, cause);
      if (progress.isCommitting) return err(commitFailed(cause));
      const failure = failureOfWork(progress.connections, cause);
      if (failure) return err(failure);
      throw cause;
    }
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result is that of `work`, or a failure
  return new ResultAsync(run()) as ResultAsync<OkOf<R>, ErrOf<R> | TransactionFailed>;
}

/** Returns the result of work that returned an error. A failure of the database, which caused that error, comes first. */
function rolledBack(connections: TransactionConnections | undefined, { result }: RolledBack): Result<unknown, unknown> {
  const failure = connections?.failure;
  return failure ? err(failure) : result;
}

/** Returns the failure of the database because of which the work threw, if it did so; otherwise `null`. */
function failureOfWork(connections: TransactionConnections | undefined, cause: unknown): TransactionFailed | null {
  // Not even the transaction has begun.
  if (!connections) return failureOf(cause);
  const { failure, hostFailure } = connections;
  if (failure) return failure;
  // The work may as well throw the error of another system, which looks the same.
  return hostFailure && errorCode(cause) === errorCode(hostFailure.cause) ? hostFailure : null;
}

/** Carries an error out of the transaction, which rolls it back. */
class RolledBack extends Error {
  readonly result: Result<unknown, unknown>;

  constructor(result: Result<unknown, unknown>) {
    super('the transaction was rolled back');
    this.result = result;
  }
}

/** Runs the caller's work. Returns its result for a commit; throws to roll back. */
async function runWork<Em, D extends OrderDefinition>(
  { primary, bindDomain, em: hostEm }: TransactionParts<Em, D>,
  session: TransactionSession,
  connections: TransactionConnections,
  work: (transaction: Transaction<Em, D>) => unknown,
): Promise<Result<unknown, unknown>> {
  const query: TransactionSession['query'] = (text, values, parsers) =>
    connections.host(() => session.query(text, values, parsers));
  const client: TransactionClient = { query: (text, values = []) => query(text, values, pg.types) };
  const em = hostEm && (await forkInto(hostEm, query));
  try {
    const { domain, assertHandled } = countWrites(bindDomain(connections));
    const returned = await runInTransaction(primary, async () => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- without a host's EntityManager, `Em` is undefined
      const result = await work({ domain, em: em as Em, client, connections });
      if (isResult(result) && result.isOk()) await em?.flush();
      return result;
    });
    const result = assertResult(returned);
    if (result.isErr()) throw new RolledBack(result);
    await connections.end();
    if (connections.failure) throw connections.failure;
    assertHandled();
    return result;
  } finally {
    await connections.end();
  }
}

async function forkInto<Em extends HostEntityManager>(host: Em, query: TransactionSession['query']): Promise<Em> {
  const em = host.fork();
  // MikroORM applies it where it begins a transaction. Without it, policies of row level security would not hold.
  if (em.getSessionContext?.()) throw new TypeError('an EntityManager with a session context is not supported');
  const { ormTransaction } = await import('./orm-transaction.ts');
  em.setTransactionContext(await ormTransaction(query));
  return em;
}

/** Returns the failure of a transaction whose COMMIT failed. A violated constraint that was deferred is thrown. */
function commitFailed(cause: unknown): TransactionFailed {
  if (cause instanceof TransactionFailed) return cause;
  if (cause instanceof EndedByHost) throw cause;
  const message = 'COMMIT failed';
  if (isNotSent(cause)) return new TransactionFailed(message, { outcome: 'rolled_back', retryable: true, cause });
  if (!isRejected(cause))
    return new TransactionFailed('the response to COMMIT was lost', { outcome: 'unknown', retryable: false, cause });
  if (!isUnavailable(cause)) throw cause;
  return new TransactionFailed(message, { outcome: 'rolled_back', retryable: true, cause });
}
