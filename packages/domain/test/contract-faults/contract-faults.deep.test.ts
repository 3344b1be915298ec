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
    'feed: the positions of events include an acknowledged write in the next page of a reader that has caught up',
    'feed: the positions of events are the same for all readers of two servers while events are written',
    'feed: a wait for events ends after a write of the same server and of another one',
    'queue: a claim belongs to one worker, also if several claim at a time',
  ])('uses the other server, as in %s', async (title) => {
    const test = store.testsOfTwoStores().find((one) => one.title === title);
    expect(await (test && store.failureOf(test))).toEqual(expect.any(String));
  });
});
