import { type Database, openDatabase } from '@orders/persistence';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';
import { ErasingClients } from './erasing-clients.ts';
import { OrderClients } from './order-clients.ts';

/** The clients of the simulations, at the same time on two servers, with the same models. */

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

it('keeps every promise of orders, customers, erasures and their feed on PostgreSQL', async () => {
  const [orders, erasing] = [new OrderClients(), new ErasingClients(database.current)];
  const work = async (server: Database, index: number): Promise<void> =>
    await (index < CLIENTS
      ? orders.work(server, index, OPERATIONS)
      : erasing.work(server, `person-${index}`, OPERATIONS));
  const all = Array.from({ length: CLIENTS / servers.length + 1 }, () => servers).flat();
  await Promise.all(all.map(work));
  expect(await orders.check(database.current)).toBeGreaterThan(200);
  expect((await erasing.check()).erased).toBeGreaterThan(2);
});
