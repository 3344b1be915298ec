import {
  availableTransitions,
  createDomain,
  type Order,
  ORDER_STATUSES,
  type OrderDefinition,
  type ORDERS,
  type OrderStatus,
  untyped,
  type UntypedDomain,
} from '@orders/domain';
import {
  aCustomer,
  anEventOfCustomer,
  type FixedClock,
  fixedClock,
  type InMemoryStore,
  inMemoryStore,
  sequentialIds,
} from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { expect } from 'vitest';

export const OWNER = 'acme';
export const OTHER_OWNER = 'globex';
/** Customers of {@link OWNER}. {@link OTHER_OWNER} has no customers. */
export const CUSTOMER = '019b0000-cccc-7000-8000-00000000000a';
export const OTHER_CUSTOMER = '019b0000-cccc-7000-8000-00000000000b';
/** An id that no resource has. */
export const UNKNOWN_ID = '019b0000-dddd-7000-8000-000000000000';
/** Initial time of the clock. */
export const NOW = '2026-01-02T03:04:05.678Z';

/** All use cases on an in-memory store, with access to its clock and its events. */
export interface DomainUnderTest<D extends OrderDefinition = typeof ORDERS> extends UntypedDomain<D> {
  readonly clock: FixedClock;
  /** Returns all recorded events, oldest first. */
  readonly events: InMemoryStore<D>['events'];
}

/** Creates a domain with two customers of {@link OWNER}. */
export function aDomain({ idempotencyTtlMs }: { readonly idempotencyTtlMs?: number } = {}): DomainUnderTest {
  const clock = fixedClock(NOW);
  const { orders, customers, events } = inMemoryStore();
  for (const id of [CUSTOMER, OTHER_CUSTOMER]) {
    const after = aCustomer({ id });
    void customers.commit(OWNER, { kind: 'create', after, event: anEventOfCustomer(OWNER, after), key: undefined });
  }
  const domain = createDomain({ orders, customers, clock, ids: sequentialIds(), idempotencyTtlMs });
  const before = events().length;
  return { ...untyped(domain), clock, events: () => events().slice(before) };
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns a valid line of a new order with default values, which `fields` overrides. */
export function aLine(fields: Fields = {}): Fields {
  return { sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' }, ...fields };
}

/** Returns valid input of a new order with default values, which `fields` overrides. */
export function aBody(fields: Fields = {}): Fields {
  return { items: [aLine()], ...fields };
}

/** Returns a port whose methods fail the test when they are called. */
export function unreachable<T extends object>(port: T): T {
  const get = (_: T, name: PropertyKey): undefined => {
    if (name !== 'definition') throw new Error('a port was called');
  };
  return new Proxy(port, { get });
}

/** Returns the value of a successful result; fails the test for an error. */
export async function succeeds<T, E>(outcome: ResultAsync<T, E>): Promise<T> {
  return await outcome.match(
    (value) => value,
    (error) => expect.fail(`unexpected error: ${JSON.stringify(error)}`),
  );
}

/** Returns the error of a failed result; fails the test for a success. */
export async function fails<T, E>(outcome: ResultAsync<T, E>): Promise<E> {
  return await outcome.match(
    (value) => expect.fail(`unexpected success: ${JSON.stringify(value)}`),
    (error) => error,
  );
}

/** Returns the expected `validation_failed` with exactly these invalid fields, each as `field: code`. */
export function invalidFields(...fields: readonly string[]): object {
  return { type: 'validation_failed', errors: fields.map(invalidField) };
}

function invalidField(field: string): object {
  const colon = field.lastIndexOf(': ');
  return { field: field.slice(0, colon), code: field.slice(colon + 2) };
}

/** Places an order of {@link OWNER} with status `pending` at version 1, and returns it. */
export async function aPlacedOrder(domain: UntypedDomain, fields: Fields = {}): Promise<Order> {
  return (await succeeds(domain.placeOrder(OWNER, aBody(fields)))).order;
}

/** Places an order of {@link OWNER}, changes its status up to `status`, and returns it. */
export async function anOrderIn(domain: UntypedDomain, status: OrderStatus, fields: Fields = {}): Promise<Order> {
  let order = await aPlacedOrder(domain, fields);
  for (const next of pathTo(status)) {
    ({ order } = await succeeds(domain.changeOrder(OWNER, order.id, { status: next })));
  }
  return order;
}

/** Returns the shortest sequence of transitions from `pending` to `goal`. */
export function pathTo(goal: OrderStatus): readonly OrderStatus[] {
  const paths: (readonly OrderStatus[])[] = [[]];
  for (const path of paths) {
    const reached = path.at(-1) ?? 'pending';
    if (reached === goal) return path;
    if (path.length < ORDER_STATUSES.length)
      paths.push(...availableTransitions(reached).map((next) => [...path, next]));
  }
  throw new Error(`the lifecycle has no path to ${goal}`);
}
