import { postgresEventFeed, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { idOf, insertChanges, remainingChanges } from '../fixtures/change-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany, positions, storedFeed } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';

const database = testDatabase();

const NOW = '2026-03-01T00:00:00.000Z';
const OLD = '2026-02-01T00:00:00.000Z';
const YOUNG = '2026-02-01T00:00:00.001Z';
const ages = { now: NOW, eventsBefore: OLD };

async function eventAt(owner: string, position: number): Promise<string | undefined> {
  const [row] = await execute<{ event_id: string }>(
    database.url,
    `select event_id from changes where owner_id = '${owner}' and position = ${position}`,
  );
  return row?.event_id;
}

describe('a purge of events', () => {
  it('gives old events their positions and lets them leave the feed of an owner that was never read', async () => {
    await insertChanges(database.url, 'unread', [
      { id: idOf(1), version: 1, at: OLD },
      { id: idOf(1), version: 2, at: OLD },
      { id: idOf(1), version: 3, at: YOUNG },
    ]);
    await purge(database.current)(ages);
    expect(await positions(database.url, 'unread')).toEqual(['order 1 v1: 1', 'order 1 v2: 2', 'order 1 v3: -']);
    const purged_id = (await eventAt('unread', 2)) ?? '';
    expect(await storedFeed(database.url, 'unread')).toEqual({ position: 2, purged: 2, purged_id });
  });

  it('lets events that have positions leave when they become old', async () => {
    await insertChanges(database.url, 'read', [
      { id: idOf(1), version: 1, at: OLD },
      { id: idOf(1), version: 2, at: YOUNG },
    ]);
    await purge(database.current)({ now: NOW, eventsBefore: YOUNG });
    const later = await storedFeed(database.url, 'read');
    expect(later).toMatchObject({ position: 2, purged: 2 });
    await purge(database.current)(ages);
    expect(await storedFeed(database.url, 'read')).toEqual(later);
    await insertChanges(database.url, 'read', [{ id: idOf(1), version: 3, at: '2026-02-02T00:00:00Z' }]);
    await execute(database.url, `update changes set position = 3 where owner_id = 'read' and version = 3`);
    await purge(database.current)({ now: NOW, eventsBefore: '2026-02-03T00:00:00.000Z' });
    const purged_id = (await eventAt('read', 3)) ?? '';
    expect(await storedFeed(database.url, 'read')).toEqual({ position: 3, purged: 3, purged_id });
  });

  it('keeps an old event and its records in the feed until the younger one before it has left', async () => {
    await insertChanges(database.url, 'blocked', [
      { id: idOf(1), version: 1, at: OLD },
      { id: idOf(2), version: 1, at: YOUNG },
      { id: idOf(1), version: 2, at: OLD, deletion: true },
    ]);
    for (const [id, version, position] of [
      [1, 1, 1],
      [2, 1, 2],
      [1, 2, 3],
    ] as const) {
      await execute(
        database.url,
        `update changes set position = ${position}
         where owner_id = 'blocked' and aggregate_id = '${idOf(id)}' and version = ${version}`,
      );
    }
    await execute(database.url, `insert into feeds values ('blocked', 0, null)`);
    const purgeChanges = purge(database.current);
    await purgeChanges({ ...ages, historyBefore: OLD });
    expect(await storedFeed(database.url, 'blocked')).toMatchObject({ position: 3, purged: 1 });
    expect(await remainingChanges(database.url, 'blocked')).toEqual(['(order 1 v1)', 'order 1 v2', 'order 2 v1']);
    await purgeChanges({ now: NOW, eventsBefore: YOUNG, historyBefore: OLD });
    expect(await storedFeed(database.url, 'blocked')).toMatchObject({ position: 3, purged: 3 });
    expect(await remainingChanges(database.url, 'blocked')).toEqual(['order 2 v1']);
  });

  it('keeps the end of a feed whose last event was deleted', async () => {
    await insertChanges(database.url, 'ended', [
      { id: idOf(1), version: 1, at: OLD },
      { id: idOf(1), version: 2, at: OLD, deletion: true },
    ]);
    await purge(database.current)(ages);
    expect(await remainingChanges(database.url, 'ended')).toEqual([]);
    const feed = postgresEventFeed(database.current);
    const latest = (await readPage(feed, 'ended', { start: 'latest' }))._unsafeUnwrap();
    expect(latest.next.position).toBe(2);
    expect((await readPage(feed, 'ended', { after: latest.next }))._unsafeUnwrap()).toEqual(latest);
    const other = { ...latest.next, event: '0123456789abcdef' };
    expect((await readPage(feed, 'ended', { after: other }))._unsafeUnwrapErr()).toEqual({ type: 'feed_reset' });
  });

  it('lets more events leave than fit in a batch, of one owner and of more owners than are visited at a time', async () => {
    await insertMany(database.url, 'many', 2500, '2026-01-01');
    await execute(
      database.url,
      `insert into feeds select 'owner ' || n, 0, null from generate_series(1, 2500) as n;
       insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at,
         snapshot_format, position)
       select 'owner ' || n, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
         case when n % 100 = 0 then timestamptz '${OLD}' else timestamptz '${YOUNG}' end, 1, 1
       from generate_series(1, 2500) as n`,
    );
    await purge(database.current)(ages);
    expect(await storedFeed(database.url, 'many')).toMatchObject({ position: 2500, purged: 2500 });
    const left = await execute(database.url, `select 1 from feeds where owner_id like 'owner %' and purged = 1`);
    expect(left).toHaveLength(25);
  });
});
