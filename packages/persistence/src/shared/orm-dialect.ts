import { PostgresDialect, type PostgresCursor, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import type { Connections, Reserved } from './connections.ts';

/**
 * Kysely's dialect over these connections, for what MikroORM executes: it waits for a connection of the share that
 * belongs to no owner, and a connection of no use is closed, both as for prepared statements.
 *
 * Not for transactions: MikroORM 7.2.1 does not return a connection that is lost in one.
 */
export function ormDialect(connections: Connections): PostgresDialect {
  return new PostgresDialect({
    pool: {
      options: connections.pool.options,
      connect: async () => new ReservedClient(await connections.reserve()),
      // The pool outlives MikroORM, which would end it only if it had asked for a connection.
      end: () => Promise.resolve(),
    },
  });
}

class ReservedClient implements PostgresPoolClient {
  readonly #reserved: Reserved;

  constructor(reserved: Reserved) {
    this.#reserved = reserved;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(statement: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof statement !== 'string') throw new TypeError('no statement of MikroORM is streamed');
    return this.#reserved.query(statement, parameters);
  }

  release(): void {
    this.#reserved.release();
  }
}
