import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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

describe('the guide for adapters', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../../docs/guides/write-an-adapter.md'), 'utf8');
  const named = Array.from(guide.matchAll(/`(\w+)`/g), ([, method]) => method);
  const { orders, customers } = inMemoryStore();

  it.each([...new Set([...methodsOf(orders), ...methodsOf(customers)])])('names %s', (method) => {
    expect(named).toContain(method);
  });
});

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

/** Returns the names of the methods of a store in memory, which are its own properties. */
function methodsOf(store: object): readonly string[] {
  return Object.entries(store).flatMap(([name, member]) => (typeof member === 'function' ? name : []));
}
