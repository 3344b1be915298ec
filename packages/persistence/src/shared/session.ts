import type { PoolClient } from 'pg';
import type { Executor } from './executor.ts';
import { type Ended, type ParameterTexts, type Prepared, PreparedQuery } from './prepared-query.ts';

/** Sends statements over a connection. */
export interface Sender {
  /** Whether a statement is prepared by name, once for a connection. */
  readonly named: boolean;
  /** Learns from a failure, and returns whether the session is of no use after it. */
  readonly endsSession: (cause: unknown) => boolean;
}

export function send<Row>(
  { named }: Sender,
  client: PoolClient,
  { name, text }: Prepared,
  values: ParameterTexts,
  ended: Ended<Row>,
): void {
  client.query(new PreparedQuery<Row>({ name: named ? name : '', text }, values, ended));
}

/**
 * Does `work` in a transaction of a connection, which is rolled back when it throws, and calls `release` with whether
 * the session is of no use afterwards.
 */
export async function inTransaction<T>(
  sender: Sender,
  client: PoolClient,
  work: (transaction: Executor) => Promise<T>,
  release: (isUseless: boolean) => void,
): Promise<T> {
  const session = { isOver: false };
  const watched = <R>(response: Promise<R>): Promise<R> =>
    response.catch((cause: unknown) => {
      session.isOver ||= sender.endsSession(cause);
      throw cause;
    });
  const run = async (script: string): Promise<void> => {
    await watched(client.query(script));
  };
  const execute = <Row>(statement: Prepared, values: ParameterTexts) =>
    new Promise<readonly Row[]>((resolve, reject) => {
      send<Row>(sender, client, statement, values, (cause, rows) => (cause ? reject(cause) : resolve(rows)));
    });
  try {
    await run('begin');
    const result = await work({
      isTransaction: true,
      execute: (statement, values) => watched(execute(statement, values)),
      run,
    });
    await run('commit');
    return result;
  } catch (cause) {
    // When the rollback fails, for whatever reason, the connection must not be used again.
    if (!session.isOver) {
      await run('rollback').catch(() => {
        session.isOver = true;
      });
    }
    throw cause;
  } finally {
    release(session.isOver);
  }
}
