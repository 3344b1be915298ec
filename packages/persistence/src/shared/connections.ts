import type { Client, Pool } from 'pg';
import { isOver } from './postgres-errors.ts';
import { type Ended, type ParameterTexts, type Prepared, PreparedQuery } from './prepared-query.ts';

/** What runs statements: a pool, each of them on any connection, or a transaction. */
export interface Executor {
  readonly isTransaction: boolean;
  execute<Row>(statement: Prepared, values: ParameterTexts): Promise<readonly Row[]>;
  /** Runs statements without values, and leaves their rows. */
  run(script: string): Promise<void>;
}

/** The connections to one PostgreSQL. */
export interface Connections extends Executor {
  readonly pool: Pool;
  /** Does `work` in a transaction, which is rolled back when it throws; what it threw is thrown on. */
  transaction<T>(work: (transaction: Executor) => Promise<T>): Promise<T>;
}

/**
 * Uses the connections of a pool, which are given up when PostgreSQL says that it ends them, or says nothing for too
 * long: `pg` would hand them out again until it sees the socket go.
 *
 * @param named whether a statement is prepared by name, once for a connection
 */
export function connectionsOf(pool: Pool, named: boolean): Connections {
  const send = <Row>(client: Client, { name, text }: Prepared, values: ParameterTexts, ended: Ended<Row>): void => {
    client.query(new PreparedQuery<Row>({ name: named ? name : '', text }, values, ended));
  };
  return {
    pool,
    isTransaction: false,

    execute: <Row>(statement: Prepared, values: ParameterTexts) =>
      new Promise<readonly Row[]>((resolve, reject) => {
        pool.connect((unconnected, client, release) => {
          if (!client) {
            reject(unconnected ?? new Error('the pool has no connection'));
            return;
          }
          send<Row>(client, statement, values, (cause, rows) => {
            release(isOver(cause));
            if (cause) reject(cause);
            else resolve(rows);
          });
        });
      }),

    run: async (script) => {
      await pool.query(script);
    },

    transaction: async (work) => {
      const client = await pool.connect();
      const session = { isOver: false };
      const watched = <T>(answer: Promise<T>): Promise<T> =>
        answer.catch((cause: unknown) => {
          session.isOver ||= isOver(cause);
          throw cause;
        });
      const run = async (script: string): Promise<void> => {
        await watched(client.query(script));
      };
      const execute = <Row>(statement: Prepared, values: ParameterTexts) =>
        new Promise<readonly Row[]>((resolve, reject) => {
          send<Row>(client, statement, values, (cause, rows) => (cause ? reject(cause) : resolve(rows)));
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
        // It may fail, because the connection is lost or for another reason: nobody may go on in this transaction.
        if (!session.isOver) {
          await run('rollback').catch(() => {
            session.isOver = true;
          });
        }
        throw cause;
      } finally {
        client.release(session.isOver);
      }
    },
  };
}
