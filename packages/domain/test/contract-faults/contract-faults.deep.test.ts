import { inMemoryStore, orderRepositoryContract, type TestRunner } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { BAKERY } from '../fixtures/a-bakery.ts';
import { checkpointFaults, feedFaults } from './feed-faults.ts';
import { itFinds, store } from './it-finds.ts';
import { endpointQueueFaults, webhookFaults } from './queue-faults.ts';
import { conflictOrderFaults, orderFaults, ruleFaults } from './rule-faults.ts';
import { statisticsFaults } from './statistics-faults.ts';
import { aggregateFaults, gateFaults, partFaults } from './store-faults.ts';

const ofAggregates = [aggregateFaults, gateFaults, partFaults, orderFaults, ruleFaults, conflictOrderFaults];
const ofEvents = [feedFaults, checkpointFaults, statisticsFaults, endpointQueueFaults, webhookFaults];
const FAULTS = [...ofAggregates, ...ofEvents].flat();

describe('the contract kit', () => {
  itFinds(FAULTS, (adapters) => store.testsOf(BAKERY, adapters));

  it.each([
    'orders: a commit to orders is stored for every server once it is acknowledged',
    'feed: the positions of events include an acknowledged write in the next page of a reader that has caught up',
    'feed: the positions of events are the same for all readers of two servers while events are written',
    'feed: a wait for events ends after a write of the same server and of another one',
    'queue: a claim belongs to one worker, also if several claim at a time',
  ])('uses the other server, as in %s', async (title) => {
    const test = store.testsOfTwoStores().find((one) => one.title === title);
    expect(await (test && store.failureOf(test))).toEqual(expect.any(String));
  });

  it('names the method that throws synchronously in one test, and skips those after it', async () => {
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
