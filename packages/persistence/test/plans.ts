import type { Statement } from '@orders/postgres-proxy';
import { Client } from 'pg';
import { parseFunction } from './function-rules.ts';

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
export async function costOf(
  url: string,
  { text, parameters }: Pick<Statement, 'text' | 'parameters'>,
  times: number,
): Promise<Cost> {
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    await session.query(`prepare statement as ${text}`);
    const values = parameters.map((value) => (value === null ? 'null' : session.escapeLiteral(value)));
    const call = values.length === 0 ? 'statement' : `statement(${values.join(', ')})`;
    const explain = `explain (analyze, buffers, format json) execute ${call}`;
    for (let count = 0; count < times; count += 1) {
      await session.query(`begin; ${explain}; rollback`);
    }
    await session.query('begin');
    const { rows } = await session.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(explain);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error(`no plan for ${text}`);
    return cost(plan);
  } finally {
    await session.end();
  }
}

/**
 * Executes the statements of a function one after the other, without its conditions, and returns their costs. Their
 * changes are rolled back. PostgreSQL shows no plans of statements in a function that is called.
 *
 * @param times the number of earlier executions, as for {@link costOf}
 */
export async function costsInFunction(
  url: string,
  name: string,
  values: Readonly<Record<string, string>>,
  times: number,
): Promise<readonly (Cost & { readonly text: string })[]> {
  const session = new Client({ connectionString: url });
  await session.connect();
  const costOfPrepared = async (index: number, passed: string): Promise<Cost> => {
    const explain = `explain (analyze, buffers, format json) execute s${index}(${passed})`;
    const { rows } = await session.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(explain);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    if (!plan) throw new Error(`no plan for a statement of ${name}`);
    return cost(plan);
  };
  try {
    const { rows } = await session.query<{ definition: string; types: string }>(
      `select pg_get_functiondef(oid) as definition, pg_get_function_identity_arguments(oid) as types
       from pg_proc where starts_with(proname, $1)`,
      [name],
    );
    const [{ definition, types } = { definition: '', types: '' }] = rows;
    const { parameters, statements } = await parseFunction(definition);
    const texts = statements.filter((text) => /\b(from|into|update)\b/i.test(text) && !text.startsWith('select p_key'));
    const declared = types.replaceAll(/p_\w+ /g, '');
    for (const [index, text] of texts.entries()) {
      const numbered = text.replaceAll(/\bp_\w+/g, (parameter) => `$${parameters.indexOf(parameter) + 1}`);
      await session.query(`prepare s${index} (${declared}) as ${numbered.replaceAll(/\bmoved\b/g, 'null')}`);
    }
    const passed = parameters.map((parameter) => values[parameter.slice(2)] ?? 'null').join(', ');
    let costs: (Cost & { readonly text: string })[] = [];
    for (let count = 0; count <= times; count += 1) {
      costs = [];
      await session.query('begin');
      for (const [index, text] of texts.entries()) costs.push({ text, ...(await costOfPrepared(index, passed)) });
      await session.query('rollback');
    }
    return costs;
  } finally {
    await session.end();
  }
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
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
  };
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
