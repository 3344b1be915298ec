import { describe, expect, it } from 'vitest';
import { attempt, happensOnce } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { undisturbed } from './steps.ts';

/** So short that what waits for an answer that never comes soon gives up. */
const STATEMENT_TIMEOUT_MS = 250;

const FAULTS = [
  { fault: 'swallowed', told: 'nothing any more' },
  { fault: 'answer_swallowed', told: 'no answer any more' },
] as const;

const database = await proxiedDatabase();

for (const write of KEYED_WRITES) {
  const { steps, outcome } = await undisturbed(database, write);

  describe(`${write.name}, whose connection does not end and carries`, () => {
    for (const { number, text, name } of steps) {
      it.each(FAULTS)(`$told from step ${name} on, is unavailable; again, and it happens once`, async ({ fault }) => {
        // On a busy machine a step before may already take too long.
        let reached = false;
        for (let tries = 0; tries < 5 && !reached; tries += 1) {
          const domain = await database.open(STATEMENT_TIMEOUT_MS);
          const tried = await attempt(database, domain, write, { step: number, fault });
          expect((await tried.run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
          reached = tried.armed?.statement !== undefined;
          if (!reached) continue;
          expect(tried.armed?.statement?.text).toBe(text);
          await happensOnce(tried, write, outcome);
        }
        expect(reached).toBe(true);
      });
    }
  });
}
