import { describe, expect, it } from 'vitest';
import { attempt, expectOneEffect } from './attempt.ts';
import { KEYED_WRITES } from './keyed-writes.ts';
import { proxiedDatabase } from './proxied-database.ts';

const FAULTS = [
  { fault: 'cut_before', effect: 'is cut before a statement reaches PostgreSQL' },
  { fault: 'terminated', effect: 'is ended by an administrator' },
  { fault: 'response_lost', effect: 'is cut before a response arrives' },
] as const;

const database = await proxiedDatabase();

for (const write of KEYED_WRITES) {
  const { run } = await attempt(database, await database.open(), write);
  const outcome = (await run())._unsafeUnwrap();
  const steps = database.proxy.statements.map(({ text }, index) => ({
    number: index + 1,
    text,
    name: `${index + 1} (${text.trim().replaceAll(/\s+/g, ' ').slice(0, 40)})`,
  }));

  describe(`${write.name}, whose connection`, () => {
    for (const { number, text, name } of steps) {
      it.each(FAULTS)(`$effect at step ${name}, is unavailable, and succeeds once when retried`, async ({ fault }) => {
        const tried = await attempt(database, await database.open(), write, {
          step: number,
          fault,
        });
        expect((await tried.run())._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
        expect(tried.armed?.statement?.text).toBe(text);
        await expectOneEffect(tried, write, outcome);
      });
    }
  });
}

// Only a key reveals whether a write of unknown outcome has happened, so a write without one is not retried.
describe('a write without a key, which is not retried internally', () => {
  for (const write of KEYED_WRITES) {
    it.each(FAULTS)(`${write.name} is unavailable when its connection $effect at the last step`, async ({ fault }) => {
      const domain = await database.open();
      const { run } = await attempt(database, domain, write);
      (await run({ keyed: false }))._unsafeUnwrap();
      const step = database.proxy.statements.length;
      const tried = await attempt(database, domain, write, { step, fault });
      expect((await tried.run({ keyed: false }))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
      expect(tried.armed?.statement).toBeDefined();
      expect(database.proxy.statements.filter(({ text }) => text !== 'rollback')).toHaveLength(step);
      const competing = write.competing ? { ...write.competing.leaves, keys: [] } : tried.untouched;
      expect(await tried.effects()).toEqual(fault === 'response_lost' ? { ...write.leaves, keys: [] } : competing);
    });
  }
});
