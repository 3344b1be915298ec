import { describe, expect, it } from 'vitest';
import { attempt, happensOnce } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';
import { undisturbed } from './steps.ts';

const FAULTS = [
  { fault: 'cut_before', told: 'is cut before a statement reaches PostgreSQL' },
  { fault: 'terminated', told: 'is ended by an administrator' },
  { fault: 'answer_lost', told: 'is cut before an answer comes' },
] as const;

const database = await proxiedDatabase();

for (const write of KEYED_WRITES) {
  const { steps, outcome } = await undisturbed(database, write);

  describe(`${write.name}, whose connection`, () => {
    for (const { number, text, name } of steps) {
      it.each(FAULTS)(`$told at step ${name}, so it is unavailable; again, and it happens once`, async ({ fault }) => {
        const tried = await attempt(database, await database.open(), write, {
          step: number,
          fault,
        });
        expect((await tried.run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
        expect(tried.armed?.statement?.text).toBe(text);
        await happensOnce(tried, write, outcome);
      });
    }
  });
}

// Nothing but a key tells whether a write of unknown outcome has happened, so without one it is not repeated.
describe('without a key it is not repeated inside:', () => {
  for (const write of KEYED_WRITES) {
    it.each(FAULTS)(`${write.name}, whose connection $told at the last step`, async ({ fault }) => {
      const domain = await database.open();
      const { run } = await attempt(database, domain, write);
      (await run({ keyed: false }))._unsafeUnwrap();
      const step = database.proxy.statements.length;
      const tried = await attempt(database, domain, write, { step, fault });
      expect((await tried.run({ keyed: false }))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
      expect(tried.armed?.statement).toBeDefined();
      expect(database.proxy.statements.filter(({ text }) => text !== 'rollback')).toHaveLength(step);
      const met = write.met ? { ...write.met.leaves, keys: [] } : tried.untouched;
      expect(await tried.effects()).toEqual(fault === 'answer_lost' ? { ...write.leaves, keys: [] } : met);
    });
  }
});
