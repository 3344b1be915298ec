import type { OrderDefinition } from '@orders/domain';
import {
  customerRepositoryContract,
  eventFeedContract,
  fixedClock,
  inMemoryStore,
  orderRepositoryContract,
  orderStatisticsContract,
  ownerCheckpointsContract,
  type TestRunner,
  webhookEndpointRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';

/** Returns a function that opens an in-memory store as the subject of every contract. */
export function opening(definition: OrderDefinition) {
  return () => {
    const clock = fixedClock();
    const { events, purgeEvents, ...store } = inMemoryStore({ definition, clock });
    return {
      ...store,
      events: (owner: string) => Promise.resolve(events().filter((event) => event.owner === owner)),
      purge: (cutoff: string) => Promise.resolve(purgeEvents(cutoff)),
      advance: (_owner: string, ms: number) => Promise.resolve(clock.advance(ms)),
    };
  };
}

/** Registers the quick tests of every contract of a store with the in-memory one. */
export function everyContract(runner: TestRunner, definition: OrderDefinition): void {
  const open = opening(definition);
  orderRepositoryContract(runner, open, definition);
  customerRepositoryContract(runner, open, definition);
  eventFeedContract(runner, open, definition);
  orderStatisticsContract(runner, open, definition);
  ownerCheckpointsContract(runner, open, definition);
  webhookEndpointRepositoryContract(runner, open, definition);
  webhookQueueContract(runner, open, definition);
}
