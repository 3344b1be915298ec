import { describe, expect, it } from 'vitest';
import { anotherSession } from './another-session.ts';
import { attempt, happensOnce } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { type Step, undisturbed } from './steps.ts';

const database = await proxiedDatabase();

/**
 * A table to plant a constraint on before `step`, that this step or a later one adds a row to. To plant one is to wait
 * for the transactions that touched the table, so it cannot be one that the write's own touched.
 */
function tableToPlantOn({ touched }: Step, later: readonly Step[]): string | undefined {
  return ['once', 'outbox'].find(
    (table) => !touched.includes(table) && later.some(({ text }) => text.includes(`insert into ${table} `)),
  );
}

for (const write of KEYED_WRITES) {
  const { steps, outcome } = await undisturbed(database, write);

  const planted = steps.flatMap((step, index) => {
    const table = tableToPlantOn(step, steps.slice(index));
    return table === undefined ? [] : [{ name: step.name, step, table }];
  });
  const late = steps.filter((step, index) => tableToPlantOn(step, steps.slice(index)) === undefined);

  describe(`${write.name}, with a constraint that fails`, () => {
    it.each(planted)('on $table since step $name, is rejected; again, and it happens once', async ({ step, table }) => {
      const other = await anotherSession(database.url);
      const plant = `alter table ${table} add constraint planted check (false) not valid`;
      const tried = await attempt(database, await database.open(), write, {
        step: step.number,
        fault: async () => void (await other.query(plant)),
      });
      // No rule of the domain has failed, and the database is available: it is a mistake, and thrown as one.
      await expect(tried.run()).rejects.toMatchObject({ code: '23514', constraint: 'planted' });
      expect(tried.armed?.statement?.text).toBe(step.text);
      await other.query(`alter table ${table} drop constraint planted`);
      await happensOnce(tried, write, outcome);
    });

    // By then every row is written and has met its constraints, and a new one would wait for this transaction to end.
    it.each(late)('since step $name cannot be: it adds no row', ({ text }) => {
      expect(text).toBe('commit');
    });
  });
}
