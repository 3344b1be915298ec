import * as assert from './assertions.ts';
import type { ResultAsync } from 'neverthrow';
import { createDomain } from '../create-domain.ts';
import type { Domain } from '../domain.ts';
import type { Customer } from '../customers/customer.ts';
import type { EventType } from '../event-types.ts';
import { type DefaultDefinition, type OrderDefinition, ORDERS } from '../orders/order-lifecycle.ts';
import type { Order } from '../orders/order.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { Owner } from '../shared/ids.ts';
import type { WebhookEndpoint } from '../webhooks/webhook-endpoint.ts';
import { anEventOf, anEventOfCustomer, anEventOfEndpoint } from './builders.ts';
import { type FixedClock, fixedClock } from './fixed-clock.ts';
import { type InMemoryStore, inMemoryStore } from './in-memory/in-memory-store.ts';
import { sequentialIds } from './sequential-ids.ts';

/** The owner of everything that is {@link given}. */
export const GIVEN_OWNER: Owner = 'owner';

/** What a test begins with: orders, customers and webhook endpoints. */
export type GivenAggregate<D extends OrderDefinition = DefaultDefinition> = Order<D> | Customer | WebhookEndpoint<D>;

/** A domain with what is given. */
export interface Given<D extends OrderDefinition = DefaultDefinition> {
  /** Runs a use case once, with the first `then…`, on a store of its own. */
  when<T, E>(command: (domain: Domain<D>, clock: FixedClock) => ResultAsync<T, E>): When<D, T, E>;
  /** Returns the same at another time: the clock shows `time` when the use case begins. Default: that of {@link fixedClock}. */
  at(time: Timestamp): Given<D>;
}

/** The use case under test, with the assertions about its outcome. They may be repeated and combined. */
export interface When<D extends OrderDefinition, T, E> {
  /**
   * Asserts that the use case succeeds and records exactly these events, and returns its value. Only the listed members
   * of each event are compared.
   */
  thenEvents(...expected: readonly Partial<DomainEvent<EventType<D>>>[]): Promise<T>;
  /** Asserts that the use case returns exactly this error and records no event. */
  thenError(expected: E): Promise<void>;
}

/**
 * Starts a given-when-then test on an in-memory store with aggregates of {@link GIVEN_OWNER}: `given(anOrder({ id
 * })).when((domain) => domain.deleteOrder(GIVEN_OWNER, id)).thenEvents({ type: 'order.deleted' })`. Orders of another
 * definition than {@link ORDERS} come behind it: `given(BAKERY, anOrder({}, BAKERY))`. A customer comes before the
 * orders that refer to it. A failed assertion throws an AssertionError, which every test runner reports.
 */
export function given(...aggregates: readonly GivenAggregate[]): Given;
export function given<D extends OrderDefinition>(definition: D, ...aggregates: readonly GivenAggregate<D>[]): Given<D>;
export function given(
  first?: OrderDefinition | GivenAggregate<OrderDefinition>,
  ...others: readonly GivenAggregate<OrderDefinition>[]
): unknown {
  if (first === undefined) return givenAggregates(ORDERS, []);
  return 'lifecycle' in first ? givenAggregates(first, others) : givenAggregates(ORDERS, [first, ...others]);
}

function givenAggregates(
  definition: OrderDefinition,
  aggregates: readonly GivenAggregate<OrderDefinition>[],
  start?: Timestamp,
): Given<OrderDefinition> {
  return {
    at: (time) => givenAggregates(definition, aggregates, time),
    when: (command) => {
      const run = async () => {
        const { events, ...store } = inMemoryStore({ definition });
        for (const aggregate of aggregates) {
          const stored = await storeGiven(store, aggregate);
          if (stored.isErr()) assert.fail(`what is given cannot be stored: ${JSON.stringify(stored.error)}`);
        }
        const before = events().length;
        const clock = fixedClock(start);
        const result = await command(createDomain({ ...store, clock, ids: sequentialIds(0x9) }, definition), clock);
        return { result, recorded: events().slice(before) };
      };
      let outcome: ReturnType<typeof run> | undefined;
      return {
        thenEvents: async (...expected) => {
          const { result, recorded } = await (outcome ??= run());
          if (result.isErr()) assert.fail(`unexpected error: ${JSON.stringify(result.error)}`);
          assert.equal(recorded.length, expected.length, `the number of events: ${JSON.stringify(recorded)}`);
          // Taking unlisted members from the recorded event limits the comparison to the listed ones.
          const described = recorded.map((event, index) => ({ ...event, ...expected[index] }));
          assert.deepEqual(recorded, described);
          return result.value;
        },
        thenError: async (expected) => {
          const { result, recorded } = await (outcome ??= run());
          if (result.isOk()) assert.fail(`unexpected success: ${JSON.stringify(result.value)}`);
          assert.deepEqual(result.error, expected);
          assert.equal(recorded.length, 0, 'the number of events');
        },
      };
    },
  };
}

function storeGiven(
  {
    orders,
    customers,
    webhookEndpoints,
  }: Pick<InMemoryStore<OrderDefinition>, 'orders' | 'customers' | 'webhookEndpoints'>,
  aggregate: GivenAggregate<OrderDefinition>,
) {
  const creation = { kind: 'create', key: undefined } as const;
  if ('items' in aggregate) {
    const event = anEventOf<OrderDefinition>(GIVEN_OWNER, aggregate);
    return orders.commit(GIVEN_OWNER, { ...creation, after: aggregate, event });
  }
  if ('email' in aggregate) {
    const event = anEventOfCustomer(GIVEN_OWNER, aggregate);
    return customers.commit(GIVEN_OWNER, { ...creation, after: aggregate, event });
  }
  const event = anEventOfEndpoint(GIVEN_OWNER, aggregate);
  return webhookEndpoints.commit(GIVEN_OWNER, { ...creation, after: aggregate, event });
}
