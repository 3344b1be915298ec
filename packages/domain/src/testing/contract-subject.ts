import * as assert from './assertions.ts';
import { ok, type Result, type ResultAsync } from 'neverthrow';
import { applyOrderChange, type OrderChange } from '../orders/order-patch.ts';
import type { OrderDecision, OrderRepository } from '../orders/order-repository.ts';
import type { Order } from '../orders/order.ts';
import type { CustomerRepository } from '../customers/customer-repository.ts';
import type { Customer } from '../customers/customer.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Owner } from '../shared/ids.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from './builders.ts';

/** What a test runner gives: vitest's, node:test's, Jest's and Mocha's fit. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** A store under test: adapters of both repository ports, over one and the same data. */
export interface StoreSubject {
  readonly orders: OrderRepository;
  readonly customers: CustomerRepository;
  /** The events recorded for `owner`, oldest first. */
  events(owner: Owner): Promise<readonly DomainEvent<string>[]>;
}

/** Opens the store under test; called once per test. It need not be empty: every test has owners of its own. */
export type OpenSubject = () => Promise<StoreSubject> | StoreSubject;

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
export async function fails<T, E>(result: ResultAsync<T, E>): Promise<E> {
  return await result.match(
    (value) => assert.fail(`unexpected success: ${JSON.stringify(value)}`),
    (error) => error,
  );
}

/**
 * Checks that a call with what the domain never passes rejects: neither succeeds, nor returns an error that a caller
 * would handle, nor throws at once. Returns the reason.
 */
export async function rejects<T, E>(call: () => ResultAsync<T, E>): Promise<unknown> {
  let result: ResultAsync<T, E>;
  try {
    result = call();
  } catch (cause) {
    return assert.fail(`thrown at once instead of rejected: ${String(cause)}`);
  }
  const [isRejected, reason] = await result.then(
    (settled) => [false, settled] as const,
    (cause: unknown) => [true, cause] as const,
  );
  return isRejected ? reason : assert.fail(`no rejection: ${JSON.stringify(reason)}`);
}

/** Keeps `order` for `owner`. */
export async function storeOrder(
  { orders }: StoreSubject,
  owner: Owner,
  order: Order = anOrder(),
  idempotency?: Idempotency,
): Promise<Order> {
  const written = await succeeds(orders.insert(owner, { order, event: anEventOf(owner, order) }, idempotency));
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

/** Keeps `customer` for `owner`. */
export async function storeCustomer(
  { customers }: StoreSubject,
  owner: Owner,
  customer: Customer = aCustomer(),
  idempotency?: Idempotency,
): Promise<Customer> {
  const event = anEventOfCustomer(owner, customer);
  const written = await succeeds(customers.insert(owner, { customer, event }, idempotency));
  return written.customer;
}
