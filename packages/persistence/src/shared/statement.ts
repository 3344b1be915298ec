import { createHash } from 'node:crypto';
import { type CompiledQuery, type Expression, type QueryExecutorProvider, sql } from 'kysely';
import type { Executor } from './executor.ts';
import { retried } from './retried.ts';

/**
 * Names the value of a parameter while a statement is being built. Values come in groups, one for each row they are
 * about: `{ order: { owner_id, id }, once: { key } }`.
 */
export type Parameter<V> = <Group extends keyof V & string, Name extends keyof V[Group] & string>(
  group: Group,
  name: Name,
) => Expression<V[Group][Name]>;

/**
 * A statement whose text was built once; only values travel with a call. One that failed in a way that left no trace is
 * tried again, unless it is part of a transaction, which has failed as a whole.
 */
export type Statement<V, Row> = (executor: Executor, values: V) => Promise<readonly Row[]>;

/** A query of Kysely's: one of its builders', or a text tagged `sql`. */
interface Query<Row> {
  compile(provider: QueryExecutorProvider): CompiledQuery<Row>;
}

/** Builds a statement and compiles it. The same parameter is the same `$n` wherever it stands. */
export function prepare<V extends { readonly [Group in keyof V]: object }, Row>(
  db: QueryExecutorProvider,
  build: (parameter: Parameter<V>) => Query<Row>,
): Statement<V, Row> {
  // While the text is built, an object stands for each parameter; it tells how to read the value from a call.
  const placeholders = new Map<string, object>();
  const readers = new Map<unknown, (values: V) => unknown>();
  let readOwner: ((values: V) => unknown) | undefined;
  const query = build((group, name) => {
    const known = placeholders.get(`${group}.${name}`);
    if (known) return sql`${known}`;
    const placeholder = {};
    placeholders.set(`${group}.${name}`, placeholder);
    const read = (values: V) => values[group][name];
    readers.set(placeholder, read);
    if (name === 'owner_id') readOwner = read;
    return sql`${placeholder}`;
  });
  const compiled = query.compile(db);
  const used: ((values: V) => unknown)[] = [];
  const text = compiled.sql.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const reader = readers.get(compiled.parameters[Number(position) - 1]);
    if (!reader) throw new TypeError(`a value is fixed in: ${compiled.sql}`);
    const known = used.indexOf(reader);
    return `$${known < 0 ? used.push(reader) : known + 1}`;
  });
  const statement = { name: nameOf(text), text, owner: readOwner && used.indexOf(readOwner) };
  return (executor, values) => {
    const parameters = used.map((read) => parameterText(read(values)));
    const execute = () => executor.execute<Row>(statement, parameters);
    return executor.isTransaction ? execute() : retried(execute);
  };
}

/** The same in every server: a pooler may give one what another prepared. */
function nameOf(text: string): string {
  return `orders_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** A parameter's value as PostgreSQL reads it from text; `null` for none. */
function parameterText(value: unknown): string | null {
  if (typeof value === 'string') {
    // UTF-8 has no lone surrogates: another character would be sent in their place.
    if (value.includes('\0') || !value.isWellFormed()) throw new TypeError('text with U+0000 or a lone surrogate');
    return value;
  }
  if (value === null) return null;
  if (typeof value === 'number') return `${value}`;
  if (Array.isArray(value)) return `{${value.map((element) => quoted(parameterText(element))).join()}}`;
  throw new TypeError(`a parameter is neither text nor number: ${typeof value}`);
}

/** An element of an array (PostgreSQL, section 8.15.2). */
function quoted(text: string | null): string {
  return text === null ? 'null' : `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
