import * as assert from './assertions.ts';
import type { ResultAsync } from 'neverthrow';
import type { AggregateStore, Loaded } from '../aggregates/aggregate-store.ts';
import type { OwnerCheckpoints } from '../events/checkpoints.ts';
import type { EventFeed } from '../events/event-feed.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { OrderRepository } from '../orders/order-repository.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { OrderStatistics } from '../statistics/order-statistics.ts';
import type { OrdersStore } from '../webhooks/orders-store.ts';

/**
 * The functions of a test runner that contracts register tests with. Those of vitest, node:test, Jest and Mocha fit.
 */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** What registers the tests of a contract: each gets a bench of its own. */
export interface Cases<Bench> {
  readonly describe: TestRunner['describe'];
  readonly it: (name: string, body: (bench: Bench) => Promise<void>) => unknown;
}

/** Returns what registers tests with `runner`, for each of which `open` opens the store under test. */
export function casesOf<Bench>({ describe, it }: TestRunner, open: Open<Bench>): Cases<Bench> {
  return { describe, it: (name, body) => it(name, async () => await body(await open())) };
}

/** The ports that contracts test. */
interface TestedPorts<D extends OrderDefinition> extends Omit<OrdersStore<D>, 'orders' | 'feed' | 'statistics'> {
  readonly orders: OrderRepository<D>;
  readonly feed: EventFeed<D>;
  readonly statistics: OrderStatistics<D>;
  readonly checkpoints: OwnerCheckpoints;
}

type TestedPort = keyof TestedPorts<OrderDefinition>;

/** Adapters of both repository ports, and of the ports `Further`, on the same data. */
type Server<D extends OrderDefinition, Further extends TestedPort> = Pick<
  TestedPorts<D>,
  'orders' | 'customers' | Further
> & {
  /**
   * Returns the events that feeds of `owner` have, oldest first: those of orders, of customers, and of webhook endpoints if
   * the store has them. Includes those of erased aggregates.
   */
  events(owner: Owner): Promise<readonly DomainEvent<string>[]>;
};

/** A store under test: adapters of both repository ports, and of the ports `Further`, on the same data. */
export type StoreSubject<D extends OrderDefinition = DefaultDefinition, Further extends TestedPort = never> = Server<
  D,
  Further
> & {
  /**
   * Opens the same data once more, by a connection of its own as another server has one. It sees whether a write is stored
   * once it is acknowledged. Default: none; the tests of two servers then use one.
   */
  readonly openAnother?: (() => Promise<Server<D, Further>> | Server<D, Further>) | undefined;
};

/** What a test does to a store beside its ports. */
interface Controls {
  /**
   * Purges events that occurred before `cutoff` from the feeds of all owners, with their deliveries. The contracts call it
   * with times of the year 2001 only, so that a store may contain other data.
   */
  purge(cutoff: Timestamp): Promise<void>;
  /**
   * Makes the store's time for `owner` later by `ms` milliseconds. A database whose clock cannot be set moves the stored
   * times of this owner back instead: those of claims, leases, next attempts and past results.
   */
  advance(owner: Owner, ms: number): Promise<void>;
  /** Time after which a wait that should have ended fails its test, in milliseconds. Default: 10 s. */
  readonly patienceMs?: number | undefined;
  /** Counts the figures of what is written so far. Default: no-op, for figures that follow at once. */
  readonly count?: ((owner: Owner) => Promise<void>) | undefined;
}

/** A store under test, with the feed of its events. */
export type EventFeedSubject<D extends OrderDefinition = DefaultDefinition> = StoreSubject<D, 'feed'> &
  Pick<Controls, 'purge' | 'patienceMs'>;

/** A store under test, with the checkpoints of consumers. */
export type OwnerCheckpointsSubject<D extends OrderDefinition = DefaultDefinition> = StoreSubject<
  D,
  'feed' | 'checkpoints'
> &
  Pick<Controls, 'purge' | 'advance' | 'patienceMs'>;

/** A store under test, with the figures of its orders. */
export type OrderStatisticsSubject<D extends OrderDefinition = DefaultDefinition> = StoreSubject<
  D,
  'feed' | 'statistics'
> &
  Pick<Controls, 'count'>;

/** A store under test, with webhook endpoints. */
export type WebhookEndpointSubject<D extends OrderDefinition = DefaultDefinition> = StoreSubject<
  D,
  'feed' | 'webhookEndpoints'
>;

/** A store under test, with webhook endpoints and their deliveries. */
export type WebhookQueueSubject<D extends OrderDefinition = DefaultDefinition> = StoreSubject<
  D,
  'feed' | 'webhookEndpoints' | 'webhookQueue' | 'webhookDeliveries'
> &
  Pick<Controls, 'purge' | 'advance'>;

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type Open<Subject> = () => Promise<Subject> | Subject;

/** The store of a running contract, which uses what its subject has. */
export type AnySubject = StoreSubject<OrderDefinition, TestedPort> & Controls;
/** A server of {@link AnySubject}. */
export type AnyServer = Server<OrderDefinition, TestedPort>;

/** The message of a failure about {@link StoreSubject.events}. */
export const EVERY_EVENT = 'events() of the subject must return every event of orders, customers and webhook endpoints';

let owners = 0;

/** Returns an owner that no other test uses. */
export function anOwner(): Owner {
  owners += 1;
  return `owner ${owners}`;
}

/** Returns the value of a successful result; fails the test for an error. */
export async function succeeds<T, E>(result: ResultAsync<T, E>): Promise<T> {
  return await result.match(
    (value) => value,
    (error) => assert.fail(`unexpected error: ${assert.toText(error)}`),
  );
}

/** Returns the error of a failed result; fails the test for a success. */
export async function fails<T, E>(result: ResultAsync<T, E>): Promise<E> {
  return await result.match(
    (value) => assert.fail(`unexpected success: ${assert.toText(value)}`),
    (error) => error,
  );
}

/**
 * Returns the reason with which a call rejects. Fails the test if the call succeeds, returns an error that a caller
 * would handle, or throws synchronously.
 */
export async function rejects<T, E>(call: () => ResultAsync<T, E>): Promise<unknown> {
  let result: ResultAsync<T, E>;
  try {
    result = call();
  } catch (cause) {
    return assert.fail(`thrown synchronously instead of rejected: ${String(cause)}`);
  }
  const [isRejected, reason] = await result.then(
    (settled) => [false, settled] as const,
    (cause: unknown) => [true, cause] as const,
  );
  return isRejected ? reason : assert.fail(`no rejection: ${assert.toText(reason)}`);
}

/** Returns an aggregate as its store has it. */
export async function loaded<A>(
  store: Pick<AggregateStore<A, never, never>, 'load'>,
  owner: Owner,
  id: string,
): Promise<Loaded<A>> {
  return (await succeeds(store.load(owner, id))) ?? assert.fail('the store has no such aggregate');
}
