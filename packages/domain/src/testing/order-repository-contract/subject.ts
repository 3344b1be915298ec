import assert from 'node:assert/strict';
import { ok, type Result, type ResultAsync } from 'neverthrow';
import { applyOrderChange, type OrderChange } from '../../orders/order-change.ts';
import type { OrderEvent } from '../../orders/order-events.ts';
import type { OrderRepository, OrderDecision } from '../../orders/order-repository.ts';
import type { Order } from '../../orders/order.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Once } from '../../shared/once.ts';
import { anEventOf, anOrder } from '../builders.ts';

/** What a test runner gives: vitest's, node:test's, Jest's and Mocha's fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => void;
  readonly it: (name: string, body: () => Promise<void>) => void;
}

/** An adapter under test. */
export interface OrderRepositorySubject {
  readonly orders: OrderRepository;
  /** Makes a customer of `owner` and tells its id. */
  addCustomer(owner: Owner): Promise<string>;
  /** The events recorded for `owner`, oldest first. */
  events(owner: Owner): Promise<readonly OrderEvent[]>;
}

/** Opens the adapter under test; called once per test. It need not be empty: every test has owners of its own. */
export type OpenSubject = () => Promise<OrderRepositorySubject> | OrderRepositorySubject;

let owners = 0;

/** An owner that no other test has. */
export function anOwner(): Owner {
  owners += 1;
  return `owner ${owners}`;
}

/** The value of a success; a refusal fails the test. */
export async function succeeds<T, E>(result: ResultAsync<T, E>): Promise<T> {
  return await result.match(
    (value) => value,
    (error) => assert.fail(`unexpected refusal: ${JSON.stringify(error)}`),
  );
}

/** The error of a refusal; a success fails the test. */
export async function refuses<T, E>(result: ResultAsync<T, E>): Promise<E> {
  return await result.match(
    (value) => assert.fail(`unexpected success: ${JSON.stringify(value)}`),
    (error) => error,
  );
}

/** Keeps `order` for `owner`. */
export async function keep(
  { orders }: OrderRepositorySubject,
  owner: Owner,
  order: Order = anOrder(),
  once?: Once,
): Promise<Order> {
  const written = await succeeds(orders.insert(owner, { order, event: anEventOf(owner, order) }, once));
  return written.order;
}

/** The decision to apply `change` at `at`, for {@link OrderRepository.update}. */
export function decide<E = never>(
  owner: Owner,
  change: OrderChange,
  at = '2026-01-02T03:05:00.000Z',
): (order: Order) => Result<OrderDecision, E> {
  return (order) => {
    const changed = applyOrderChange(order, change, at)._unsafeUnwrap();
    return ok({ order: changed.order, event: changed.event && anEventOf(owner, changed.order, changed.event) });
  };
}
