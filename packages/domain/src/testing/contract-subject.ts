import * as assert from './assertions.ts';
import type { ResultAsync } from 'neverthrow';
import type { AggregateStore, Loaded } from '../aggregates/aggregate-store.ts';
import type { DefaultDefinition, OrderDefinition } from '../orders/order-lifecycle.ts';
import type { OrderRepository } from '../orders/order-repository.ts';
import type { CustomerRepository } from '../customers/customer-repository.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';

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
export function casesOf<Bench>({ describe, it }: TestRunner, open: () => Promise<Bench> | Bench): Cases<Bench> {
  return { describe, it: (name, body) => it(name, async () => await body(await open())) };
}

/** A store under test: adapters of both repository ports on the same data. */
export interface StoreSubject<D extends OrderDefinition = DefaultDefinition> {
  readonly orders: OrderRepository<D>;
  readonly customers: CustomerRepository;
  /**
   * Returns the events that feeds of `owner` have, oldest first: those of orders, of customers, and of webhook endpoints if
   * the store has them. Includes those of erased aggregates.
   */
  events(owner: Owner): Promise<readonly DomainEvent<string>[]>;
  /**
   * Opens the same data once more, by a connection of its own as another server has one. It sees whether a write is stored
   * once it is acknowledged. Default: none; the tests of two servers then use one.
   */
  readonly openAnother?: (() => Promise<StoreSubject<D>> | StoreSubject<D>) | undefined;
}

/** The message of a failure about {@link StoreSubject.events}. */
export const EVERY_EVENT = 'events() of the subject must return every event of orders, customers and webhook endpoints';

/** Opens the store under test. Each test calls it once. The store may contain data, as every test uses new owners. */
export type OpenSubject<D extends OrderDefinition = DefaultDefinition> = () =>
  | Promise<StoreSubject<D>>
  | StoreSubject<D>;

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
