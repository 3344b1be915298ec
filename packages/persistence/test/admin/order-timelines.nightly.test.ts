import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { checkTimelines } from './timeline-history.ts';

const database = testDatabase();

it('timelines are those of a model after ten thousand random commands, erasures, corrections and purges', async () => {
  expect(await checkTimelines(database.url, 'random', 10_000, 11)).toBeGreaterThan(50_000);
});
