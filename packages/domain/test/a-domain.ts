import {
  availableTransitions,
  createDomain,
  type Domain,
  type Order,
  ORDER_STATUSES,
  type CustomerEvent,
  type OrderEvent,
  type OrderStatus,
} from '@orders/domain';
import {
  aCustomer,
  anEventOfCustomer,
  type FixedClock,
  fixedClock,
  inMemoryStore,
  sequentialIds,
} from '@orders/domain/testing';
import type { ResultAsync } from 'neverthrow';
import { expect } from 'vitest';

export const OWNER = 'acme';
export const STRANGER = 'globex';
/** Customers of {@link OWNER}; the stranger has none. */
export const CUSTOMER = '019b0000-cccc-7000-8000-00000000000a';
export const OTHER_CUSTOMER = '019b0000-cccc-7000-8000-00000000000b';
/** An id that nothing has. */
export const NOBODY = '019b0000-dddd-7000-8000-000000000000';
/** Where the clock stands until a test moves it. */
export const NOW = '2026-01-02T03:04:05.678Z';

/** Every use case, bound to ports that a test can look at and turn. */
export interface DomainUnderTest extends Domain {
  readonly clock: FixedClock;
  /** Every event so far, oldest first. */
  events(): readonly (OrderEvent | CustomerEvent)[];
}

export function aDomain({ idempotencyTtlMs }: { readonly idempotencyTtlMs?: number } = {}): DomainUnderTest {
  const clock = fixedClock(NOW);
  const { orders, customers, events } = inMemoryStore();
  for (const id of [CUSTOMER, OTHER_CUSTOMER]) {
    const customer = aCustomer({ id });
    void customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) });
  }
  const domain = createDomain({ orders, customers, clock, ids: sequentialIds(), idempotencyTtlMs });
  const before = events().length;
  return { ...domain, clock, events: () => events().slice(before) };
}

type Fields = Readonly<Record<string, unknown>>;

/** A valid line of a request, of which a test says only what matters to it. */
export function aLine(fields: Fields = {}): Fields {
  return { sku: 'MUG', name: 'Mug', quantity: 1, unit_price: { amount: 1999, currency: 'EUR' }, ...fields };
}

/** A valid request for an order, of which a test says only what matters to it. */
export function aBody(fields: Fields = {}): Fields {
  return { items: [aLine()], ...fields };
}

/** The value of a success; a refusal fails the test. */
export async function succeeds<T, E>(outcome: ResultAsync<T, E>): Promise<T> {
  return await outcome.match(
    (value) => value,
    (error) => expect.fail(`unexpected refusal: ${JSON.stringify(error)}`),
  );
}

/** The error of a refusal; a success fails the test. */
export async function refuses<T, E>(outcome: ResultAsync<T, E>): Promise<E> {
  return await outcome.match(
    (value) => expect.fail(`unexpected success: ${JSON.stringify(value)}`),
    (error) => error,
  );
}

/** What a refusal for bad fields looks like: each `field: code`, and no other. */
export function badFields(...fields: readonly string[]): object {
  return { type: 'validation_failed', errors: fields.map(badField) };
}

function badField(field: string): object {
  const colon = field.lastIndexOf(': ');
  return { field: field.slice(0, colon), code: field.slice(colon + 2) };
}

/** An order of {@link OWNER}, `pending` at version 1. */
export async function aPlacedOrder(domain: Domain, fields: Fields = {}): Promise<Order> {
  return (await succeeds(domain.placeOrder(OWNER, aBody(fields)))).order;
}

/** An order of {@link OWNER} that was led to `status`. */
export async function anOrderIn(domain: Domain, status: OrderStatus, fields: Fields = {}): Promise<Order> {
  let order = await aPlacedOrder(domain, fields);
  for (const next of wayTo(status)) {
    ({ order } = await succeeds(domain.changeOrder(OWNER, order.id, { status: next })));
  }
  return order;
}

/** The shortest way from `pending` by the lifecycle's table. */
export function wayTo(goal: OrderStatus): readonly OrderStatus[] {
  const ways: (readonly OrderStatus[])[] = [[]];
  for (const way of ways) {
    const reached = way.at(-1) ?? 'pending';
    if (reached === goal) return way;
    if (way.length < ORDER_STATUSES.length) ways.push(...availableTransitions(reached).map((next) => [...way, next]));
  }
  throw new Error(`no way leads to ${goal}`);
}
