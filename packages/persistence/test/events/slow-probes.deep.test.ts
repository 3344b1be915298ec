import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, postgresEventFeed } from '@orders/persistence';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FeedWaiters } from '../../src/events/feed-waiters.ts';
import { feedStatements } from '../../src/events/feed-statements.ts';
import { ProbeRange } from '../../src/events/probe-range.ts';
import { execute, findingTables } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';

const database = testDatabase();

/** Opens the waiters of a server on which the probes of all changes of an owner take 25 ms. */
function slowlyProbed(owner: string) {
  const server = untilFinished(openDatabase({ url: findingTables(database.url) }));
  const range = new ProbeRange(server.writeListeners);
  range.completed(owner, '-infinity', 25, '2026-01-02 00:00:00+00');
  return { range, waiters: new FeedWaiters(server, feedStatements(server.orm), range) };
}

describe('a poll after one that took long', () => {
  it('looks for changes from five minutes before the last event on', async () => {
    const { proxy, server } = await watchedServer(database.url);
    await insertMany(database.url, 'polled', 1, '2026-01-01');
    const { next } = (await readPage(postgresEventFeed(server), 'polled'))._unsafeUnwrap();
    const feed = postgresEventFeed(server);
    const poll = async () => (await readPage(feed, 'polled', { after: next }))._unsafeUnwrap();
    proxy.clear();
    // Twenty times as long, the next polls are short.
    proxy.fault(1, () => sleep(500));
    await poll();
    await poll();
    expect(proxy.statements.map(({ parameters }) => parameters[1])).toEqual(['-infinity', '2025-12-31T23:55:01.000Z']);
  });
});

describe('a wait while probes of all changes are slow', () => {
  it.each([
    ['on one server', false],
    ['on Citus', true],
  ])('ends for an old change of another process, which the next read finds, %s', async (_, isOnCitus) => {
    if (isOnCitus) {
      await execute(database.url, 'create table pg_dist_partition (logicalrelid regclass)');
      onTestFinished(async () => void (await execute(database.url, 'drop table pg_dist_partition')));
    }
    const owner = `slow ${isOnCitus}`;
    const { range, waiters } = slowlyProbed(owner);
    expect(range.since(owner)).toBe('2026-01-01T23:55:00.000Z');
    // Longer than a test may take.
    const waiting = waiters.wait(owner, 0, { timeoutMs: 24 * 60 * 60 * 1000 });
    await insertMany(database.url, owner, 1, '2026-01-01');
    await waiting;
    expect(range.since(owner)).toBe('-infinity');
  });
});
