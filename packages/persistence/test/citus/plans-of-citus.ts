import type { Statement } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { FINDS_TABLES } from '../fixtures/execute.ts';

/** The number of plans on the connection, enough for PostgreSQL to consider a generic plan. */
const TIMES = 10;

/** The first plan of a statement and a later one, as numbers of tasks. */
interface TaskCounts {
  /** The number of tasks of each part that Citus sends to nodes. Empty for a statement that it does not send. */
  readonly first: readonly number[];
  readonly later: readonly number[];
}

/** Returns how Citus plans each statement with the same values, without executing it. */
export async function taskCounts(
  url: string,
  statements: readonly Pick<Statement, 'text' | 'parameters'>[],
): Promise<readonly TaskCounts[]> {
  // One for all: a new one reads the catalog of Citus first.
  const session = new Client({ connectionString: url, ...FINDS_TABLES });
  await session.connect();
  const countsOf = async ({ text, parameters }: Pick<Statement, 'text' | 'parameters'>): Promise<TaskCounts> => {
    await session.query(`deallocate all; prepare statement as ${text}`);
    const values = parameters.map((value) => (value === null ? 'null' : session.escapeLiteral(value)));
    const call = values.length === 0 ? 'statement' : `statement(${values.join(', ')})`;
    const plan = async () => {
      const { rows } = await session.query<{ 'QUERY PLAN': unknown }>(`explain (format json) execute ${call}`);
      return tasksOf(rows[0]?.['QUERY PLAN']);
    };
    const first = await plan();
    for (let count = 2; count < TIMES; count += 1) await plan();
    return { first, later: await plan() };
  };
  try {
    const counts: TaskCounts[] = [];
    for (const statement of statements) counts.push(await countsOf(statement));
    return counts;
  } finally {
    await session.end();
  }
}

/** Returns the task counts anywhere in a plan. */
function tasksOf(plan: unknown): readonly number[] {
  if (Array.isArray(plan)) return plan.flatMap(tasksOf);
  if (typeof plan !== 'object' || plan === null) return [];
  const own = 'Task Count' in plan ? [Number(plan['Task Count'])] : [];
  return [...own, ...Object.values(plan).flatMap(tasksOf)];
}
