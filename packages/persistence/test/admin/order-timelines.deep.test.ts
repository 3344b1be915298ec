import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { checkTimelines } from './timeline-history.ts';

const database = testDatabase();

it('timelines are those of a model after random commands, erasures, corrections and purges', async () => {
  expect(await checkTimelines(database.url, 'random', 600, 7)).toBeGreaterThan(500);
});
