import type { Owner } from '@orders/domain';
import type { RepositoryConnections } from '../connected.ts';
import { errorCode } from '../shared/error-code.ts';
import type { Executor } from '../shared/executor.ts';
import { isUnavailable } from '../shared/postgres-errors.ts';
import { TransactionFailed } from './transaction-failed.ts';

/** The connection of one transaction, as the repositories use it. */
export interface TransactionConnections extends RepositoryConnections {
  /** The first failure. Every later statement of the repositories fails with it. */
  readonly failure: TransactionFailed | null;
  /** The owners of the writes. */
  readonly written: ReadonlySet<Owner>;
  /** Waits for the writes that have begun. */
  settled(): Promise<void>;
  /** Rejects every later call of the repositories, and waits for the writes that have begun. */
  end(): Promise<void>;
}

/** The SQLSTATE code of a statement after a failed one of the same transaction. */
const ABORTED = '25P02';

/** The SQLSTATE code of a savepoint without a transaction. */
const NO_TRANSACTION = '25P01';

/**
 * Returns connections whose statements are all part of one transaction, which the caller begins and ends.
 *
 * - A write runs inside a savepoint. After a violated constraint the transaction is as before the write.
 * - Writes run one after the other: a savepoint would otherwise include statements of another write.
 * - After any other failure no savepoint is restored. PostgreSQL then commits nothing of the transaction, even if the
 *   caller ignores the error.
 */
export function transactionConnections(session: Executor): TransactionConnections {
  let failure: TransactionFailed | null = null;
  let isEnded = false;
  const written = new Set<Owner>();
  let last: Promise<unknown> = Promise.resolve();

  const fail = (failed: TransactionFailed): TransactionFailed => {
    failure ??= failed;
    return failure;
  };

  /** Runs a statement. A failure that is no violated constraint ends the use of the transaction. */
  const guarded = async <T>(run: () => Promise<T>): Promise<T> => {
    if (failure) throw failure;
    try {
      return await run();
    } catch (cause) {
      const failed = failureOf(cause);
      throw failed ? fail(failed) : cause;
    }
  };

  const executor: Executor = {
    isTransaction: true,
    execute: (statement, values) => guarded(() => session.execute(statement, values)),
    run: (script) => guarded(() => session.run(script)),
  };

  const assertOpen = (): void => {
    if (isEnded) throw new TypeError('the transaction has ended: await every use case inside it');
  };

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

  const settled = async (): Promise<void> => {
    await last.catch(() => undefined);
  };

  const primary: RepositoryConnections['primary'] = {
    isTransaction: true,
    execute: async (statement, values) => {
      assertOpen();
      return await executor.execute(statement, values);
    },
    run: async (script) => {
      assertOpen();
      await executor.run(script);
    },
    transaction: async (work) => {
      assertOpen();
      const write = settled().then(() => inSavepoint(work));
      last = write;
      return await write;
    },
  };

  return {
    primary,
    readAnywhere: (read) => read(primary),
    conflicts: {
      // The transaction keeps the locks of its earlier statements, so it may be the reason of the conflict.
      retriedForMs: 0,
      unresolved: (cause) =>
        fail(new TransactionFailed('a concurrent write conflicted', { ...ROLLED_BACK, retryable: true, cause })),
    },
    writes: { announce: (owner) => void written.add(owner) },
    written,
    get failure() {
      return failure;
    },
    settled,
    end: () => {
      isEnded = true;
      return settled();
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
  return new TransactionFailed('a statement of the transaction failed', { ...ROLLED_BACK, retryable: true, cause });
}
