import type { ClientBase, CustomTypesConfig, PoolClient, QueryResult } from 'pg';
import { errorCode } from './error-code.ts';
import type { ScriptExecutor } from './executor.ts';
import { TransactionFailed } from './transaction-failed.ts';
import { TRANSACTION } from './transaction-identity.ts';
import { type ParameterTexts, type Prepared, type Sending, sendPrepared } from './prepared-query.ts';

/** Options for sending statements over a connection. */
export interface Sender extends Sending {
  /** Handles a failure, and returns whether the session is unusable after it. */
  readonly endsSession: (cause: unknown) => boolean;
}

/** A connection in a transaction. */
export interface TransactionSession extends ScriptExecutor {
  readonly isTransaction: true;
  /** Its {@link TRANSACTION}; empty if no statements of a host run in it. */
  readonly id: string;
  /** Runs a statement that is not prepared, and parses its rows by `types`. */
  query(text: string, values: readonly unknown[], types: CustomTypesConfig): Promise<QueryResult>;
}

/** What became of a session during a transaction. */
export interface UsedSession {
  /** Whether its connection must be closed. */
  isUnusable: boolean;
  /** Whether statements of a host have run, which may have changed its settings. */
  isTouched: boolean;
}

/** Options of a transaction in which statements of a host run. */
export interface HostTransactionOptions {
  /** Time from the beginning after which it is rolled back, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * The savepoint that encloses the statements of a host. It ends with its transaction, so that its release fails in any
 * other, and PostgreSQL rejects another isolation within it.
 */
const ENCLOSING = 'orders_transaction';

/**
 * Runs `work` in a transaction on a connection, and rolls back when it throws. Then calls `release` with what became of
 * the session.
 *
 * @param host for a transaction in which statements of a host run. Default: none do
 */
export async function inTransaction<T>(
  sender: Sender,
  client: PoolClient,
  work: (transaction: TransactionSession) => Promise<T>,
  release: (session: UsedSession) => void,
  host?: HostTransactionOptions,
): Promise<T> {
  const session: UsedSession = { isUnusable: false, isTouched: false };
  /** Settles when the last statement has ended. */
  let last: Promise<unknown> = Promise.resolve();
  const trackFailure = <R>(response: Promise<R>): Promise<R> => {
    const tracked = response.catch((cause: unknown) => {
      session.isUnusable ||= sender.endsSession(cause);
      throw cause;
    });
    last = tracked.catch(() => undefined);
    return tracked;
  };
  const run = (script: string): Promise<QueryResult> => trackFailure(client.query(script));
  /** Rolls back. After a failed rollback, whatever its cause, the connection must not be reused. */
  const rollBack = async (): Promise<void> => {
    if (session.isUnusable) return;
    await run('rollback').catch(() => {
      session.isUnusable = true;
    });
  };
  // Early releases of `pg` 8, which a host may use, do not know it.
  const { status }: { status: Partial<Pick<PoolClient, 'getTransactionStatus'>> } = { status: client };
  let expired: TransactionFailed | undefined;
  let rolledBack: Promise<void> | undefined;
  const assertOpen = (): void => {
    if (expired) throw expired;
    if (status.getTransactionStatus?.() === IDLE) throw new EndedByHost();
  };
  const expire = (timeoutMs: number): void => {
    const message = `the transaction had not ended after ${timeoutMs} ms`;
    expired = new TransactionFailed(message, { outcome: 'rolled_back', retryable: true, cause: undefined });
    rolledBack = last.then(rollBack);
  };
  const unlessExpired = async <R>(send: () => Promise<R>): Promise<R> => {
    if (expired) throw expired;
    return await trackFailure(send());
  };
  let timer: NodeJS.Timeout | undefined;
  const begin = async (): Promise<string> => {
    if (!host) {
      await run('begin');
      return '';
    }
    // `pg` returns a result for each statement of a script.
    const results = [await run(`begin; savepoint ${ENCLOSING}; select ${TRANSACTION} as id`)].flat();
    timer = setTimeout(() => expire(host.timeoutMs), host.timeoutMs);
    return idOf(results.at(-1)?.rows[0]);
  };
  const commit = async (): Promise<void> => {
    assertOpen();
    clearTimeout(timer);
    if (host) {
      await run(`release savepoint ${ENCLOSING}; commit`).catch(endOfHost);
      return;
    }
    const { command } = await run('commit');
    // PostgreSQL commits no transaction in which a statement has failed, and reports that without an error.
    if (command === 'ROLLBACK') throw failedEarlier(undefined);
  };
  try {
    const id = await begin();
    const result = await work({
      isTransaction: true,
      id,
      execute: (statement, values) => unlessExpired(() => executeOn(sender, client, statement, values)),
      run: async (script) => {
        await unlessExpired(() => client.query(script));
      },
      query: async (text, values, types) => {
        session.isTouched = true;
        const response = await unlessExpired(() => client.query({ text, values: [...values], types }));
        assertOpen();
        return response;
      },
    });
    await commit();
    return result;
  } catch (cause) {
    await (rolledBack ?? rollBack());
    throw cause;
  } finally {
    clearTimeout(timer);
    release(session);
  }
}

/** Returns the {@link TRANSACTION} of a row. */
export function idOf(row: unknown): string {
  if (typeof row === 'object' && row !== null && 'id' in row && typeof row.id === 'string') return row.id;
  throw new TypeError('the session did not return its transaction');
}

/** The SQLSTATE codes of the release of a savepoint that does not exist, and of one without a transaction. */
const NO_SAVEPOINT = /^(3B001|25P01)$/;

/** The SQLSTATE code of a statement after a failed one of the same transaction. */
const ABORTED = '25P02';

/** Throws the failure of a commit, by what the statements of a host have done to their transaction. */
function endOfHost(cause: unknown): never {
  const code = errorCode(cause);
  if (NO_SAVEPOINT.test(code)) throw new EndedByHost();
  throw code === ABORTED ? failedEarlier(cause) : cause;
}

function failedEarlier(cause: unknown): TransactionFailed {
  const message = 'a statement of the transaction had failed when it was committed';
  return new TransactionFailed(message, { outcome: 'rolled_back', retryable: false, cause });
}

/** The status of a session without a transaction, as PostgreSQL reports it. */
const IDLE = 'I';

/** Error: a statement of the host has ended the transaction. */
export class EndedByHost extends TypeError {
  constructor() {
    super('a statement ended the transaction: return ok() to commit, err() to roll back');
  }
}

/** Executes a statement on a connection. */
export function executeOn<Row>(
  sender: Sending,
  client: ClientBase,
  statement: Prepared,
  values: ParameterTexts,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    sendPrepared<Row>(sender, client, statement, values, (cause, rows) => (cause ? reject(cause) : resolve(rows)));
  });
}
