import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testDatabase } from '../test-database.ts';
import { histories, resultsOf } from './generated-definitions.ts';

const database = testDatabase();

it('stores orders of generated definitions as memory does', async () => {
  const property = fc.asyncProperty(histories, async (history) => {
    const { stored, expected } = await resultsOf(database.url, history);
    expect(stored).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 8, seed: 22 });
});
