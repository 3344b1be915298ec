import { numberBacklogs } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { givenPositions, insertMany, storedFeed, upTo } from '../fixtures/feed-rows.ts';

const database = testDatabase();

describe('numberBacklogs', () => {
  it('gives positions to the changes of owners with more than a thousand without one, and to no others', async () => {
    await insertMany(database.url, 'large', 7000, '2026-01-01');
    await insertMany(database.url, 'middle', 1001, '2026-01-01');
    await insertMany(database.url, 'small', 1000, '2026-01-01');
    await insertMany(database.url, 'z', 6000, '2026-01-01');
    expect(await numberBacklogs(database.current, AbortSignal.abort())).toMatchObject({ owners: 0 });
    expect(await storedFeed(database.url, 'large')).toBeUndefined();
    expect(await numberBacklogs(database.current)).toMatchObject({ owners: 3 });
    expect(await givenPositions(database.url, 'large')).toEqual(upTo(7000));
    expect(await givenPositions(database.url, 'middle')).toEqual(upTo(1001));
    expect(await givenPositions(database.url, 'z')).toEqual(upTo(6000));
    expect(await storedFeed(database.url, 'small')).toBeUndefined();
    expect(await numberBacklogs(database.current)).toMatchObject({ owners: 0 });
  });

  it('counts the changes without a position, at most 5,000 of an owner, and finds the oldest', async () => {
    await execute(database.url, 'delete from changes');
    const count = () => numberBacklogs(database.current);
    expect(await count()).toEqual({ owners: 0, unnumbered: 0, oldestAt: null });
    await insertMany(database.url, 'a', 3, '2026-01-03');
    await insertMany(database.url, 'b', 6000, '2026-01-02');
    await insertMany(database.url, 'c', 4, '2026-01-04');
    expect(await count()).toEqual({ owners: 1, unnumbered: 5007, oldestAt: '2026-01-02T00:00:01.000Z' });
    expect(await count()).toEqual({ owners: 0, unnumbered: 7, oldestAt: '2026-01-03T00:00:01.000Z' });
  });
});
