import { describe, expect, it } from 'vitest';
import { attempt, expectOneEffect } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { withoutFaults } from './steps.ts';

/** A short statement timeout, so that a write without a response soon fails. */
const STATEMENT_TIMEOUT_MS = 250;

const FAULTS = [
  { fault: 'swallowed', effect: 'no more data in either direction' },
  { fault: 'response_swallowed', effect: 'no more responses' },
] as const;

const proxied = await proxiedDatabase();

for (const write of KEYED_WRITES) {
  const database = proxied.of(write.definition);
  const { steps, outcome } = await withoutFaults(database, write);

  describe(`${write.name}, whose connection stays open and carries`, () => {
    for (const { number, text, name } of steps) {
      it.each(FAULTS)(
        `$effect from step ${name} on, is unavailable, and succeeds once when retried`,
        async ({ fault }) => {
          // On a busy machine an earlier step may already take too long. Then it gets more time.
          let reached = false;
          for (let tries = 0; tries < 6 && !reached; tries += 1) {
            const domain = await database.open(STATEMENT_TIMEOUT_MS * 2 ** tries);
            const tried = await attempt(database, domain, write, { step: number, fault });
            expect((await tried.run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
            reached = tried.armed?.statement !== undefined;
            if (!reached) continue;
            expect(tried.armed?.statement?.text).toBe(text);
            await expectOneEffect(tried, write, outcome);
          }
          expect(reached).toBe(true);
        },
      );
    }
  });
}
