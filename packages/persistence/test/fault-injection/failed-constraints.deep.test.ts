import { describe, expect, it } from 'vitest';
import { anotherSession } from './another-session.ts';
import { attempt, expectOneEffect } from './attempt.ts';
import { type KeyedWrite, KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { type Step, withoutFaults } from './steps.ts';

const proxied = await proxiedDatabase();

/** The step before which the competing write happens. */
const COMPETING = 2;

/**
 * Returns the tables for a failing constraint, to which `step` or a later one adds a row. Adding a constraint waits for
 * the transactions that touched the table, so the write's own transaction must not have touched it. Nor may it reject
 * the competing write, which has no key.
 */
function tablesToConstrain({ competing }: KeyedWrite, step: Step, later: readonly Step[]): readonly string[] {
  const isBeforeCompeting = competing !== undefined && step.number <= COMPETING;
  return ['idempotency', ...(isBeforeCompeting ? [] : ['changes'])].filter(
    (table) => !step.touched.includes(table) && later.some(({ filled }) => filled.includes(table)),
  );
}

for (const write of KEYED_WRITES) {
  const database = proxied.of(write.definition);
  const { steps, outcome } = await withoutFaults(database, write);

  const constrained = steps.flatMap((step, index) =>
    tablesToConstrain(write, step, steps.slice(index)).map((table) => ({ name: step.name, step, table })),
  );
  const late = steps.filter((step, index) => tablesToConstrain(write, step, steps.slice(index)).length === 0);

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
