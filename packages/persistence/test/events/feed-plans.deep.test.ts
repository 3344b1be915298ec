import { openDatabase, postgresEventFeed } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../execute.ts';
import { anotherSession } from '../fault-injection/another-session.ts';
import { costOf } from '../plans.ts';
import { testDatabase } from '../test-database.ts';
import { insertMany } from './feed-rows.ts';
import { readPage } from './reading.ts';

const database = testDatabase();

/** Reads every event of an owner, and returns the statement of a poll that finds no new ones. */
async function idlePoll(owner: string) {
  const proxy = await startPostgresProxy(database.url);
  const watched = openDatabase({ url: proxy.url });
  onTestFinished(async () => {
    await watched.close();
    await proxy.close();
  });
  const feed = postgresEventFeed(watched);
  for (;;) {
    const latest = await readPage(feed, owner, { start: 'latest' });
    if (latest.isErr()) continue;
    proxy.clear();
    (await readPage(feed, owner, { after: latest.value.next }))._unsafeUnwrap();
    const [statement, ...others] = proxy.statements;
    if (!statement || others.length > 0) throw new Error('an idle poll is not one statement');
    return statement;
  }
}

describe('an idle poll', () => {
  it.each([1, 10])('reads some pages among 60,000 events, executed %d times before', async (times) => {
    const owner = `idle ${times}`;
    await insertMany(database.url, owner, 60_000, '2026-01-01');
    const statement = await idlePoll(owner);
    await execute(database.url, 'vacuum analyze changes, feeds');
    const { scanned, buffers, read } = await costOf(database.url, statement, times);
    expect(scanned.filter((table) => table === 'changes')).toEqual([]);
    expect(read['changes']).toBe(1);
    expect(buffers).toBeLessThanOrEqual(16);
  });

  it('reads only the entries of five minutes while another session holds an old snapshot', async () => {
    const owner = 'dumped';
    const dump = await anotherSession(database.url);
    await dump.query('begin isolation level repeatable read; select 1 from changes limit 1');
    // One event per second.
    await insertMany(database.url, owner, 20_000, '2026-01-01');
    const statement = await idlePoll(owner);
    const since = (time: string) => ({
      ...statement,
      parameters: statement.parameters.map((value) => (value === '-infinity' ? time : value)),
    });
    expect(since('x').parameters).toContain('x');
    const [last] = await execute<{ time: string }>(
      database.url,
      `select (max(occurred_at) - interval '5 minutes')::text as time from changes where owner_id = '${owner}'`,
    );
    const all = await costOf(database.url, since('-infinity'), 1);
    const short = await costOf(database.url, since(last?.time ?? ''), 1);
    expect(all.buffers).toBeGreaterThan(200);
    expect(short.buffers).toBeLessThanOrEqual(30);
    await dump.query('rollback');
  });
});
