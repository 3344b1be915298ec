import { numberBacklogs } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../test-database.ts';
import { givenPositions, insertMany, storedFeed, upTo } from './feed-rows.ts';

const database = testDatabase();

describe('numberBacklogs', () => {
  it('gives positions to the changes of owners with more than a thousand without one, and to no others', async () => {
    await insertMany(database.url, 'large', 7000, '2026-01-01');
    await insertMany(database.url, 'middle', 1001, '2026-01-01');
    await insertMany(database.url, 'small', 1000, '2026-01-01');
    await insertMany(database.url, 'z', 6000, '2026-01-01');
    expect(await numberBacklogs(database.current, AbortSignal.abort())).toBe(0);
    expect(await storedFeed(database.url, 'large')).toBeUndefined();
    expect(await numberBacklogs(database.current)).toBe(3);
    expect(await givenPositions(database.url, 'large')).toEqual(upTo(7000));
    expect(await givenPositions(database.url, 'middle')).toEqual(upTo(1001));
    expect(await givenPositions(database.url, 'z')).toEqual(upTo(6000));
    expect(await storedFeed(database.url, 'small')).toBeUndefined();
    expect(await numberBacklogs(database.current)).toBe(0);
  });
});
