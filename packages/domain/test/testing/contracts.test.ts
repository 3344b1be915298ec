import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrderRepository } from '@orders/domain';
import { inMemoryStore, orderRepositoryContract, type TestRunner } from '@orders/domain/testing';
import { okAsync } from 'neverthrow';
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

  it.each([
    [
      'throws synchronously',
      (): Partial<OrderRepository> => ({
        commit: () => {
          throw new Error('disk full');
        },
      }),
      'thrown synchronously by orders.commit, which must return a ResultAsync that rejects: Error: disk full',
      undefined,
    ],
    [
      'loads nothing',
      (): Partial<OrderRepository> => ({ load: () => okAsync(null) }),
      'the store has no such aggregate',
      'a test before has failed: stores a new aggregate, its event and its key for every server, with an unused key',
    ],
  ])(
    'name what is wrong with a store that %s in one test, and skip those after it',
    async (_, fault, message, reason) => {
      const skipped: string[] = [];
      const failed: unknown[] = [];
      const tests: (() => Promise<void>)[] = [];
      const runner: TestRunner = {
        describe: (__, body) => body(),
        it: (__, body: (context?: object) => Promise<void>) =>
          tests.push(() => body({ skip: (why: string) => skipped.push(why) })),
      };
      orderRepositoryContract(runner, () => {
        const { orders, customers } = inMemoryStore();
        return { orders: { ...orders, ...fault() }, customers, events: () => Promise.resolve([]) };
      });
      for (const test of tests) await test().catch((error: unknown) => failed.push(error));
      expect(failed).toEqual([expect.objectContaining({ name: 'AssertionError', message })]);
      expect(skipped).toEqual(tests.slice(1).map(() => reason ?? message));
    },
  );
});

/** Returns the names of the methods of a store in memory, which are its own properties. */
function methodsOf(store: object): readonly string[] {
  return Object.entries(store).flatMap(([name, member]) => (typeof member === 'function' ? name : []));
}
