import { describe, expect, it } from 'vitest';
import { anotherSession } from './another-session.ts';
import { attempt, expectOneEffect } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { type Step, withoutFaults } from './steps.ts';

const database = await proxiedDatabase();

/**
 * Returns a table for a failing constraint, to which `step` or a later one adds a row. Adding a constraint waits for
 * the transactions that touched the table, so the write's own transaction must not have touched it.
 */
function tableToConstrain({ touched }: Step, later: readonly Step[]): string | undefined {
  return ['once', 'outbox'].find(
    (table) => !touched.includes(table) && later.some(({ text }) => text.includes(`insert into ${table} `)),
  );
}

for (const write of KEYED_WRITES) {
  const { steps, outcome } = await withoutFaults(database, write);

  const constrained = steps.flatMap((step, index) => {
    const table = tableToConstrain(step, steps.slice(index));
    return table === undefined ? [] : [{ name: step.name, step, table }];
  });
  const late = steps.filter((step, index) => tableToConstrain(step, steps.slice(index)) === undefined);

  describe(`${write.name}, with a failing constraint`, () => {
    it.each(constrained)(
      'is rejected on $table since step $name, and succeeds once when retried',
      async ({ step, table }) => {
        const other = await anotherSession(database.url);
        const addConstraint = `alter table ${table} add constraint injected check (false) not valid`;
        const tried = await attempt(database, await database.open(), write, {
          step: step.number,
          fault: async () => void (await other.query(addConstraint)),
        });
        // No domain rule failed and the database is available. The violation is a bug and is thrown.
        await expect(tried.run()).rejects.toMatchObject({ code: '23514', constraint: 'injected' });
        expect(tried.armed?.statement?.text).toBe(step.text);
        await other.query(`alter table ${table} drop constraint injected`);
        await expectOneEffect(tried, write, outcome);
      },
    );

    // All rows have been written and checked, and a new constraint would wait for this transaction to end.
    it.each(late)('since step $name is impossible because no row is added', ({ text }) => {
      expect(text).toBe('commit');
    });
  });
}
