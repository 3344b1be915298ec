import { createHash } from 'node:crypto';
import type { Orm } from '../tables/orm.ts';
import type { Executor } from '../postgres/executor.ts';
import { retryAfterTableLock } from '../postgres/retry.ts';
import { inSchema } from '../tables/schema.ts';
import { type Sql, sql, textOf } from './sql.ts';

/** Returns the place of a value. */
export type Parameter<V> = <Name extends keyof V & string>(name: Name) => Sql<V[Name]>;

/** A part of a statement that has parameters. */
export type Part<V> = (parameter: Parameter<V>, isAboutSome: boolean) => Sql;

/** What stands in the text of a statement: the name of a value, other SQL, or a part. */
export type Inserted<V> = (keyof V & string) | Sql | Part<V>;

/**
 * A statement whose text was built once; an execution sends only values. A failure that certainly had no effect is
 * retried, except in a transaction, which has failed as a whole.
 */
export type Statement<V, Row> = (executor: Executor, values: V) => Promise<readonly Row[]>;

/**
 * Returns the tag of a statement's text, which has the names of its values in their places. It is about all owners unless
 * it `isAboutSome`; see {@link Part}.
 */
export function prepare<V extends object, Row>(orm: Orm, isAboutSome = false) {
  return (text: TemplateStringsArray, ...inserted: readonly Inserted<V>[]): Statement<V, Row> =>
    prepareQuery(orm, (p) => {
      const parts = inserted.map((one) => {
        if (typeof one === 'string') return p(one);
        return typeof one === 'function' ? one(p, isAboutSome) : one;
      });
      return sql<Row>(text, ...parts);
    });
}

/**
 * Builds a statement, in the schema of the entities. A parameter keeps the same `$n` wherever it is used. One
 * that is not `isNamed` is planned at each execution, and leaves nothing on its connection.
 */
export function prepareQuery<V extends object, Row>(
  orm: Orm,
  build: (parameter: Parameter<V>) => Sql<Row>,
  isNamed = true,
): Statement<V, Row> {
  const used: string[] = [];
  const placeOf = (value: string): string => {
    const known = used.indexOf(value);
    return `$${known < 0 ? used.push(value) : known + 1}`;
  };
  const text = inSchema(
    orm,
    textOf(
      build((name) => ({ parts: [{ value: name }] })),
      placeOf,
    ),
  );
  const owner = used.indexOf('owner_id');
  const statement = {
    name: isNamed ? statementName(text) : '',
    text,
    owner: owner < 0 ? undefined : owner,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the places of a statement are those of its values
  const names = used as (keyof V & string)[];
  return (executor, values) => {
    const parameters = names.map((name) => formatParameter(values[name]));
    const execute = () => executor.execute<Row>(statement, parameters);
    if (executor.isTransaction) return execute();
    const began = performance.now();
    return execute().catch((cause: unknown) => retryAfterTableLock(executor, execute, cause, began));
  };
}

/**
 * Returns a name that is the same in every server: a pooler may route a client to a connection that another one
 * prepared.
 */
export function statementName(text: string): string {
  return `orders_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Formats a parameter's value as PostgreSQL parses it from text; `null` for SQL null. */
function formatParameter(value: unknown): string | null {
  if (typeof value === 'string') {
    // UTF-8 cannot encode lone surrogates: another character would be sent in their place.
    if (value.includes('\0') || !value.isWellFormed())
      throw new TypeError('text contains U+0000 or a lone surrogate, which PostgreSQL cannot store');
    return value;
  }
  if (value === null) return null;
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (Array.isArray(value)) return arrayText(value);
  throw new TypeError(
    `a parameter must be a string, a number, a boolean, null or an array of these, got ${typeof value}`,
  );
}

/** Returns an array as PostgreSQL parses it from text. */
export function arrayText(values: readonly unknown[]): string {
  return `{${values.map((element) => quoteElement(formatParameter(element))).join()}}`;
}

/** Quotes an element of an array (PostgreSQL, section 8.15.2). */
function quoteElement(text: string | null): string {
  if (text === null) return 'null';
  // A replacement costs several times as much as both searches, also without a match.
  return text.includes('"') || text.includes('\\') ? `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"` : `"${text}"`;
}

/** The escape that `JSON.stringify` writes for U+0000 or a lone surrogate, after an even number of backslashes. */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/**
 * Serializes a value to JSON. A column of type `json` would store U+0000 and lone surrogates as escapes that no other
 * type of PostgreSQL can read.
 *
 * @throws {TypeError} the value contains text that PostgreSQL cannot store
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text.includes('\\u') && NOT_STORABLE.test(text))
    throw new TypeError('text contains U+0000 or a lone surrogate, which PostgreSQL cannot store');
  return text;
}
