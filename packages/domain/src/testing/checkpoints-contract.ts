import type { Checkpoints } from '../events/checkpoints.ts';
import * as assert from './assertions.ts';
import { anOwner, casesOf, type Open, succeeds, type TestRunner } from './contract-subject.ts';

const [FIRST, SECOND] = [
  { position: 1, event: '8000000000000001' },
  { position: 2 ** 40, event: 'b000000000000001' },
] as const;

/** Registers with `runner` every test that an adapter of the checkpoints port must pass. */
export function checkpointsContract(runner: TestRunner, open: Open<Checkpoints>): void {
  const { describe, it } = casesOf(runner, open);
  describe('a checkpoint', () => {
    it('is the last saved position, also if it is an earlier one', async (checkpoints) => {
      const owner = anOwner();
      for (const position of [FIRST, SECOND, FIRST, { position: 0, event: '0000000000000000' }]) {
        await succeeds(checkpoints.save(owner, 'mail', position));
        assert.deepEqual(await succeeds(checkpoints.load(owner, 'mail')), position);
      }
    });

    it('belongs to one owner and one consumer', async (checkpoints) => {
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const names = ['mail', 'mail ', 'Mail', '~'.repeat(255)];
      for (const [index, name] of names.entries())
        await succeeds(checkpoints.save(owner, name, { ...FIRST, position: index + 1 }));
      await succeeds(checkpoints.save(otherOwner, 'mail', SECOND));
      for (const [index, name] of names.entries())
        assert.deepEqual(await succeeds(checkpoints.load(owner, name)), { ...FIRST, position: index + 1 });
      assert.deepEqual(await succeeds(checkpoints.load(otherOwner, 'mail')), SECOND);
      assert.equal(await succeeds(checkpoints.load(otherOwner, 'Mail')), null);
    });

    it('is saved and returned as a copy', async (checkpoints) => {
      const owner = anOwner();
      const position = { ...FIRST };
      await succeeds(checkpoints.save(owner, 'mail', position));
      Object.assign(position, SECOND);
      Object.assign((await succeeds(checkpoints.load(owner, 'mail'))) ?? {}, SECOND);
      assert.deepEqual(await succeeds(checkpoints.load(owner, 'mail')), FIRST);
    });
  });
}
