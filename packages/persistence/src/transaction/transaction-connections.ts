import type { Owner } from '@orders/domain';
import type { RepositoryConnections } from '../database-parts.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { Executor } from '../postgres/executor.ts';
import { isPoolEnded, isReadTimeout, isUnavailable } from '../postgres/postgres-errors.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import { type Turns, turns } from './turns.ts';

/** The connection of one transaction, as the repositories use it. */
export interface TransactionConnections extends RepositoryConnections {
  /** The first failure. Every later statement of the repositories fails with it. */
  readonly failure: TransactionFailed | null;
  /** The owners of the writes. */
  readonly written: ReadonlySet<Owner>;
  /** The first failure of the database in a statement of the host. The host may have rolled back to a savepoint. */
  readonly hostFailure: TransactionFailed | null;
  /** Runs a statement of the host between those of the repositories. */
  host<T>(statement: () => Promise<T>): Promise<T>;
  /** Waits for everything that has begun, then rejects every later call. */
  end(): Promise<void>;
}

/** Options of the connection of a transaction. */
export interface TransactionConnectionsOptions {
  /** The turns of everything that uses the transaction. Default: no other use. */
  readonly order?: Turns;
  /**
   * Whether the host ends the transaction. Then a failure that PostgreSQL does not know of is made known to it, so that
   * it commits nothing. Default: `false`.
   */
  readonly isJoined?: boolean;
}

/** The SQLSTATE code of a statement after a failed one of the same transaction. */
const ABORTED = '25P02';

/** The SQLSTATE code of a savepoint without a transaction. */
const NO_TRANSACTION = '25P01';

/** A statement that fails. PostgreSQL commits nothing of a transaction with a failed statement. */
const FAIL = `do $$ begin raise exception 'a write of orders failed: the transaction must be rolled back'; end $$`;

/**
 * Returns connections whose statements are all part of one transaction, which the caller begins and ends.
 *
 * - A write runs inside a savepoint. After a violated constraint the transaction is as before the write.
 * - Writes, reads and statements of the host run one after the other: a savepoint would otherwise include statements of
 *   others, and a statement that follows a violated constraint would fail.
 * - After any other failure no savepoint is restored. PostgreSQL then commits nothing of the transaction, even if the
 *   caller ignores the error.
 */
export function transactionConnections(
  session: Executor,
  { order = turns(), isJoined = false }: TransactionConnectionsOptions = {},
): TransactionConnections {
  let failure: TransactionFailed | null = null;
  let hostFailure: TransactionFailed | null = null;
  let isEnded = false;
  const written = new Set<Owner>();

  const fail = (failed: TransactionFailed): TransactionFailed => {
    failure ??= failed;
    return failure;
  };

  const failAtServer = async (): Promise<void> => {
    if (isJoined) await session.run(FAIL).catch(() => undefined);
  };

  /** Runs a statement. A failure that is no violated constraint ends the use of the transaction. */
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    if (failure) throw failure;
    try {
      return await run();
    } catch (cause) {
      const failed = failureOf(cause);
      if (!failed) throw cause;
      // A statement without a response in time may still succeed. What follows waits for it at the server.
      if (isReadTimeout(cause)) void failAtServer();
      throw fail(failed);
    }
  };

  const executor: Executor = {
    isTransaction: true,
    execute: (statement, values) => guarded(() => session.execute(statement, values)),
    run: (script) => guarded(() => session.run(script)),
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    order.run(async () => {
      // Checked last: afterwards the session may already be in use for something else.
      if (isEnded) throw new TypeError('the transaction has ended: await everything inside it');
      return await work();
    });

  const inSavepoint = async <T>(work: (executor: Executor) => Promise<T>): Promise<T> => {
    await executor.run('savepoint orders_write');
    try {
      const result = await work(executor);
      await executor.run('release savepoint orders_write');
      return result;
    } catch (cause) {
      if (!failure) await executor.run('rollback to savepoint orders_write; release savepoint orders_write');
      throw cause;
    }
  };

  const primary: RepositoryConnections['primary'] = {
    isTransaction: true,
    execute: (statement, values) => inTurn(() => executor.execute(statement, values)),
    run: (script) => inTurn(() => executor.run(script)),
    transaction: (work) => inTurn(() => inSavepoint(work)),
  };

  return {
    primary,
    readAnywhere: (read) => read(primary),
    conflicts: {
      // The transaction keeps the locks of its earlier statements, so it may be the reason of the conflict.
      retriedForMs: 0,
      unresolved: async (cause) => {
        const failed = new TransactionFailed('a concurrent write conflicted', {
          ...ROLLED_BACK,
          retryable: true,
          cause,
        });
        // The write alone was rolled back.
        await inTurn(failAtServer);
        return fail(failed);
      },
    },
    writeListeners: [{ written: (owner) => void written.add(owner) }],
    written,
    get failure() {
      return failure;
    },
    get hostFailure() {
      return hostFailure;
    },
    host: (statement) =>
      inTurn(statement).catch((cause: unknown) => {
        hostFailure ??= failureOf(cause);
        throw cause;
      }),
    end: async () => {
      await order.idle();
      isEnded = true;
    },
  };
}

const ROLLED_BACK = { outcome: 'rolled_back' } as const;

/**
 * Returns the failure of the transaction after a failed statement; `null` when the statement alone has failed.
 *
 * @throws {TypeError} the connection is not in a transaction
 */
export function failureOf(cause: unknown): TransactionFailed | null {
  if (cause instanceof TransactionFailed) return cause;
  const code = errorCode(cause);
  if (code === NO_TRANSACTION) throw new TypeError('the connection is not in a transaction', { cause });
  if (code === ABORTED) {
    const message = 'an earlier statement of the transaction failed';
    return new TransactionFailed(message, { ...ROLLED_BACK, retryable: false, cause });
  }
  if (!isUnavailable(cause)) return null;
  const message = 'a statement of the transaction failed';
  return new TransactionFailed(message, { ...ROLLED_BACK, retryable: !isPoolEnded(cause), cause });
}
