import * as assert from './assertions.ts';
import type { ResultAsync } from 'neverthrow';
import { createDomain, type Domain } from '../create-domain.ts';
import type { Order } from '../orders/order.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import { anEventOf } from './builders.ts';
import { type FixedClock, fixedClock } from './fixed-clock.ts';
import { inMemoryStore } from './in-memory/in-memory-store.ts';
import { sequentialIds } from './sequential-ids.ts';

/** Whose orders {@link given} keeps. */
export const GIVEN_OWNER: Owner = 'owner';

/** A domain over the given orders. */
export interface Given {
  /** Runs a use case, which `then…` waits for. */
  when<T, E>(command: (domain: Domain, clock: FixedClock) => ResultAsync<T, E>): When<T, E>;
}

/** A use case that was run. */
export interface When<T, E> {
  /** It succeeded and recorded just these events, each with at least what is said of it. Tells what it answered. */
  thenEvents(...expected: readonly Partial<DomainEvent<string>>[]): Promise<T>;
  /** It was refused with just this, and recorded nothing. */
  thenError(expected: E): Promise<void>;
}

/**
 * Begins a story about orders of {@link GIVEN_OWNER} in memory:
 * `given(anOrder({ id })).when((domain) => domain.cancelOrder(GIVEN_OWNER, id)).thenEvents({ type: 'order.cancelled' })`.
 * Fails by an AssertionError, so any test runner will do.
 */
export function given(...orders: readonly Order[]): Given {
  const { events, ...store } = inMemoryStore();
  const clock = fixedClock();
  const domain = createDomain({ ...store, clock, ids: sequentialIds(0x9) });
  const storeGivenOrders = async (): Promise<number> => {
    for (const order of orders) {
      const stored = await store.orders.insert(GIVEN_OWNER, { order, event: anEventOf(GIVEN_OWNER, order) });
      if (stored.isErr()) assert.fail(`a given order cannot be kept: ${stored.error.type}`);
    }
    return events().length;
  };
  return {
    when: (command) => ({
      thenEvents: async (...expected) => {
        const before = await storeGivenOrders();
        const value = await command(domain, clock).match(
          (value) => value,
          (error) => assert.fail(`refused: ${JSON.stringify(error)}`),
        );
        const recorded = events().slice(before);
        assert.equal(recorded.length, expected.length, `the number of events: ${JSON.stringify(recorded)}`);
        // Of each event only what the story tells is compared.
        const described = recorded.map((event, index) => ({ ...event, ...expected[index] }));
        assert.deepEqual(recorded, described);
        return value;
      },
      thenError: async (expected) => {
        const before = await storeGivenOrders();
        const error = await command(domain, clock).match(
          (value) => assert.fail(`accepted: ${JSON.stringify(value)}`),
          (error) => error,
        );
        assert.deepEqual(error, expected);
        assert.equal(events().length, before, 'the number of events');
      },
    }),
  };
}
