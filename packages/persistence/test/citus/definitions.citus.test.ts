import { orderRepositoryContract } from '@orders/domain/testing';
import { type Database, openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { type PostgresProxy, startPostgresProxy } from '@orders/postgres-proxy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BAKERY, EARLIER_BAKERY, ITEMS, serverOf } from '../definitions/bakery.ts';
import { execute } from '../fixtures/execute.ts';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { distinct, distributedDatabase, expectOneTaskEach } from './distributed-database.ts';

const citus = distributedDatabase();
let proxy: PostgresProxy;
let bakery: Database<unknown, typeof BAKERY>;

beforeAll(async () => {
  proxy = await startPostgresProxy(citus.url);
  bakery = openDatabase({ url: proxy.url, definition: BAKERY });
});

afterAll(async () => {
  await bakery.close();
  await proxy.close();
});

describe('orders of a bakery on distributed tables', () => {
  const open = () => ({
    orders: postgresOrderRepository(bakery),
    customers: postgresCustomerRepository(bakery),
    events: (owner: string) => recordedEvents(citus.database, owner),
  });
  orderRepositoryContract({ describe, it }, open, BAKERY);

  it('every statement is one task on one node, at first and after many executions', async () => {
    const statements = distinct(proxy.statements);
    expect(statements.length).toBeGreaterThan(20);
    await expectOneTaskEach(citus.url, statements);
  });
});

describe('a definition of orders on distributed tables', () => {
  it('is refused with the number of orders in statuses that it lacks, on all nodes', async () => {
    // The one that the schema was migrated with is for other orders.
    await execute(citus.url, 'delete from order_definitions');
    const { domain, database } = serverOf(citus.url, BAKERY);
    await database.adoptDefinition();
    const ids = new Map<string, string>();
    for (let owner = 1; owner <= 20; owner += 1) {
      const { id } = (await domain.placeOrder(`reader ${owner}`, { items: ITEMS }))._unsafeUnwrap().order;
      await domain.changeOrder(`reader ${owner}`, id, { status: 'baking' });
      (await domain.changeOrder(`reader ${owner}`, id, { status: 'ready' }))._unsafeUnwrap();
      ids.set(`reader ${owner}`, id);
    }
    const { database: earlier } = serverOf(citus.url, EARLIER_BAKERY);
    const refused = await earlier.adoptDefinition().catch((cause: unknown) => cause);
    // The contract may have left further ones.
    expect(refused).toMatchObject({ name: 'OrdersInRemovedStatuses' });
    expect(refused).toHaveProperty('orders.ready');
    for (const [owner, id] of ids) (await domain.deleteOrder(owner, id))._unsafeUnwrap();
  });
});
