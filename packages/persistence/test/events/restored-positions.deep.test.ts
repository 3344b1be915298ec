import { FEED_START, positionOf } from '@orders/domain/events';
import { postgresEventFeed } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readEverything, readPage } from '../fixtures/reading.ts';

const database = testDatabase();

/** Makes the feed of an owner as it was at a position, as a restore does. The later changes have no position again. */
async function goBackTo(owner: string, position: number): Promise<void> {
  await execute(
    database.url,
    `update changes set position = null where owner_id = '${owner}' and position > ${position}`,
  );
}

describe('a feed that was restored to a moment before positions were given', () => {
  it('gives them again before it looks for the place of a reader', async () => {
    await insertMany(database.url, 'known', 6, '2026-01-01');
    const before = await readEverything(postgresEventFeed(database.current), 'known');
    await goBackTo('known', 2);
    const after = positionOf(before[4] ?? { id: '', position: 0 });
    const feed = postgresEventFeed(database.current);
    expect((await readPage(feed, 'known', { after }))._unsafeUnwrap().data).toEqual(before.slice(5));
    const another = { ...after, event: FEED_START.event };
    await goBackTo('known', 2);
    expect(await readPage(feed, 'known', { after: another })).toMatchObject({ error: { type: 'feed_reset' } });
    await goBackTo('known', 2);
    const beyond = { ...after, position: 7 };
    expect(await readPage(feed, 'known', { after: beyond })).toMatchObject({ error: { type: 'feed_reset' } });
  });

  it('knows no place as long as more changes have no position than one read numbers', async () => {
    await insertMany(database.url, 'many', 11_000, '2026-01-01');
    const feed = postgresEventFeed(database.current);
    const last = (await readEverything(feed, 'many')).at(-1) ?? { id: '', position: 0 };
    await goBackTo('many', 10);
    const read = () => readPage(feed, 'many', { after: positionOf(last) });
    for (const _ of [1, 2]) expect(await read()).toMatchObject({ error: { type: 'unavailable' } });
    expect((await read())._unsafeUnwrap()).toMatchObject({ data: [], caught_up: true });
  });
});
