import assert from 'node:assert/strict';
import {
  type AggregateStore,
  CURRENCIES,
  type Customer,
  type DomainEvent,
  type Idempotency,
  isActor,
  isUuid,
  type LineItem,
  type Metadata,
  type Order,
  type Write,
} from '@orders/domain';
import { type Checkpoints, isFeedPosition } from '@orders/domain/events';
import {
  checkpointsContract,
  customerRepositoryContract,
  eventFeedContract,
  inMemoryCheckpoints,
  inMemoryStore,
  type OpenSubject,
  orderRepositoryContract,
  type StoreSubject,
  type TestRunner,
} from '@orders/domain/testing';
import { ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { aFeedStore } from '../fixtures/a-feed-store.ts';

// A database may also enforce the rules of the domain by constraints. The contract passes only arguments that they allow.

function assertTime(time: string): void {
  assert.equal(new Date(time).toISOString(), time);
}

function assertIdempotency(idempotency: Idempotency): void {
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
  assert.deepEqual([event.owner, event.aggregate_id, event.version], [owner, of.id, of.version]);
  assertTime(event.occurred_at);
  assert.ok(event.actor === null || isActor(event.actor));
  for (const field of event.changed) assert.match(field, /./);
}

interface Aggregate {
  readonly id: string;
  readonly version: number;
}

/** Checks the arguments of a write. A failed check rejects it, as a database constraint would. */
function assertWrite<A extends Aggregate, E extends DomainEvent<string>>(
  owner: string,
  write: Write<A, E>,
  assertAggregate: (aggregate: A) => void,
): void {
  if (write.key) assertIdempotency(write.key);
  if (write.kind === 'create' || write.kind === 'change') {
    assertAggregate(write.after);
    assertEvent(write.event, owner, write.after);
    const before = write.kind === 'change' ? write.before.aggregate : { id: write.after.id, version: 0 };
    assert.deepEqual([write.after.id, write.after.version], [before.id, before.version + 1]);
  }
  if (write.kind === 'delete') {
    const { id, version } = write.before.aggregate;
    assertEvent(write.event, owner, { id, version: version + 1 });
  }
}

/** Returns the commits of a store that checks the arguments of every write. */
function checked<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  store: AggregateStore<A, E, Refused>,
  assertAggregate: (aggregate: A) => void,
): Pick<AggregateStore<A, E, Refused>, 'commit' | 'commitLocked'> {
  return {
    commit: (owner, write) =>
      new ResultAsync(
        new Promise((resolve) => {
          assertWrite(owner, write, assertAggregate);
          resolve(store.commit(owner, write));
        }),
      ),
    commitLocked: (owner, id, lookUp, decide) =>
      store.commitLocked(owner, id, lookUp, (found) => {
        const decided = decide(found);
        if (decided.write) assertWrite(owner, decided.write, assertAggregate);
        return decided;
      }),
  };
}

/** Returns a store that checks the arguments of every write. */
function checking<Subject extends StoreSubject>(store: Subject): Subject {
  const { orders, customers } = store;
  return {
    ...store,
    orders: { ...orders, ...checked(orders, assertOrder) },
    customers: { ...customers, ...checked(customers, assertCustomer) },
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

/** Creates checkpoints that check the arguments of every call. */
function openCheckpoints(): Checkpoints {
  const checkpoints = inMemoryCheckpoints();
  const assertName = (name: string) => assert.match(name, /^[\x20-\x7e]{1,255}$/);
  return {
    load: (owner, name) => {
      assertName(name);
      return checkpoints.load(owner, name);
    },
    save: (owner, name, position) => {
      assertName(name);
      assert.ok(isFeedPosition(position));
      return checkpoints.save(owner, name, position);
    },
  };
}

const openFeed = () => checking(aFeedStore());

describe('an adapter that checks the rules of the domain', () => {
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);
  eventFeedContract({ describe, it }, openFeed);
  checkpointsContract({ describe, it }, openCheckpoints);
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
