import type { Owner } from '@orders/domain';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { Executor } from '../postgres/executor.ts';
import { isUnavailable } from '../postgres/postgres-errors.ts';
import { isPoolEnded, isReadTimeout } from '../postgres/unreachable-database.ts';
import { TransactionFailed } from '../postgres/transaction-failed.ts';
import type { BoundStatements } from '../sql/bound-statements.ts';
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

/**
 * Returns connections whose statements are all part of one transaction, which the caller begins and ends.
 *
 * - After a violated constraint the transaction is as before the statement. After any other failure PostgreSQL commits
 *   nothing of it, even if the caller ignores the error.
 * - Writes, reads and statements of the host run one after the other: a change reads before it writes.
 */
export function transactionConnections(
  session: BoundStatements,
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
    if (isJoined) await session.fail().catch(() => undefined);
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
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    order.run(async () => {
      // Checked last: afterwards the session may already be in use for something else.
      if (isEnded) throw afterEnd();
      return await work();
    });

  const primary: RepositoryConnections['primary'] = {
    isTransaction: true,
    execute: (statement, values) => inTurn(() => executor.execute(statement, values)),
    transaction: (work) => inTurn(() => work(executor)),
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

/** Returns the error for the use of a transaction after its end. */
export function afterEnd(): TypeError {
  return new TypeError('the transaction has ended: await everything inside it');
}

const ROLLED_BACK = { outcome: 'rolled_back' } as const;

/**
 * Returns the failure of the transaction after a failed statement; `null` when the statement alone has failed.
 */
export function failureOf(cause: unknown): TransactionFailed | null {
  if (cause instanceof TransactionFailed) return cause;
  const code = errorCode(cause);
  if (code === ABORTED) {
    const message = 'an earlier statement of the transaction failed';
    return new TransactionFailed(message, { ...ROLLED_BACK, retryable: false, cause });
  }
  if (!isUnavailable(cause)) return null;
  const message = 'a statement of the transaction failed';
  return new TransactionFailed(message, { ...ROLLED_BACK, retryable: !isPoolEnded(cause), cause });
}
