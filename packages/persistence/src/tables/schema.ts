import { createHash } from 'node:crypto';

/** The table in it that records the applied migrations. */
export const MIGRATIONS_TABLE = 'schema_migrations';

/**
 * A name that PostgreSQL neither folds nor cuts, and that is none of its own. MikroORM leaves out the name `public`, so that the
 * search path would decide.
 */
const NAME = /^(?!pg_|(?:information_schema|public)$)[a-z_][a-z0-9_]{0,62}$/;

/**
 * Returns the name of the PostgreSQL schema of the tables, `orders` by default. Nothing is sent to the database before it is
 * valid.
 *
 * @throws {TypeError} the name is none of a schema of one's own
 */
export function schemaName(name = 'orders'): string {
  if (NAME.test(name)) return name;
  throw new TypeError(
    'the name of the schema must be 1 to 63 characters from a-z, 0-9 and _, must not begin with a digit or pg_, ' +
      'and must be neither information_schema nor public',
  );
}

/** What has a PostgreSQL schema: the entities, or a database. */
export interface InSchema {
  readonly schema: string;
}

/** The schema in the text of statements and migrations, which is written `our.orders` wherever the schema is named later. */
const OUR = /"our"\.|\bour\./g;

/**
 * Returns the text of a statement with the schema of the entities in place of `our.`. Statements name the schema of every
 * table and function: the search path belongs to the session, which a pooler or a host may share with others.
 */
export function inSchema({ schema }: InSchema, text: string): string {
  return text.replaceAll(OUR, `"${schema}".`);
}

/** Returns the two keys of an advisory lock. Installations in other schemas of the same database have others. */
export function lockKeys(schema: string, lock: number): readonly [number, number] {
  return [lock, createHash('sha256').update(schema).digest().readInt32BE()];
}
