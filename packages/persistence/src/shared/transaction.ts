import { CompiledQuery } from 'kysely';
import type { Orm } from '../database.ts';
import type { Executor } from './statement.ts';

const [BEGIN, COMMIT, ROLLBACK] = [
  CompiledQuery.raw('begin'),
  CompiledQuery.raw('commit'),
  CompiledQuery.raw('rollback'),
];

/**
 * Does `work` in a transaction, which is rolled back when it throws; what it threw is thrown on.
 *
 * On a connection of MikroORM's pool, but not by its `transactional`, which keeps the connection for good when it is lost
 * on the way: each loss would leave the pool one smaller. Nor by Kysely's, which tells of the rollback that failed on the
 * lost connection, as of one that never carried anything, instead of the commit before it, which may have happened.
 */
export async function inTransaction<T>(orm: Orm, work: (transaction: Executor) => Promise<T>): Promise<T> {
  return await orm.em
    .getKysely()
    .connection()
    .execute(async (connection) => {
      await connection.executeQuery(BEGIN);
      try {
        const result = await work({ isTransaction: true, executeQuery: (query) => connection.executeQuery(query) });
        await connection.executeQuery(COMMIT);
        return result;
      } catch (cause) {
        // A rollback fails when the connection is lost, and with it the transaction.
        await connection.executeQuery(ROLLBACK).catch(() => undefined);
        throw cause;
      }
    });
}
