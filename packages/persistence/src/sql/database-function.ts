import { createHash } from 'node:crypto';
import { sql } from './sql.ts';
import type { Orm } from '../tables/orm.ts';
import { prepareQuery, type Statement } from './statement.ts';

/**
 * The SQL types of a function's parameters by their names; the first is the owner, if it runs on the node of one. In the
 * function, each is named `p_` and its name.
 */
export type FunctionParameters = Readonly<Record<string, string>>;

/** A function of the database. */
export interface DatabaseFunction {
  /** A name with a digest of the text, so that two releases use their own functions side by side. */
  readonly name: string;
  readonly parameters: FunctionParameters;
  /** The text that creates it, with the schema as `our`. */
  readonly definition: string;
}

/** A value of a parameter, or of an element of one. */
type Value = string | number | null;

/** What a function is. */
export interface FunctionText {
  readonly parameters: FunctionParameters;
  /** The SQL type of the result. */
  readonly returns: string;
  /** Settings that apply while the function runs, such as `lock_timeout = '250ms'`. Default: none. */
  readonly settings?: readonly string[];
  /** The block in PL/pgSQL. */
  readonly body: string;
}

/**
 * Every table is read by the index that is made for it. A statement may have been planned while there were few rows: its
 * plan would read all of them once there are many.
 *
 * A plan that needs what is off has a very high cost. PostgreSQL would therefore compile it, which takes a tenth of a second
 * and more for each new plan.
 */
export const BY_INDEX = ['enable_seqscan = off', 'enable_bitmapscan = off', 'jit = off'];

/**
 * The same, with one plan for all values. A plan that needs what is off has a very high cost. PostgreSQL would plan such a
 * statement again in each call, in the hope of a cheaper plan: that was a third of the CPU time of a claim.
 */
export const PLANNED_ONCE = [...BY_INDEX, 'plan_cache_mode = force_generic_plan'];

/** The same, for functions whose statements read rows in the order of an index: none of them sorts rows of a table. */
export const PLANNED_ONCE_IN_ORDER = [...PLANNED_ONCE, 'enable_sort = off'];

/** Returns a function in PL/pgSQL. */
export function databaseFunction(
  prefix: string,
  { parameters, returns, settings = [], body }: FunctionText,
): DatabaseFunction {
  const signature = Object.entries(parameters).map(([name, type]) => `p_${name} ${type}`);
  const set = settings.map((setting) => ` set ${setting}`).join('');
  const text = `(${signature.join(', ')}) returns ${returns} language plpgsql${set} as $$
  ${body}
$$`;
  const name = `${prefix}_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
  return { name, parameters, definition: `create or replace function our.${name} ${text}` };
}

/** Returns the statement that calls a function. Citus sends a call of this form to the node of the owner. */
export function callOf<Result>(
  orm: Orm,
  { name, parameters }: DatabaseFunction,
): Statement<Readonly<Record<string, Value | readonly Value[]>>, { readonly outcome: Result }> {
  return prepareQuery(
    orm,
    (p) => sql<{ readonly outcome: Result }>`
      select our.${sql.id(name)}(${sql.join(Object.keys(parameters).map((parameter) => p(parameter)))}) as outcome`,
  );
}
