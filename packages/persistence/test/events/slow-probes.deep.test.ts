import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, postgresEventFeed } from '@orders/persistence';
import type { Statement } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FeedWaiters } from '../../src/events/feed-waiters.ts';
import { feedStatements } from '../../src/events/feed-statements.ts';
import { SlowProbes } from '../../src/events/slow-probes.ts';
import { VisibleTransactions } from '../../src/events/visible-transactions.ts';
import { execute, findingTables } from '../fixtures/execute.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readEverything, readPage } from '../fixtures/reading.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';

const database = testDatabase();

/** The number of events: several pages. */
const EVENTS = 250;

/** The writes of each server whose clock is wrong. */
const WRITES = 20;

/** The differences of the clocks of three servers from the one that has written the events, in milliseconds. */
const DIFFERENCES = [-600_000, 0, 600_000];

it('while probes are slow, a reader that has caught up has every acknowledged event, whatever the clocks are', async () => {
  const owner = 'dumped';
  await insertMany(database.url, owner, EVENTS, '2026-01-01');
  const { proxy, server } = await watchedServer(database.url);
  const feed = postgresEventFeed(server);
  let probes = 0;
  // As while another session holds an old snapshot.
  const slowly = async () => {
    probes += 1;
    proxy.fault(1, slowly, looksForChanges);
    await sleep(25);
  };
  proxy.fault(1, slowly, looksForChanges);
  let { next: after } = (await readPage(feed, owner, { start: 'latest' }))._unsafeUnwrap();
  const last = Date.parse('2026-01-01T00:00:00Z') + EVENTS * 1000;
  const missed = [];
  for (let write = 0; write < WRITES; write += 1) {
    for (const difference of DIFFERENCES) {
      const at = new Date(last + write * 1000 + difference).toISOString();
      await insertMany(database.url, owner, 1, at);
      const page = (await readPage(feed, owner, { after }))._unsafeUnwrap();
      if (page.data.length === 0 && page.caught_up) missed.push(at);
      after = page.next;
    }
  }
  expect(missed).toEqual([]);

  probes = 0;
  await Promise.all(Array.from({ length: 20 }, () => readPage(feed, owner, { after })));
  // Those that begin while a probe runs share the next one; on a busy machine they do not all begin together.
  expect(probes).toBeLessThan(10);
  // Of several pages, only the last one needs a probe.
  probes = 0;
  expect(await readEverything(feed, owner)).toHaveLength(EVENTS + WRITES * DIFFERENCES.length);
  expect(probes).toBe(1);
});

function looksForChanges({ text, parameters }: Statement): boolean {
  return text.includes('u.position is null') && !parameters.includes('false');
}

describe('a wait while probes are slow', () => {
  it.each([
    ['on one server', false],
    ['on Citus', true],
  ])('ends for an old change of another process, which the next probe finds, %s', async (_, isOnCitus) => {
    if (isOnCitus) {
      await execute(database.url, 'create table pg_dist_partition (logicalrelid regclass)');
      onTestFinished(async () => void (await execute(database.url, 'drop table pg_dist_partition')));
    }
    const owner = `slow ${isOnCitus}`;
    const server = untilFinished(openDatabase({ url: findingTables(database.url) }));
    const statements = feedStatements(server.orm);
    const slow = new SlowProbes(async (owner_id) => {
      const [row] = await statements.unnumbered(server.primary, { owner_id });
      return row?.unnumbered === true;
    });
    slow.took(owner, 25);
    // Longer than a test may take.
    const waiters = new FeedWaiters(server, statements, slow, new VisibleTransactions(server));
    const waiting = waiters.wait(owner, 0, { timeoutMs: 24 * 60 * 60 * 1000 });
    await insertMany(database.url, owner, 1, '2026-01-01');
    await waiting;
    // The probe itself may have been slow.
    slow.took(owner, 19);
    expect(slow.has(owner)).toBe(false);
  });
});
