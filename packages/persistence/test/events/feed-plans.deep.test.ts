import type { EventFeed, FeedPosition } from '@orders/domain/events';
import { postgresEventFeed } from '@orders/persistence';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/sessions.ts';
import { costOf } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';
import { sent } from '../fixtures/watched-server.ts';

const database = testDatabase();

/** Gives all events of an owner their positions, and returns the statements of a read. */
async function statementsOf(owner: string, afterOf: (feed: EventFeed, end: FeedPosition) => Promise<FeedPosition>) {
  return await sent(database.url, async (server, proxy) => {
    const feed = postgresEventFeed(server);
    for (;;) {
      await readPage(feed, owner, { start: 'latest' });
      proxy.clear();
      const latest = await readPage(feed, owner, { start: 'latest' });
      // A slow probe is a statement of its own.
      if (latest.isErr() || proxy.statements.length > 1) continue;
      const after = await afterOf(feed, latest.value.next);
      proxy.clear();
      return void (await readPage(feed, owner, { after }))._unsafeUnwrap();
    }
  });
}

/** Returns the statement of a poll that finds no new events. */
async function idlePoll(owner: string) {
  for (;;) {
    const [statement, ...others] = await statementsOf(owner, (_, end) => Promise.resolve(end));
    if (statement && others.length === 0) return statement;
  }
}

/** Returns the statements of a later page: the end of the feed, and the page. After a slow one, a page is read without the end. */
async function pageStatements(owner: string) {
  for (;;) {
    const statements = await statementsOf(owner, async (feed) => (await readPage(feed, owner))._unsafeUnwrap().next);
    if (statements.length > 1) return statements;
  }
}

/** The owner of 60,000 events, which have their positions. */
const MANY = 'many';

beforeAll(async () => {
  await insertMany(database.url, MANY, 60_000, '2026-01-01');
  await idlePoll(MANY);
  await execute(database.url, 'vacuum analyze changes, feeds');
});

describe('a page among 60,000 events', () => {
  it.each([1, 10])('reads its events alone, executed %d times before', async (times) => {
    const statements = await pageStatements(MANY);
    const costs = [];
    for (const statement of statements) costs.push(await costOf(database.url, statement, times));
    expect(costs.flatMap(({ scanned }) => scanned.filter((table) => table === 'changes'))).toEqual([]);
    expect(costs.map(({ read }) => read['changes'])).toEqual([1, 102]);
    expect(Math.max(...costs.map(({ buffers }) => buffers))).toBeLessThanOrEqual(24);
  });
});

describe('an idle poll', () => {
  it.each([1, 10])('reads some pages among 60,000 events, executed %d times before', async (times) => {
    const { scanned, buffers, read } = await costOf(database.url, await idlePoll(MANY), times);
    expect(scanned.filter((table) => table === 'changes')).toEqual([]);
    expect(read['changes']).toBe(1);
    expect(buffers).toBeLessThanOrEqual(16);
  });

  it('that leaves the probe to others reads some pages while another session holds an old snapshot', async () => {
    const owner = 'dumped';
    const dump = await anotherSession(database.url);
    await dump.query('begin isolation level repeatable read; select 1 from changes limit 1');
    await insertMany(database.url, owner, 20_000, '2026-01-01');
    const statement = await idlePoll(owner);
    const [probing, others] = ['true', 'false'].map((probes) => ({ ...statement, parameters: [probes, owner] }));
    if (!probing || !others) throw new Error('unreachable');
    expect((await costOf(database.url, probing, 1)).buffers).toBeGreaterThan(200);
    expect((await costOf(database.url, others, 1)).buffers).toBeLessThanOrEqual(30);
    await dump.query('rollback');
  });
});
