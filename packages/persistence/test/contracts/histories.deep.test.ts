import { randomUUIDv7 } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createDomain, type OrderDefinition, ORDERS, untyped } from '@orders/domain';
import { faulty, seededFaults } from '@orders/domain/testing';
import type { OrdersStore } from '@orders/domain/webhooks';
import { type Database, openDatabase, postgresStore } from '@orders/persistence';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { checkHistory, type Logged } from '../../../domain/test/simulation/check-history.ts';
import { History } from '../../../domain/test/simulation/history.ts';
import { audit, type Client, openOffice, operate } from '../../../domain/test/simulation/orders-client.ts';
import { testDatabase } from '../fixtures/test-database.ts';

/** The clients of the simulation, at the same time on two servers, with the same model. */

const HOUR_MS = 60 * 60_000;
const CLIENTS = 12;
const OPERATIONS = 100;

const database = testDatabase();
const servers: Database[] = [];

beforeAll(() => {
  const { url } = database;
  for (let count = 0; count < 2; count += 1)
    servers.push(openDatabase({ url, preparedStatements: inject('preparedStatements') }));
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

/** Returns a store for orders of a definition that is known only when the program runs. */
function storeOn(server: Database): OrdersStore<OrderDefinition>;
function storeOn(server: Database): unknown {
  return postgresStore(server);
}

/** Returns the events of all pages that were read. */
function eventsOf({ feedReads }: History): readonly Logged[] {
  const events = new Map<string, Logged>();
  for (const { owner, page } of feedReads)
    for (const { resource, position, ...event } of page.data)
      events.set(`${owner} ${String(position).padStart(9, '0')}`, {
        ...event,
        owner,
        aggregate_id: resource.id,
        version: resource.version,
      });
  return [...events].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, event]) => event);
}

it('keeps every promise of orders, customers and their feed on PostgreSQL', async () => {
  // A key does not expire by the clock of one server alone.
  const history = new History(ORDERS, 24 * HOUR_MS);
  const office = openOffice(history);
  const work = async (server: Database, index: number): Promise<void> => {
    const store = faulty(storeOn(server), seededFaults(index));
    const clock = { now: () => new Date(Date.now() + ((index % 3) - 1) * HOUR_MS) };
    const ids = { next: () => randomUUIDv7() };
    const domain = untyped(
      createDomain<OrderDefinition>({ ...store, clock, ids, idempotencyTtlMs: history.ttlMs }, ORDERS),
    );
    const pause = (ms: number): Promise<void> => setTimeout(ms / 10);
    const client: Client = { name: `client-${index}`, domain, feed: store.feed, clock, random: Math.random, pause };
    for (let number = 0; number < OPERATIONS; number += 1) await operate(client, office, index * OPERATIONS + number);
  };
  await Promise.all(
    Array.from({ length: CLIENTS / servers.length }, () => servers)
      .flat()
      .map(work),
  );
  await audit(history, storeOn(database.current));
  const events = eventsOf(history);
  expect(events.length).toBeGreaterThan(200);
  checkHistory(history, events);
});
