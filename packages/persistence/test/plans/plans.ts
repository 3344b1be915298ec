import type { Statement } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { FINDS_TABLES } from '../fixtures/execute.ts';

/** A node of a plan, in the format of `explain (analyze, buffers, format json)`. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** The costs of a statement. */
export interface Cost {
  /** The number of rows read per table, including rows that a filter then removed. */
  readonly read: Readonly<Record<string, number>>;
  /** The largest number of rows in one sort. */
  readonly sorted: number;
  /** The tables that were scanned completely. */
  readonly scanned: readonly string[];
  /** The number of table and index pages that were read. */
  readonly buffers: number;
}

/**
 * Executes a statement again with the same values, and returns its costs. Its changes are rolled back.
 *
 * @param times the number of earlier executions; from the sixth on PostgreSQL may use one generic plan for all values
 */
export async function costOf(url: string, statement: ExecutedStatement, times: number): Promise<Cost> {
  return await explained(url, statement, times, (plan) => Promise.resolve(cost(plan)));
}

/** Does the same, and includes the rows and pages that the functions which it calls have read. */
export async function costOfCall(
  url: string,
  statement: ExecutedStatement,
  times: number,
): Promise<Pick<Cost, 'read' | 'buffers'>> {
  // The counters of a session include transactions before.
  let before: Readonly<Record<string, number>> = {};
  const begin = async (session: Client) => void (before = await rowsOf(session));
  const end = async (plan: PlanNode, session: Client) => {
    const after = Object.entries(await rowsOf(session));
    const read = Object.fromEntries(after.map(([table, rows]) => [table, rows - (before[table] ?? 0)]));
    return { read, buffers: buffersOf(plan) };
  };
  return await explained(url, statement, times, end, begin);
}

/** Returns the number of rows that a session has read, by table. */
async function rowsOf(session: Client): Promise<Readonly<Record<string, number>>> {
  const { rows } = await session.query<{ name: string; count: number }>(
    `select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

type ExecutedStatement = Pick<Statement, 'text' | 'parameters'>;

/** Executes a statement again, and returns what `read` makes of its plan, in a transaction that `begin` begins. */
async function explained<T>(
  url: string,
  { text, parameters }: ExecutedStatement,
  times: number,
  read: (plan: PlanNode, session: Client) => Promise<T>,
  begin: (session: Client) => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  const session = new Client({ connectionString: url, ...FINDS_TABLES });
  await session.connect();
  try {
    await session.query(`prepare statement as ${text}`);
    const execution = executionOf(session, 'statement', parameters);
    for (let count = 0; count < times; count += 1) await session.query(`begin; ${EXPLAIN} ${execution}; rollback`);
    await session.query('begin');
    await begin(session);
    return await read(await explain(session, execution), session);
  } finally {
    await session.end();
  }
}

const EXPLAIN = 'explain (analyze, buffers, format json)';

/** Executes a statement, and returns its plan with what it has read. */
export async function explain(session: Client, statement: string): Promise<PlanNode> {
  const { rows } = await session.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
    `${EXPLAIN} ${statement}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error(`no plan for ${statement}`);
  return plan;
}

/** Returns the text that executes a prepared statement with these values. */
export function executionOf(session: Client, name: string, parameters: readonly (string | null)[]): string {
  const values = parameters.map((value) => (value === null ? 'null' : session.escapeLiteral(value)));
  return `execute ${name}${values.length === 0 ? '' : `(${values.join(', ')})`}`;
}

function cost(root: PlanNode): Cost {
  const nodes = everyNode(root);
  const scans = nodes.filter((node) => node['Relation Name'] !== undefined && node['Node Type'].includes('Scan'));
  const read = (table: string) =>
    scans.filter((node) => node['Relation Name'] === table).reduce((sum, node) => sum + rowsRead(node), 0);
  const tables = [...new Set(scans.map((node) => node['Relation Name'] ?? ''))];
  const sorts = nodes.filter((node) => node['Node Type'].includes('Sort'));
  return {
    read: Object.fromEntries(tables.map((table) => [table, read(table)])),
    sorted: Math.max(0, ...sorts.map((node) => node['Actual Rows'])),
    scanned: scans.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? ''),
    buffers: buffersOf(root),
  };
}

/** Returns the number of table and index pages that an execution has read. */
export function buffersOf(plan: PlanNode): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}

function rowsRead(node: PlanNode): number {
  const dropped = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return (node['Actual Rows'] + dropped) * node['Actual Loops'];
}

function everyNode(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(everyNode)];
}

/** Returns the planner settings that differ from the defaults of PostgreSQL. */
export const CHANGED_PLANNER_SETTINGS = `select name from pg_settings
  where (name like 'enable%' or name like '%\\_cost' or name = 'plan_cache_mode') and setting <> boot_val`;
