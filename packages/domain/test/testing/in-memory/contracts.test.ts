import { ORDERS } from '@orders/domain';
import { checkpointsContract, inMemoryStore } from '@orders/domain/testing';
import { describe, it } from 'vitest';
import { BAKERY } from '../../fixtures/a-bakery.ts';
import { NOTES, TICKETS } from '../../fixtures/a-definition.ts';
import { everyContract } from './every-contract.ts';

describe.each([
  ['the default definition', ORDERS],
  ['a bakery', BAKERY],
  ['one status', NOTES],
  ['a cycle through the initial and the cancel status', TICKETS],
])('the in-memory store with %s', (_, definition) => {
  // Without what skips tests, so that a mutant fails every test that finds it.
  // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the contract has both
  everyContract({ describe, it: (name, body) => it(name, () => body()) }, definition);
});

checkpointsContract({ describe, it }, () => inMemoryStore().checkpoints);
