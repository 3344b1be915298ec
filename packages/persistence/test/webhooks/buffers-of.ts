import { type Database, openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { expect } from 'vitest';
import { anotherSession } from '../fixtures/another-session.ts';

/**
 * Runs `work`, which reads in one transaction. Returns the number of pages that its statements read when a new session
 * executes them once more.
 */
export async function buffersOf(url: string, statementCount: number, work: (watched: Database) => Promise<unknown>) {
  const proxy = await startPostgresProxy(url);
  const watched = openDatabase({ url: proxy.url, poolMax: 1 });
  try {
    await work(watched);
  } finally {
    await watched.close();
    await proxy.close();
  }
  const statements = proxy.statements.filter(({ text }) => !/^(begin|commit)$/.test(text));
  expect(statements).toHaveLength(statementCount);
  const session = await anotherSession(url);
  await session.query('begin');
  let buffers = 0;
  for (const [index, { text, parameters }] of statements.entries()) {
    const values = parameters.map((value) => session.escapeLiteral(value ?? '')).join(', ');
    await session.query(`prepare s${index} as ${text}`);
    const execution = `execute s${index}${values === '' ? '' : `(${values})`}`;
    const { rows } = await session.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${execution}`,
    );
    const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
    buffers += (plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN);
  }
  await session.query('rollback');
  return buffers;
}
