import { PostgresDialect, type PostgresCursor, type PostgresPoolClient, type PostgresQueryResult } from 'kysely';
import type { Connections, Reserved } from '../postgres/connections.ts';

/**
 * Returns a Kysely dialect over these connections, for the statements of MikroORM. They wait for a connection of the
 * share without an owner, and unusable connections are closed, both as for prepared statements.
 *
 * Not for transactions: MikroORM 7.2.1 does not return a connection that is lost during one.
 */
export function ormDialect(connections: Connections): PostgresDialect {
  return new PostgresDialect({
    pool: {
      options: connections.pool.options,
      connect: async () => new ReservedClient(await connections.reserve()),
      // The pool outlives MikroORM, which would otherwise end it if it had used a connection.
      end: () => Promise.resolve(),
    },
  });
}

/** A client of Kysely over one connection, for statements that MikroORM sends as text. */
export class ReservedClient implements PostgresPoolClient {
  readonly #reserved: Reserved;

  constructor(reserved: Reserved) {
    this.#reserved = reserved;
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query(statement: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof statement !== 'string') throw new TypeError('MikroORM requested a cursor, which is not supported');
    return this.#reserved.query(statement, parameters);
  }

  release(): void {
    this.#reserved.release();
  }
}
