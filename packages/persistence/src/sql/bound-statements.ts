import type { Executor } from '../postgres/executor.ts';
import type { Prepared } from '../postgres/prepared-query.ts';
import { TRANSACTION } from '../postgres/transaction-identity.ts';
import { databaseFunction } from './database-function.ts';
import { statementName } from './statement.ts';

/** A session that executes a single statement at a time, whatever else is sent to it in between. */
export type SessionExecutor = Pick<Executor, 'execute'>;

/**
 * Executes a statement, with the values quoted into its text, if the session is in a transaction; returns null in any other.
 * Executes the preparation first if the session has not prepared the statement. Returns the rows as a JSON array. A violation of
 * the statement undoes it alone, and is an object. Any other failure ends the transaction, as does a statement that is null.
 *
 * It runs where the transaction does. A cluster sends the statement inside to the node of its owner.
 */
export const EXECUTE_BOUND = databaseFunction('execute_bound', {
  parameters: { values: 'text[]', transaction: 'text', statement: 'text', preparation: 'text' },
  returns: 'text',
  body: `declare
    selected record;
    rows json[] := '{}';
    is_without_rows boolean := false;
    violated text;
    of_table text;
    of_schema text;
    more text;
    reason text;
  begin
    if p_transaction <> ${TRANSACTION} then
      return null;
    end if;
    if p_statement is null then
      raise transaction_rollback using message = 'a write of orders failed: the transaction must be rolled back';
    end if;
    loop
      begin
        if is_without_rows then
          execute format(p_statement, variadic p_values);
          return '[]';
        end if;
        for selected in execute format(p_statement, variadic p_values) loop
          rows := array_append(rows, row_to_json(selected));
        end loop;
        return array_to_json(rows);
      exception
        when invalid_cursor_definition then
          begin
            execute format(p_preparation, variadic array(select '$' || n from generate_series(1, cardinality(p_values)) as n));
          exception
            -- It is prepared already, or is never.
            when duplicate_prepared_statement or null_value_not_allowed then
              is_without_rows := true;
          end;
        when integrity_constraint_violation or data_exception or plpgsql_error then
          get stacked diagnostics violated = constraint_name, of_table = table_name, of_schema = schema_name,
            more = pg_exception_detail, reason = message_text;
          return json_strip_nulls(json_build_object('code', sqlstate, 'message', reason, 'constraint', nullif(violated, ''),
            'table', nullif(of_table, ''), 'schema', nullif(of_schema, ''), 'detail', nullif(more, '')));
      end;
    end loop;
  end`,
});

interface Bound {
  readonly outcome: string | null;
}

/** Statements that have an effect and a result in one transaction alone. */
export interface BoundStatements extends SessionExecutor {
  /** Lets PostgreSQL roll the transaction back, whatever the host does. */
  fail(): Promise<void>;
}

/**
 * Returns execution in one transaction of a session. A statement that arrives after its end changes nothing, and fails no
 * other transaction. One that violates a constraint leaves the transaction as it was.
 *
 * @param transaction its {@link TRANSACTION}
 * @param ended returns the error of a statement that arrives after its end
 */
export function boundStatements(
  session: SessionExecutor,
  schema: string,
  transaction: string,
  ended: () => TypeError,
): BoundStatements {
  return {
    execute: async <Row>(statement: Prepared, values: readonly (string | null)[]) => {
      const bound = boundOf(statement, schema, values.length);
      const [row] = await session.execute<Bound>(bound, [...values, transaction]);
      const outcome: object | null = parse(row);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the SQL text determines the row type
      if (Array.isArray(outcome)) return outcome as readonly Row[];
      throw outcome === null ? ended() : violationOf(outcome);
    },
    fail: async () => {
      await session.execute({ text: textOf(schema, 0) }, [transaction]);
    },
  };
}

/** Returns the rows of a statement, or the violation that undid it; null in another transaction. */
function parse(row: Bound | undefined): object | null {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function returns an array or an object
  return JSON.parse(row?.outcome ?? 'null') as object | null;
}

/** Returns a violation as a driver would report it. */
function violationOf(fault: object): Error {
  const message = 'message' in fault ? String(fault.message) : '';
  return Object.assign(new Error(message), { severity: 'ERROR', ...fault });
}

const BOUND = new WeakMap<Prepared, Prepared>();

/** Returns the call that executes a statement. One that has a name is prepared in the session, which keeps its plan. */
function boundOf(statement: Prepared, schema: string, count: number): Prepared {
  const known = BOUND.get(statement);
  if (known) return known;
  const { name = '', text } = statement;
  const parameters = count > 0 ? `(${placesOf(count)})` : '';
  // Another name than that of the statement, which the driver may have prepared in the same session.
  const call =
    name === ''
      ? textOf(schema, count, formatOf(text, 'L'))
      : textOf(
          schema,
          count,
          formatOf(`execute "${name}_bound"${parameters}`, 'L'),
          formatOf(`prepare "${name}_bound" as ${text}`, 's'),
        );
  const bound = { text: call, name: name === '' ? '' : statementName(call) };
  BOUND.set(statement, bound);
  return bound;
}

function textOf(schema: string, count: number, ...texts: readonly string[]): string {
  const [statement = 'null', preparation = 'null'] = texts.map((text) => `$statement$${text}$statement$`);
  return `select "${schema}".${EXECUTE_BOUND.name}(array[${placesOf(count)}]::text[], $${count + 1}, ${statement}, ${preparation}) as outcome`;
}

function placesOf(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
}

/**
 * Returns a text whose places are those of `format` of PostgreSQL, which quotes what it inserts as `L`. Only the call itself has
 * places of its values: a library may find them by their names.
 */
function formatOf(text: string, as: 'L' | 's'): string {
  return text.replaceAll('%', '%%').replaceAll(/\$(\d+)/g, `%$1$$${as}`);
}
