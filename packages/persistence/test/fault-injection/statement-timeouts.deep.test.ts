import { isNativeError } from 'node:util/types';
import { describe, expect, it } from 'vitest';
import { anotherSession } from './another-session.ts';
import { attempt, expectOneEffect } from './attempt.ts';
import { type KeyedWrite, KEYED_WRITES, type Outcome } from './keyed-writes.ts';
import { type ProxiedDatabase, proxiedDatabase } from './proxied-database.ts';
import { type Step, withoutFaults } from './steps.ts';

const STATEMENT_TIMEOUT_MS = 250;

/** The message of `pg` when a response takes even longer. */
const RESPONSE_LATE = 'Query read timeout';

const proxied = await proxiedDatabase();

/**
 * Returns the tables whose lock by another session blocks the step. The write's own transaction holds the tables that it
 * touched.
 */
function tablesToLock({ tables, touched }: Step): readonly string[] {
  return tables.filter((table) => !touched.includes(table));
}

async function timesOut(
  database: ProxiedDatabase,
  write: KeyedWrite,
  { number, text }: Step,
  table: string,
  outcome: Outcome,
  timeoutMs: number,
): Promise<boolean> {
  const other = await anotherSession(database.url);
  // A write that ran out of time before the step must not lock the table for the next one.
  let isOver = false;
  const tried = await attempt(database, await database.open(timeoutMs), write, {
    step: number,
    fault: async () => {
      if (!isOver) await other.query(`begin; lock table ${table}`);
    },
  });
  const error = (await tried.run())._unsafeUnwrapErr();
  isOver = true;
  await other.query('rollback');
  // On a busy machine the response of PostgreSQL may come after the time for which it is waited.
  const isLate = 'cause' in error && isNativeError(error.cause) && error.cause.message === RESPONSE_LATE;
  if (isLate || !tried.armed?.statement) return false;
  expect(error).toMatchObject({ type: 'unavailable', cause: { code: '57014' } });
  expect(tried.armed.statement.text).toBe(text);
  await expectOneEffect(tried, write, outcome);
  return true;
}

for (const write of KEYED_WRITES) {
  const database = proxied.of(write.definition);
  const { steps, outcome } = await withoutFaults(database, write);

  const locked = steps.flatMap((step) => tablesToLock(step).map((table) => ({ name: step.name, step, table })));
  const free = steps.filter((step) => tablesToLock(step).length === 0);

  describe(`${write.name}, with a statement that takes too long`, () => {
    it.each(locked)(
      'is unavailable at $table in step $name, and succeeds once when retried',
      async ({ step, table }) => {
        // On a busy machine an earlier step may already take too long without the lock. Then it gets more time.
        let reached = false;
        for (let tries = 0; tries < 6 && !reached; tries += 1)
          reached = await timesOut(database, write, step, table, outcome, STATEMENT_TIMEOUT_MS * 2 ** tries);
        expect(reached).toBe(true);
      },
    );

    // These steps wait for no lock: the read follows the lock of its row, and no constraint is deferred to the end of
    // the transaction.
    it.each(free)('is impossible at step $name, which waits for no lock', ({ text }) => {
      expect(text).toMatch(/^(begin|commit|\s*select [^(]* from orders as o where [^(]*)$/);
    });
  });
}
