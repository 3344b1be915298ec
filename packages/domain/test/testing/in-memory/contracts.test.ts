import { ORDERS } from '@orders/domain';
import { checkpointsContract, inMemoryStore, orderRepositoryContract } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aBakery, BAKERY } from '../../fixtures/a-bakery.ts';
import { NOTES, TICKETS } from '../../fixtures/a-definition.ts';
import { everyContract } from './every-contract.ts';

describe.each([
  ['the default definition', ORDERS],
  ['a bakery', BAKERY],
  ['one status', NOTES],
  ['a cycle through the initial and the cancel status', TICKETS],
])('the in-memory store with %s', (_, definition) => {
  everyContract({ describe, it }, definition);
});

checkpointsContract({ describe, it }, () => inMemoryStore().checkpoints);

describe('the contracts', () => {
  it('do not compile with a store of another definition, or without the definition', () => {
    const runner = { describe: () => undefined, it: () => undefined };
    const { events, ...store } = aBakery().store;
    const open = () => ({ ...store, events: () => Promise.resolve(events()) });
    orderRepositoryContract(runner, open, BAKERY);
    // @ts-expect-error -- the definition is missing
    orderRepositoryContract(runner, open);
    // @ts-expect-error -- another definition
    orderRepositoryContract(runner, () => ({ ...inMemoryStore(), events: () => Promise.resolve([]) }), BAKERY);
    expect(runner.it()).toBeUndefined();
  });
});
