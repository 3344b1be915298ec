import { numberBacklogs } from '@orders/persistence';
import type { Statement } from '@orders/postgres-proxy';
import { beforeAll, describe, expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { execute } from '../fixtures/execute.ts';
import { costOf, costOfCall } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany, storedFeed } from '../fixtures/feed-rows.ts';
import { sent } from '../fixtures/watched-server.ts';

const database = testDatabase();

const BACKLOG = 30_000;

/** Maximum number of rows that a batch of 1,000 reads: each to find its end, to be locked, counted and changed. */
const READ_MAX = 4100;

/**
 * The pages of a batch at the end, for each page of one at the beginning. An index whose tree has become higher takes one
 * more for each row; a batch that read all rows before it would take several times as many.
 */
const GROWTH_MAX = 1.5;

/** Gives positions to 5,000 changes at a time, up to a position of the feed, and returns the call for the next batch. */
async function numberUntil(owner: string, until: number): Promise<Statement> {
  const statements = await sent(database.url, async (server) => {
    const numbering = newNumbering(server);
    for (let position = 0; position < until;) {
      await numbering.run(owner);
      position = (await storedFeed(database.url, owner))?.position ?? 0;
    }
  });
  const last = statements.findLast(({ text }) => text.includes('events_number_'));
  if (!last) throw new Error('no statement has given positions');
  return last;
}

/** Returns the statement that looks for owners with changes without a position. */
async function search(): Promise<Statement> {
  const statements = await sent(database.url, (server) => numberBacklogs(server, AbortSignal.abort()));
  const statement = statements.find(({ text }) => text.includes('changes'));
  if (!statement) throw new Error('no statement looks for changes without a position');
  return statement;
}

const analyze = () => execute(database.url, 'analyze changes, feeds');

/** Ways in which the statistics of the table can be wrong while a backlog gets its positions. */
const STATISTICS: readonly (readonly [made: string, begin: (owner: string) => Promise<void>])[] = [
  [
    'when no change had a position',
    async (owner) => {
      await insertMany(database.url, owner, BACKLOG, '2026-01-01');
      await analyze();
    },
  ],
  [
    'before the owner had changes',
    async (owner) => {
      await analyze();
      await insertMany(database.url, owner, BACKLOG, '2026-01-01');
    },
  ],
  [
    'when one half of the changes had a position',
    async (owner) => {
      await insertMany(database.url, 'with positions', BACKLOG, '2026-01-01');
      await numberUntil('with positions', BACKLOG);
      await insertMany(database.url, owner, BACKLOG, '2026-01-01');
      await analyze();
    },
  ],
];

beforeAll(async () => {
  await execute(database.url, 'alter table changes set (autovacuum_enabled = false)');
});

describe.each(STATISTICS)('with statistics that were made %s, a backlog', (made, begin) => {
  it('is numbered at the same cost per batch from its beginning to its end', async () => {
    await execute(database.url, 'truncate changes, feeds');
    await begin(made);
    const costs = [];
    for (const until of [5000, 25_000]) {
      const statement = await numberUntil(made, until);
      for (const times of [1, 10]) costs.push(await costOfCall(database.url, statement, times));
      expect((await costOf(database.url, await search(), 1)).read['changes']).toBeLessThanOrEqual(5000);
    }
    const [first] = costs;
    for (const { read, buffers } of costs) {
      expect(read['changes'] ?? 0).toBeGreaterThanOrEqual(1000);
      expect(read['changes']).toBeLessThanOrEqual(READ_MAX);
      expect(buffers).toBeLessThanOrEqual(GROWTH_MAX * (first?.buffers ?? 0));
    }
  });
});
