import { postgresEventFeed, purge } from '@orders/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ChangeRow, idOf, insertChanges, insertKey, remainingChanges } from '../fixtures/change-rows.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany, storedFeed } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';

const database = testDatabase();

const NOW = '2026-03-01T00:00:00.000Z';
const FEED = '2026-02-01T00:00:00.000Z';
const IN_FEED = '2026-02-01T00:00:00.001Z';
const HISTORY = '2025-12-01T00:00:00.000Z';
const IN_HISTORY = '2025-12-01T00:00:00.001Z';
const OLD = '2025-11-01T00:00:00.000Z';
const ages = { now: NOW, eventsBefore: FEED };
const withHistory = { ...ages, historyBefore: HISTORY };

const change = (id: number, version: number, at: string, aggregate?: ChangeRow['aggregate']) => ({
  id: idOf(id),
  version,
  at,
  ...(aggregate && { aggregate }),
});
const deletion = (...values: Parameters<typeof change>) => ({ ...change(...values), deletion: true });

beforeEach(async () => {
  await execute(database.url, 'delete from changes; delete from idempotency; delete from feeds');
});

/** Inserts records, and returns functions to add keys and read what remains. */
async function given(...rows: readonly ChangeRow[]) {
  const owner = 'owner';
  await insertChanges(database.url, owner, rows);
  return {
    insert: (...further: readonly ChangeRow[]) => insertChanges(database.url, owner, further),
    key: (id: number, version: number, aggregate?: ChangeRow['aggregate']) =>
      insertKey(database.url, owner, 'key', { id: idOf(id), version, ...(aggregate && { aggregate }) }, '2100-01-01'),
    remaining: () => remainingChanges(database.url, owner),
  };
}

const run = (...[limits]: Parameters<ReturnType<typeof purge>>) => purge(database.current)(limits);

describe('the records of a deleted aggregate', () => {
  it('are deleted when the deletion has left the feed', async () => {
    const { remaining } = await given(
      change(1, 1, OLD),
      change(1, 2, FEED),
      deletion(1, 3, FEED),
      change(2, 1, OLD, 'customer'),
      deletion(2, 2, FEED, 'customer'),
      change(3, 1, IN_FEED),
      deletion(3, 2, IN_FEED),
      change(1, 1, OLD, 'customer'),
    );
    expect(await run(ages)).toEqual({ keys: 0, deliveries: 0, changes: 5, snapshots: 0, erasures: 0 });
    expect(await remaining()).toEqual(['customer 1 v1', 'order 3 v1', 'order 3 v2']);
  });

  it('stay, with a history, until the deletion is older than the history', async () => {
    const { remaining } = await given(
      change(1, 1, OLD),
      deletion(1, 2, HISTORY),
      change(2, 1, OLD),
      deletion(2, 2, IN_HISTORY),
    );
    expect(await run(withHistory)).toEqual({ keys: 0, deliveries: 0, changes: 2, snapshots: 2, erasures: 0 });
    expect(await remaining()).toEqual(['(order 2 v1)', '(order 2 v2)']);
  });

  it('stay while a key refers to one of them', async () => {
    const { remaining, key } = await given(
      change(1, 1, IN_FEED),
      change(1, 2, IN_FEED),
      deletion(1, 3, FEED),
      change(2, 1, FEED, 'customer'),
      deletion(2, 2, FEED, 'customer'),
    );
    await key(1, 1);
    expect(await run(ages)).toMatchObject({ changes: 2 });
    expect(await remaining()).toEqual(['order 1 v1', 'order 1 v2', 'order 1 v3']);
  });

  it('are deleted although a key refers to an aggregate of another kind with the same id', async () => {
    const { remaining, key } = await given(change(1, 1, OLD), deletion(1, 2, FEED));
    await key(1, 1, 'customer');
    await run(ages);
    expect(await remaining()).toEqual([]);
  });
});

describe('the snapshots of a deleted order', () => {
  it('are erased when their event has left the feed', async () => {
    const { remaining } = await given(
      change(1, 1, FEED),
      change(1, 2, IN_FEED),
      deletion(1, 3, IN_FEED),
      change(2, 1, OLD),
      change(3, 1, OLD, 'customer'),
      deletion(3, 2, IN_FEED, 'customer'),
    );
    expect(await run(ages)).toEqual({ keys: 0, deliveries: 0, changes: 0, snapshots: 1, erasures: 0 });
    expect(await remaining()).toEqual([
      'customer 3 v1',
      '(customer 3 v2)',
      '(order 1 v1)',
      'order 1 v2',
      'order 1 v3',
      'order 2 v1',
    ]);
  });

  it('stay while a key refers to them, with the items', async () => {
    const { remaining, key } = await given(change(1, 1, OLD), change(1, 2, OLD), deletion(1, 3, IN_HISTORY));
    await key(1, 1);
    expect(await run(withHistory)).toMatchObject({ snapshots: 1 });
    expect(await remaining()).toEqual(['order 1 v1', '(order 1 v2)', 'order 1 v3']);
  });

  it('stay for an hour after the deletion, in which a write may still record its key', async () => {
    const { remaining } = await given(
      change(1, 1, OLD),
      deletion(1, 2, '2026-02-28T23:00:00.001Z'),
      change(2, 1, OLD),
      deletion(2, 2, '2026-02-28T23:00:00.000Z'),
    );
    expect(await run(ages)).toMatchObject({ snapshots: 1 });
    expect(await remaining()).toEqual(['order 1 v1', 'order 1 v2', '(order 2 v1)', 'order 2 v2']);
  });
});

describe('the versions of an existing aggregate', () => {
  it('are kept without a history', async () => {
    const { remaining } = await given(change(1, 1, OLD), change(1, 2, OLD), change(1, 3, OLD));
    expect(await run(ages)).toEqual({ keys: 0, deliveries: 0, changes: 0, snapshots: 0, erasures: 0 });
    expect(await remaining()).toEqual(['order 1 v1', 'order 1 v2', 'order 1 v3']);
  });

  it('are deleted, with a history, when their successor is older than the history', async () => {
    const { remaining } = await given(
      change(1, 1, OLD),
      change(1, 2, HISTORY),
      change(1, 3, IN_HISTORY),
      change(2, 1, OLD, 'customer'),
      change(2, 3, OLD, 'customer'),
      change(3, 1, OLD),
    );
    expect(await run(withHistory)).toEqual({ keys: 0, deliveries: 0, changes: 2, snapshots: 0, erasures: 0 });
    expect(await remaining()).toEqual(['customer 2 v3', 'order 1 v2', 'order 1 v3', 'order 3 v1']);
  });

  it('stay while a key refers to them', async () => {
    const { remaining, key } = await given(change(1, 1, OLD), change(1, 2, OLD), change(1, 3, OLD));
    await key(1, 2);
    expect(await run(withHistory)).toMatchObject({ changes: 1 });
    expect(await remaining()).toEqual(['order 1 v2', 'order 1 v3']);
  });

  it('stay in the feed with a history that is shorter than the feed', async () => {
    const { remaining } = await given(change(1, 1, IN_FEED), change(1, 2, IN_FEED));
    await run({ ...ages, historyBefore: NOW });
    expect(await remaining()).toEqual(['order 1 v1', 'order 1 v2']);
  });

  it('stay after a deletion until it has left the feed', async () => {
    const { remaining } = await given(change(1, 1, OLD), change(1, 2, OLD), deletion(1, 3, IN_FEED));
    await run(withHistory);
    expect(await remaining()).toEqual(['(order 1 v1)', '(order 1 v2)', 'order 1 v3']);
    await run({ now: '2026-03-02T00:00:00.000Z', eventsBefore: IN_FEED, historyBefore: HISTORY });
    expect(await remaining()).toEqual(['(order 1 v2)', '(order 1 v3)']);
  });
});

describe('an old event behind a younger one', () => {
  it('stays in the feed with its records until that one has left', async () => {
    const { remaining } = await given(change(1, 1, FEED), change(2, 1, IN_FEED), deletion(1, 2, FEED));
    await execute(
      database.url,
      `update changes set position = case when version = 2 then 3 when aggregate_id = '${idOf(1)}' then 1 else 2 end;
       insert into feeds values ('owner', 0, null)`,
    );
    const purgeChanges = purge(database.current);
    await purgeChanges({ ...ages, historyBefore: FEED });
    expect(await storedFeed(database.url, 'owner')).toMatchObject({ position: 3, purged: 1 });
    expect(await remaining()).toEqual(['(order 1 v1)', 'order 1 v2', 'order 2 v1']);
    await purgeChanges({ now: NOW, eventsBefore: IN_FEED, historyBefore: FEED });
    expect(await storedFeed(database.url, 'owner')).toMatchObject({ position: 3, purged: 3 });
    expect(await remaining()).toEqual(['order 2 v1']);
  });

  it('leaves its position to no later one, also after all events and records of its owner', async () => {
    const { remaining, insert } = await given(change(1, 1, FEED), deletion(1, 2, FEED));
    await run(ages);
    expect(await remaining()).toEqual([]);
    await insert(change(2, 1, IN_FEED));
    const { data } = (await readPage(postgresEventFeed(database.current), 'owner'))._unsafeUnwrap();
    expect(data.map(({ position }) => position)).toEqual([3]);
  });

  it('leaves in batches, of one owner and of more owners than are visited at a time', async () => {
    await insertMany(database.url, 'many', 2500, '2026-01-01');
    await execute(
      database.url,
      `insert into feeds select 'owner ' || n, 0, null from generate_series(1, 2500) as n;
       insert into changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at,
         snapshot_format, position)
       select 'owner ' || n, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]',
         case when n % 100 = 0 then timestamptz '${FEED}' else timestamptz '${IN_FEED}' end, 1, 1
       from generate_series(1, 2500) as n`,
    );
    await purge(database.current)(ages);
    expect(await storedFeed(database.url, 'many')).toMatchObject({ position: 2500, purged: 2500 });
    const left = await execute(database.url, `select 1 from feeds where owner_id like 'owner %' and purged = 1`);
    expect(left).toHaveLength(25);
  });
});

describe('a purge of change records', () => {
  it('visits all records once a day, and between only those that became old since', async () => {
    const { remaining, insert } = await given(change(1, 1, OLD), change(1, 2, OLD));
    const purgeChanges = purge(database.current);
    await purgeChanges(withHistory);
    expect(await remaining()).toEqual(['order 1 v2']);
    // Records that became old before the first run are found a day later.
    const earlier = '2025-10-01T00:00:00.000Z';
    await insert(change(2, 1, earlier), change(2, 2, earlier), change(3, 1, IN_HISTORY), change(3, 2, IN_HISTORY));
    await purgeChanges({ now: '2026-03-01T23:59:59.999Z', eventsBefore: FEED, historyBefore: IN_HISTORY });
    expect(await remaining()).toEqual(['order 1 v2', 'order 2 v1', 'order 2 v2', 'order 3 v2']);
    await purgeChanges({ now: '2026-03-02T00:00:00.000Z', eventsBefore: FEED, historyBefore: IN_HISTORY });
    expect(await remaining()).toEqual(['order 1 v2', 'order 2 v2', 'order 3 v2']);
  });

  it('purges more records than fit in a batch, of one aggregate and of many', async () => {
    const versions = Array.from({ length: 1100 }, (_, index) => change(1, index + 1, OLD));
    const { remaining, insert } = await given(...versions, deletion(1, 1101, FEED));
    await insert(...versions.map(({ version, at }) => ({ ...deletion(2, version, at), id: crypto.randomUUID() })));
    expect(await run(ages)).toEqual({ keys: 0, deliveries: 0, changes: 2201, snapshots: 0, erasures: 0 });
    expect(await remaining()).toEqual([]);
  });

  it('deletes an outdated version of more aggregates of one time than fit in a batch', async () => {
    const ids = Array.from({ length: 1100 }, () => crypto.randomUUID());
    const { remaining } = await given(...ids.flatMap((id) => [1, 2].map((version) => ({ id, version, at: OLD }))));
    expect(await run(withHistory)).toMatchObject({ changes: 1100 });
    expect(await remaining()).toHaveLength(1100);
  });
});
