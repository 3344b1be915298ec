import type { ClientBase, CustomTypesConfig, PoolClient, QueryResult } from 'pg';
import type { Executor } from './executor.ts';
import { TransactionFailed } from '../transaction/transaction-failed.ts';
import { type ParameterTexts, type Prepared, sendPrepared } from './prepared-query.ts';

/** Options for sending statements over a connection. */
export interface Sender {
  /** Whether statements are prepared by name, once per connection. */
  readonly named: boolean;
  /** Handles a failure, and returns whether the session is unusable after it. */
  readonly endsSession: (cause: unknown) => boolean;
}

/** A connection in a transaction. */
export interface TransactionSession extends Executor {
  readonly isTransaction: true;
  /** Runs a statement that is not prepared, and parses its rows by `types`. */
  query(text: string, values: readonly unknown[], types: CustomTypesConfig): Promise<QueryResult>;
}

/**
 * Runs `work` in a transaction on a connection, and rolls back when it throws. Then calls `release` with whether the
 * session is unusable.
 */
export async function inTransaction<T>(
  sender: Sender,
  client: PoolClient,
  work: (transaction: TransactionSession) => Promise<T>,
  release: (isUnusable: boolean) => void,
): Promise<T> {
  const session = { isUnusable: false };
  const trackFailure = <R>(response: Promise<R>): Promise<R> =>
    response.catch((cause: unknown) => {
      session.isUnusable ||= sender.endsSession(cause);
      throw cause;
    });
  const run = (script: string): Promise<QueryResult> => trackFailure(client.query(script));
  // Early releases of `pg` 8, which a host may use, do not know it.
  const { status }: { status: Partial<Pick<PoolClient, 'getTransactionStatus'>> } = { status: client };
  const assertOpen = (): void => {
    if (status.getTransactionStatus?.() === IDLE) throw new EndedByHost();
  };
  try {
    await run('begin');
    const result = await work({
      isTransaction: true,
      execute: (statement, values) => trackFailure(executeOn(sender, client, statement, values)),
      run: async (script) => {
        await run(script);
      },
      query: async (text, values, types) => {
        const response = await trackFailure(client.query({ text, values: [...values], types }));
        assertOpen();
        return response;
      },
    });
    assertOpen();
    const { command } = await run('commit');
    // PostgreSQL commits no transaction in which a statement has failed, and reports that without an error.
    if (command === 'ROLLBACK') {
      const message = 'a statement of the transaction had failed when it was committed';
      throw new TransactionFailed(message, { outcome: 'rolled_back', retryable: false, cause: undefined });
    }
    return result;
  } catch (cause) {
    // After a failed rollback, whatever its cause, the connection must not be reused.
    if (!session.isUnusable) {
      await run('rollback').catch(() => {
        session.isUnusable = true;
      });
    }
    throw cause;
  } finally {
    release(session.isUnusable);
  }
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
  sender: Pick<Sender, 'named'>,
  client: ClientBase,
  statement: Prepared,
  values: ParameterTexts,
): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    sendPrepared<Row>(sender, client, statement, values, (cause, rows) => (cause ? reject(cause) : resolve(rows)));
  });
}
