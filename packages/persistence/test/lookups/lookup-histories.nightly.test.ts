import { expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { checkLookupsOfHistory } from './lookup-history.ts';

const ROUNDS = 10;
const COMMANDS = 100_000;

const database = testDatabase();

it('lookups are those of a scan after a hundred thousand random commands', async () => {
  let count = 0;
  for (let seed = 1; seed <= ROUNDS; seed += 1)
    count += await checkLookupsOfHistory(database.url, `garage-${seed}`, COMMANDS / ROUNDS, seed);
  expect(count).toBeGreaterThan(COMMANDS / 10);
}, 1_800_000);
