import type { PoolClient } from 'pg';
import type { Executor } from './executor.ts';
import { type ParameterTexts, type Prepared, sendPrepared } from './prepared-query.ts';

/** Options for sending statements over a connection. */
export interface Sender {
  /** Whether statements are prepared by name, once per connection. */
  readonly named: boolean;
  /** Handles a failure, and returns whether the session is unusable after it. */
  readonly endsSession: (cause: unknown) => boolean;
}

/**
 * Runs `work` in a transaction on a connection, and rolls back when it throws. Then calls `release` with whether the
 * session is unusable.
 */
export async function inTransaction<T>(
  sender: Sender,
  client: PoolClient,
  work: (transaction: Executor) => Promise<T>,
  release: (isUnusable: boolean) => void,
): Promise<T> {
  const session = { isUnusable: false };
  const trackFailure = <R>(response: Promise<R>): Promise<R> =>
    response.catch((cause: unknown) => {
      session.isUnusable ||= sender.endsSession(cause);
      throw cause;
    });
  const run = async (script: string): Promise<void> => {
    await trackFailure(client.query(script));
  };
  const execute = <Row>(statement: Prepared, values: ParameterTexts) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      sendPrepared<Row>(sender, client, statement, values, (cause, rows) => (cause ? reject(cause) : resolve(rows)));
    });
  try {
    await run('begin');
    const result = await work({
      isTransaction: true,
      execute: (statement, values) => trackFailure(execute(statement, values)),
      run,
    });
    await run('commit');
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
