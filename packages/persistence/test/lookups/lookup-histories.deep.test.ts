import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { checkLookupsOfHistory } from './lookup-history.ts';

const database = testDatabase();

it.each([3, 5])(
  'lookups are those of a scan after random commands, when a definition changed meanwhile: %i',
  async (seed) => {
    expect(await checkLookupsOfHistory(database.url, `garage-${seed}`, 1200, seed)).toBeGreaterThan(100);
  },
);
