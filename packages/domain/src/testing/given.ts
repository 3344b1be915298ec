import * as assert from './assertions.ts';
import type { ResultAsync } from 'neverthrow';
import { createDomain } from '../create-domain.ts';
import type { Domain } from '../domain.ts';
import type { OrderDefinition } from '../orders/definition/order-definition.ts';
import { ORDERS } from '../orders/order-lifecycle.ts';
import type { Order } from '../orders/order.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import { anEventOf } from './builders.ts';
import { type FixedClock, fixedClock } from './fixed-clock.ts';
import { inMemoryStore } from './in-memory/in-memory-store.ts';
import { sequentialIds } from './sequential-ids.ts';

/** The owner of the orders of {@link given}. */
export const GIVEN_OWNER: Owner = 'owner';

/** A domain with the given orders. */
export interface Given<D extends OrderDefinition = typeof ORDERS> {
  /** Runs a use case, which `then…` waits for. */
  when<T, E>(command: (domain: Domain<D>, clock: FixedClock) => ResultAsync<T, E>): When<T, E>;
}

/** The use case under test, with the assertions about its outcome. Each assertion runs it. */
export interface When<T, E> {
  /**
   * Asserts that the use case succeeds and records exactly these events, and returns its value. Only the listed members
   * of each event are compared.
   */
  thenEvents(...expected: readonly Partial<DomainEvent<string>>[]): Promise<T>;
  /** Asserts that the use case returns exactly this error and records no event. */
  thenError(expected: E): Promise<void>;
}

/**
 * Starts a given-when-then test on an in-memory store with `orders` of {@link GIVEN_OWNER}: `given(anOrder({ id
 * })).when((domain) => domain.deleteOrder(GIVEN_OWNER, id)).thenEvents({ type: 'order.deleted' })`. Orders of another
 * definition than {@link ORDERS} come behind it: `given(BAKERY, anOrder({}, BAKERY))`. A failed assertion throws an
 * AssertionError, which every test runner reports.
 */
export function given<D extends OrderDefinition>(definition: D, ...orders: readonly Order<D>[]): Given<D>;
export function given(...orders: readonly Order[]): Given;
export function given(
  first?: OrderDefinition | Order<OrderDefinition>,
  ...others: readonly Order<OrderDefinition>[]
): unknown {
  if (first === undefined) return givenOrders(ORDERS, []);
  return 'lifecycle' in first ? givenOrders(first, others) : givenOrders(ORDERS, [first, ...others]);
}

function givenOrders(definition: OrderDefinition, orders: readonly Order<OrderDefinition>[]): Given<OrderDefinition> {
  const { events, ...store } = inMemoryStore({ definition });
  const clock = fixedClock();
  const domain = createDomain({ ...store, clock, ids: sequentialIds(0x9) }, definition);
  const storeGivenOrders = async (): Promise<number> => {
    for (const order of orders) {
      const stored = await store.orders.insert(GIVEN_OWNER, {
        order,
        event: anEventOf<OrderDefinition>(GIVEN_OWNER, order),
      });
      if (stored.isErr()) assert.fail(`a given order cannot be stored: ${stored.error.type}`);
    }
    return events().length;
  };
  return {
    when: (command) => ({
      thenEvents: async (...expected) => {
        const before = await storeGivenOrders();
        const value = await command(domain, clock).match(
          (value) => value,
          (error) => assert.fail(`unexpected error: ${JSON.stringify(error)}`),
        );
        const recorded = events().slice(before);
        assert.equal(recorded.length, expected.length, `the number of events: ${JSON.stringify(recorded)}`);
        // Taking unlisted members from the recorded event limits the comparison to the listed ones.
        const described = recorded.map((event, index) => ({ ...event, ...expected[index] }));
        assert.deepEqual(recorded, described);
        return value;
      },
      thenError: async (expected) => {
        const before = await storeGivenOrders();
        const error = await command(domain, clock).match(
          (value) => assert.fail(`unexpected success: ${JSON.stringify(value)}`),
          (error) => error,
        );
        assert.deepEqual(error, expected);
        assert.equal(events().length, before, 'the number of events');
      },
    }),
  };
}
