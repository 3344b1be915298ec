import { createPostgreSqlTypeParsers, Kysely } from '@mikro-orm/postgresql';
import { type ControlledTransaction, PostgresDialect, PostgresDriver, type PostgresDialectConfig } from 'kysely';
import pg from 'pg';
import { ReservedClient } from '../tables/orm-dialect.ts';
import { typesWith } from '../postgres/types-with.ts';
import type { TransactionSession } from '../postgres/session.ts';

/**
 * Returns the transaction of a session in the form that MikroORM executes on. Nested transactions of MikroORM are
 * savepoints of it. It can be neither committed nor rolled back by MikroORM, whose release 7.2.1 would not return a lost
 * connection.
 */
export async function ormTransaction(query: TransactionSession['query']): Promise<ControlledTransaction<unknown>> {
  const client = new ReservedClient({
    query: (text, values = []) => query(text, values, ORM_TYPES),
    // The session is returned to its pool when the transaction has ended.
    release: () => undefined,
  });
  const pool = { options: {}, connect: () => Promise.resolve(client), end: () => Promise.resolve() };
  return await new Kysely<unknown>({ dialect: new OpenTransactionDialect({ pool }) }).startTransaction().execute();
}

class OpenTransactionDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): PostgresDriver {
    return new OpenTransactionDriver(this.#config);
  }
}

class OpenTransactionDriver extends PostgresDriver {
  override async beginTransaction(): Promise<void> {
    // The transaction has begun.
  }

  override commitTransaction(): Promise<void> {
    return Promise.reject(new TypeError(NOT_YOURS));
  }

  override rollbackTransaction(): Promise<void> {
    return Promise.reject(new TypeError(NOT_YOURS));
  }
}

const NOT_YOURS = 'database.transaction() ends the transaction: return ok() to commit, err() to roll back';

// The type definitions of `pg` lack the numbers of arrays.
const TEXT_ARRAY: number = 1009;
// oxlint-disable-next-line typescript/no-unsafe-assignment -- `pg` declares its parsers to return any
const parseTexts: (text: string) => string[] = pg.types.getTypeParser(TEXT_ARRAY);

/** The parsers of MikroORM's own connections. */
const ORM_TYPES = typesWith(createPostgreSqlTypeParsers(parseTexts));
