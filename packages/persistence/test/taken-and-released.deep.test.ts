import { randomUUID, randomUUIDv7 } from 'node:crypto';
import type { CustomerEventType } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';
import { type DecidedCustomers, type DecidedOrders, decidedCustomers, decidedOrders } from './decided-writes.ts';

const SERVERS = 4;
const CLIENTS_PER_SERVER = 10;
const ROUNDS = 60;

/** The repositories of one server. */
interface Server {
  readonly database: Database;
  readonly orders: DecidedOrders;
  readonly customers: DecidedCustomers;
}

const database = testDatabase();
const servers: Server[] = [];

beforeAll(() => {
  for (let count = 0; count < SERVERS; count += 1) servers.push(server(database.url));
});
afterAll(async () => {
  for (const { database: opened } of servers) await opened.close();
});

function server(url: string, statementTimeoutMs?: number): Server {
  const opened = openDatabase({
    url,
    preparedStatements: inject('preparedStatements'),
    connectTimeoutMs: 60_000,
    statementTimeoutMs,
  });
  return {
    database: opened,
    orders: decidedOrders(opened),
    customers: decidedCustomers(opened),
  };
}

/** Returns how often each outcome occurred when clients concurrently take and release the same name. */
async function countOutcomes(take: (server: Server, turn: number) => Promise<string>): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const client = async (of: Server, first: number) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const outcome = await take(of, first + round);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  const clients = servers.flatMap((of) => Array.from({ length: CLIENTS_PER_SERVER }, () => of));
  await Promise.all(clients.map((of, index) => client(of, index * ROUNDS)));
  return outcomes;
}

const TAKEN = SERVERS * CLIENTS_PER_SERVER * ROUNDS;

describe('a name that forty clients of four servers take and release concurrently', () => {
  it('is taken or free at every attempt, as the reference of orders', async () => {
    const owner = randomUUID();
    const customer = aCustomer();
    const created = anEventOfCustomer(owner, customer);
    await decidedCustomers(database.current).insert(owner, { customer, event: created });
    const outcomes = await countOutcomes(async ({ orders }) => {
      const order = anOrder({ id: randomUUIDv7(), customer_id: customer.id, reference: 'PO-1' });
      const placed = await orders.insert(owner, { order, event: anEventOf(owner, order, { id: randomUUIDv7() }) });
      if (placed.isErr()) return placed.error.type;
      const deleted = await orders.delete(owner, order.id, (it) =>
        ok(anEventOf(owner, it, { type: 'order.deleted', id: randomUUIDv7() })),
      );
      return deleted.isErr() ? deleted.error.type : 'placed';
    });
    expect(Object.keys(outcomes).toSorted()).toEqual(['placed', 'reference_taken']);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(TAKEN);
  });

  it('is taken or free at every attempt, as the email of customers', async () => {
    const owner = randomUUID();
    const outcomes = await countOutcomes(async ({ customers }) => {
      const customer = aCustomer({ id: randomUUIDv7(), email: 'ada@example.com' });
      const event = (type: CustomerEventType) => anEventOfCustomer(owner, customer, { type, id: randomUUIDv7() });
      const created = await customers.insert(owner, { customer, event: event('customer.created') });
      if (created.isErr()) return created.error.type;
      const deleted = await customers.delete(owner, customer.id, () => ok(event('customer.deleted')));
      return deleted.isErr() ? deleted.error.type : 'created';
    });
    expect(Object.keys(outcomes).toSorted()).toEqual(['created', 'email_taken']);
  });

  it('is replayed or free at every attempt, as an idempotency key that expires at once', async () => {
    const owner = randomUUID();
    const start = Date.parse('2026-01-01T00:00:00.000Z');
    const outcomes = await countOutcomes(async ({ orders }, turn) => {
      const order = anOrder({ id: randomUUIDv7() });
      const time = (ms: number) => new Date(start + ms).toISOString();
      const once = { key: 'key', fingerprint: 'f', now: time(turn), expires_at: time(turn + 1) };
      const event = anEventOf(owner, order, { id: randomUUIDv7() });
      const placed = await orders.insert(owner, { order, event }, once);
      if (placed.isErr()) return placed.error.type;
      return placed.value.replayed ? 'replayed' : 'placed';
    });
    expect(Object.keys(outcomes).filter((outcome) => outcome !== 'placed' && outcome !== 'replayed')).toEqual([]);
  });
});

describe('a write whose reference is taken again before each of its attempts', () => {
  const owner = randomUUID();
  const take = () =>
    execute(
      database.url,
      `insert into orders (owner_id, id, status, reference, currency, total_amount, item_count, items, metadata, version,
         created_at, updated_at)
       values ('${owner}', '${randomUUIDv7()}', 'pending', 'PO-1', 'EUR', 1, 1, '[]', '{}', 1, now(), now())`,
    );
  const release = () => execute(database.url, `delete from orders where owner_id = '${owner}'`);

  /** Places an order whose reference another client holds at each insert and has released at each lookup. */
  async function place(rounds: number, statementTimeoutMs?: number) {
    const proxy = await startPostgresProxy(database.url);
    const one = server(proxy.url, statementTimeoutMs);
    try {
      await one.database.ping();
      proxy.clear();
      for (let round = 0; round < rounds; round += 1) {
        proxy.fault(2 * round + 1, async () => void (await take()));
        proxy.fault(2 * round + 2, async () => void (await release()));
      }
      const order = anOrder({ reference: 'PO-1' });
      const placed = await one.orders.insert(owner, { order, event: anEventOf(owner, order) });
      return { placed, statements: proxy.statements.length };
    } finally {
      await one.database.close();
      await proxy.close();
      await release();
    }
  }

  it('succeeds at the sixth attempt', async () => {
    const { placed, statements } = await place(5);
    expect(placed._unsafeUnwrap().order.reference).toBe('PO-1');
    expect(statements).toBe(11);
  });

  it('is unavailable after the statement timeout, and waits between attempts', async () => {
    const rounds = 1000;
    const { placed, statements } = await place(rounds, 2000);
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: { code: '23505' } });
    expect(statements).toBeLessThan(rounds / 4);
  });
});
