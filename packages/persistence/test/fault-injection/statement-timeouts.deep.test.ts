import { describe, expect, it } from 'vitest';
import { anotherSession } from './another-session.ts';
import { attempt, happensOnce } from './attempt.ts';
import { type KeyedWrite, KEYED_WRITES, type Outcome } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { type Step, undisturbed } from './steps.ts';

const STATEMENT_TIMEOUT_MS = 250;

const database = await proxiedDatabase();

/**
 * A table on which a lock of another session keeps the step from going on; its own transaction holds those it touched.
 */
function tableInTheWay({ tables, touched }: Step): string | undefined {
  return tables.find((table) => !touched.includes(table));
}

async function timesOut(write: KeyedWrite, { number, text }: Step, table: string, outcome: Outcome): Promise<boolean> {
  const other = await anotherSession(database.url);
  const tried = await attempt(database, await database.open(STATEMENT_TIMEOUT_MS), write, {
    step: number,
    fault: async () => void (await other.query(`begin; lock table ${table}`)),
  });
  expect((await tried.run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: { code: '57014' } });
  await other.query('rollback');
  if (!tried.armed?.statement) return false;
  expect(tried.armed.statement.text).toBe(text);
  await happensOnce(tried, write, outcome);
  return true;
}

for (const write of KEYED_WRITES) {
  const { steps, outcome } = await undisturbed(database, write);

  const inTheWay = steps.flatMap((step) => {
    const table = tableInTheWay(step);
    return table === undefined ? [] : [{ name: step.name, step, table }];
  });
  const free = steps.filter((step) => tableInTheWay(step) === undefined);

  describe(`${write.name}, of which a statement takes too long`, () => {
    it.each(inTheWay)('at step $name is unavailable; again, and it happens once', async ({ step, table }) => {
      // On a busy machine a step before may already take too long, with nobody in its way.
      let reached = false;
      for (let tries = 0; tries < 5 && !reached; tries += 1) reached = await timesOut(write, step, table, outcome);
      expect(reached).toBe(true);
    });

    // Nobody can be in the way of these: neither asks for a lock, and no constraint is deferred to the end.
    it.each(free)('at step $name cannot be: it waits for nobody', ({ text }) => {
      expect(text).toMatch(/^(begin|commit)$/);
    });
  });
}
