import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryStore, orderRepositoryContract, type TestRunner } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aBakery, BAKERY } from '../fixtures/a-bakery.ts';

describe('the guide for adapters', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/guides/write-an-adapter.md'), 'utf8');
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

  it('name the method that throws synchronously in one test, and skip those after it', async () => {
    const skipped: string[] = [];
    const failed: unknown[] = [];
    const tests: (() => Promise<void>)[] = [];
    const runner: TestRunner = {
      describe: (_, body) => body(),
      it: (_, body: (context?: object) => Promise<void>) =>
        tests.push(() => body({ skip: (reason: string) => skipped.push(reason) })),
    };
    orderRepositoryContract(runner, () => {
      const { orders, customers } = inMemoryStore();
      const commit = () => {
        throw new Error('disk full');
      };
      return { orders: { ...orders, commit }, customers, events: () => Promise.resolve([]) };
    });
    for (const test of tests) await test().catch((error: unknown) => failed.push(error));
    const message =
      'thrown synchronously by orders.commit, which must return a ResultAsync that rejects: Error: disk full';
    expect(failed).toEqual([expect.objectContaining({ name: 'AssertionError', message })]);
    expect(skipped).toEqual(tests.slice(1).map(() => message));
  });
});

/** Returns the names of the methods of a store in memory, which are its own properties. */
function methodsOf(store: object): readonly string[] {
  return Object.entries(store).flatMap(([name, member]) => (typeof member === 'function' ? name : []));
}
