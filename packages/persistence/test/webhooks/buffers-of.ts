import type { Database } from '@orders/persistence';
import { expect } from 'vitest';
import { anotherSession } from '../fixtures/sessions.ts';
import { sent } from '../fixtures/watched-server.ts';
import { buffersOf, executionOf, explain } from '../plans/plans.ts';

/**
 * Runs `work`, which reads in one transaction. Returns the number of pages that its statements read when a new session
 * executes them once more.
 */
export async function buffersOfWork(url: string, statementCount: number, work: (server: Database) => Promise<unknown>) {
  const statements = await sent(url, work);
  expect(statements).toHaveLength(statementCount);
  const session = await anotherSession(url);
  await session.query('begin');
  let buffers = 0;
  for (const [index, { text, parameters }] of statements.entries()) {
    await session.query(`prepare s${index} as ${text}`);
    buffers += buffersOf(await explain(session, executionOf(session, `s${index}`, parameters)));
  }
  await session.query('rollback');
  return buffers;
}
