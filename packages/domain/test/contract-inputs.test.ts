import assert from 'node:assert/strict';
import {
  CURRENCIES,
  type Customer,
  type DomainEvent,
  type Idempotency,
  isActor,
  isUuid,
  type LineItem,
  type Metadata,
  type Order,
} from '@orders/domain';
import {
  customerRepositoryContract,
  eventFeedContract,
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
  type StoreSubject,
  type TestRunner,
} from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aFeedStore } from './a-feed-store.ts';

// A database may also enforce the rules of the domain by constraints. The contract passes only arguments that they allow.

function assertTime(time: string): void {
  assert.equal(new Date(time).toISOString(), time);
}

function assertIdempotency(idempotency: Idempotency | undefined): void {
  if (!idempotency) return;
  assert.match(idempotency.key, /./);
  assert.match(idempotency.fingerprint, /./);
  assertTime(idempotency.now);
  assertTime(idempotency.expires_at);
  assert.ok(idempotency.expires_at > idempotency.now);
}

function assertMetadata(metadata: Metadata): void {
  for (const key of Object.keys(metadata)) assert.match(key, /./);
}

function assertItem({ id, sku, name, quantity, unit_price, total }: LineItem): void {
  assert.ok(isUuid(id));
  assert.match(sku, /./u);
  assert.match(name, /./u);
  assert.ok(CURRENCIES.has(unit_price.currency));
  assert.deepEqual(total, { amount: quantity * unit_price.amount, currency: unit_price.currency });
}

function assertOrder(order: Order): void {
  assert.ok(isUuid(order.id));
  for (const item of order.items) assertItem(item);
  assert.notEqual(order.items.length, 0);
  const amount = order.items.reduce((sum, { total }) => sum + total.amount, 0);
  assert.deepEqual(order.total, { amount, currency: order.items[0]?.total.currency });
  assert.notEqual(order.reference, '');
  assertMetadata(order.metadata);
  assertTime(order.created_at);
  assertTime(order.updated_at);
}

function assertCustomer(customer: Customer): void {
  assert.ok(isUuid(customer.id));
  assert.match(customer.email, /^[^@]+@[^@]+$/);
  assert.notEqual(customer.name, '');
  assertMetadata(customer.metadata);
  assertTime(customer.created_at);
  assertTime(customer.updated_at);
}

function assertEvent(event: DomainEvent<string>, owner: string, of: { readonly id: string; readonly version: number }) {
  assert.ok(isUuid(event.id));
  assert.match(event.type, /^(order|customer)\.(placed|created|changed|paid|shipped|delivered|cancelled|deleted)$/);
  assert.deepEqual([event.owner, event.version], [owner, of.version]);
  assert.equal(event.aggregate_id.toLowerCase(), of.id.toLowerCase());
  assertTime(event.occurred_at);
  assert.ok(event.actor === null || isActor(event.actor));
  for (const field of event.changed) assert.match(field, /./);
}

/** Runs a write after a check of its arguments. A failed check rejects, as a database constraint would. */
function checkedWrite<T, E>(check: () => void, write: () => ResultAsync<T, E>): ResultAsync<T, E> {
  return new ResultAsync(
    new Promise((resolve) => {
      check();
      resolve(write());
    }),
  );
}

/** Returns a store that checks the arguments of every write. */
function checking<Subject extends StoreSubject>(store: Subject): Subject {
  const { orders, customers } = store;
  return {
    ...store,
    orders: {
      ...orders,
      insert: (owner, placed, idempotency) =>
        checkedWrite(
          () => {
            assertOrder(placed.order);
            assertEvent(placed.event, owner, placed.order);
            assertIdempotency(idempotency);
          },
          () => orders.insert(owner, placed, idempotency),
        ),
      update: (owner, id, change, idempotency) => {
        assertIdempotency(idempotency);
        const checkedDecision = (before: Order) =>
          change(before).map((decision) => {
            assertOrder(decision.order);
            assert.equal(decision.order.version, before.version + (decision.event ? 1 : 0));
            if (decision.event) assertEvent(decision.event, owner, { ...decision.order, id });
            return decision;
          });
        return orders.update(owner, id, checkedDecision, idempotency);
      },
      delete: (owner, id, decide, idempotency) => {
        assertIdempotency(idempotency);
        const checkedDecision = (before: Order) =>
          decide(before).map((event) => {
            assertEvent(event, owner, { ...before, version: before.version + 1 });
            return event;
          });
        return orders.delete(owner, id, checkedDecision, idempotency);
      },
    },
    customers: {
      ...customers,
      insert: (owner, created, idempotency) =>
        checkedWrite(
          () => {
            assertCustomer(created.customer);
            assertEvent(created.event, owner, created.customer);
            assertIdempotency(idempotency);
          },
          () => customers.insert(owner, created, idempotency),
        ),
      update: (owner, id, change, idempotency) => {
        assertIdempotency(idempotency);
        const checkedDecision = (before: Customer) =>
          change(before).map((decision) => {
            assertCustomer(decision.customer);
            assert.equal(decision.customer.version, before.version + (decision.event ? 1 : 0));
            if (decision.event) assertEvent(decision.event, owner, { ...decision.customer, id });
            return decision;
          });
        return customers.update(owner, id, checkedDecision, idempotency);
      },
      delete: (owner, id, decide, idempotency) => {
        assertIdempotency(idempotency);
        const checkedDecision = (before: Customer) =>
          decide(before).map((event) => {
            assertEvent(event, owner, { ...before, version: before.version + 1 });
            return event;
          });
        return customers.delete(owner, id, checkedDecision, idempotency);
      },
    },
  };
}

const open: OpenSubject = () => {
  const { orders, customers, events } = inMemoryStore();
  return checking({
    orders,
    customers,
    events: (owner: string) => Promise.resolve(events().filter((event) => event.owner === owner)),
  });
};

const openFeed = () => checking(aFeedStore());

describe('an adapter that checks the rules of the domain', () => {
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);
  eventFeedContract({ describe, it }, openFeed);
});

describe('the tests of a contract', () => {
  it.each([
    ['order', (runner: TestRunner) => orderRepositoryContract(runner, open)],
    ['customer', (runner: TestRunner) => customerRepositoryContract(runner, open)],
    ['event feed', (runner: TestRunner) => eventFeedContract(runner, openFeed)],
  ])('have unique titles for the %s port', (_, register) => {
    const titles: string[] = [];
    let around = '';
    const runner: TestRunner = {
      describe: (name, body) => {
        expect(name).toMatch(/^\w[^:]+\w$/);
        around = name;
        body();
      },
      it: (name) => titles.push(`${around} ${name}`),
    };
    register(runner);
    expect(titles.length).toBeGreaterThan(20);
    expect(new Set(titles).size).toBe(titles.length);
  });
});
