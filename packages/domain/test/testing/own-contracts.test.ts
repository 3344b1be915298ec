import { createDomain, type OrderDefinition } from '@orders/domain';
import {
  customerRepositoryContract,
  eventFeedContract,
  fixedClock,
  inMemoryStore,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  webhookQueueContract,
} from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { aBakery, BAKERY } from '../fixtures/a-bakery.ts';
import { SAMPLES } from '../fixtures/a-definition.ts';

/** Returns a function that opens an in-memory store as the subject of every contract. */
function opening(definition: OrderDefinition) {
  return () => {
    const clock = fixedClock();
    const { events, purgeEvents, ...store } = inMemoryStore({ definition, clock });
    return {
      ...store,
      endpoints: store.webhookEndpoints,
      queue: store.webhookQueue,
      deliveries: store.webhookDeliveries,
      events: (owner: string) => Promise.resolve(events().filter((event) => event.owner === owner)),
      purge: (cutoff: string) => Promise.resolve(purgeEvents(cutoff)),
      advance: (_owner: string, ms: number) => Promise.resolve(clock.advance(ms)),
    };
  };
}

describe.each(SAMPLES)('the in-memory store with %s', (_, definition) => {
  const open = opening(definition);
  orderRepositoryContract({ describe, it }, open, definition);
  customerRepositoryContract({ describe, it }, open, definition);
  eventFeedContract({ describe, it }, open, definition);
  webhookEndpointRepositoryContract({ describe, it }, open, definition);
  webhookQueueContract({ describe, it }, open, definition);
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
    expect(createDomain).toBeDefined();
  });
});
