import { randomUUID } from 'node:crypto';
import { createDomain } from '@orders/domain/runtime';
import {
  customerRepositoryContract,
  type Open,
  orderRepositoryContract,
  webhookEndpointRepositoryContract,
  type WebhookEndpointSubject,
} from '@orders/domain/testing';
import {
  postgresCustomerRepository,
  postgresEventFeed,
  postgresOrderRepository,
  postgresStore,
  postgresWebhookEndpoints,
} from '@orders/persistence';
import { Client } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { recordedEvents } from '../fixtures/recorded-events.ts';
import { twoPhaseCommits } from './cluster-database.ts';
import { distributedDatabase, expectOneTaskEach } from './distributed-database.ts';
import { taskCounts } from './plans-of-citus.ts';

const ITEMS = [{ sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } }];

const citus = distributedDatabase();
let before: number;

beforeAll(async () => {
  before = await twoPhaseCommits(citus.cluster);
});

/** Returns the URL of the node that has the rows of an owner. */
async function nodeOf(owner: string): Promise<string> {
  const [row] = await execute<{ nodeport: number }>(
    citus.url,
    `select nodeport from citus_shards where shardid = get_shard_id_for_distribution_column('orders', '${owner}')`,
  );
  const node = citus.cluster.nodes.find((url) => new URL(url).port === `${row?.nodeport}`);
  if (node === undefined) throw new Error(`no node has the rows of ${owner}`);
  return node;
}

describe('distributed tables', () => {
  it('have shards on several nodes', async () => {
    const nodes = 'select distinct nodename, nodeport from citus_shards';
    expect((await execute(citus.url, nodes)).length).toBeGreaterThanOrEqual(2);
  });
});

describe('while the contracts run on distributed tables', () => {
  const open: Open<WebhookEndpointSubject> = () => ({
    orders: postgresOrderRepository(citus.watched),
    customers: postgresCustomerRepository(citus.watched),
    webhookEndpoints: postgresWebhookEndpoints(citus.watched),
    feed: postgresEventFeed(citus.database),
    events: (owner) => recordedEvents(citus.database, owner),
  });
  orderRepositoryContract({ describe, it }, open);
  customerRepositoryContract({ describe, it }, open);
  webhookEndpointRepositoryContract({ describe, it }, open);

  it('a batch is one call, and a refused one is tried order by order', async () => {
    const domain = createDomain(postgresStore(citus.watched));
    const { customer } = (await domain.createCustomer('batch', { email: 'a@example.com', name: 'A' }))._unsafeUnwrap();
    const batch = Array.from({ length: 100 }, () => ({ order: { items: ITEMS, customer_id: customer.id } }));
    const { length } = citus.statements();
    const placed = (await domain.placeOrders('batch', batch))._unsafeUnwrap();
    expect(placed.every((result) => result.isOk())).toBe(true);
    const texts = citus.statements().map(({ text }) => text);
    expect(texts).toHaveLength(length + 1);
    expect(texts.at(-1)).toContain('order_insert_all');
    (await domain.eraseCustomer('batch', customer.id))._unsafeUnwrap();
    const refused = (await domain.placeOrders('batch', batch.slice(98)))._unsafeUnwrap();
    expect(refused).toMatchObject([{ error: { type: 'customer_erased' } }, { error: { type: 'customer_erased' } }]);
  });

  it('every statement is one task on one node, at first and after many executions', async () => {
    const statements = citus.sent();
    expect(statements.length).toBeGreaterThan(20);
    await expectOneTaskEach(citus.url, statements);
  });

  // The generic plan of an insert grows at each execution, for as long as the connection is open.
  it('a write function takes no memory on its node', async () => {
    const domain = createDomain(postgresStore(citus.watched));
    (await domain.placeOrder('memory', { items: ITEMS }, { idempotencyKey: 'memory' }))._unsafeUnwrap();
    const insert = citus.statements().findLast(({ text }) => text.includes('order_insert'));
    if (!insert) throw new Error('no order was placed');
    const session = new Client({ connectionString: await nodeOf('memory'), ...FINDS_TABLES });
    await session.connect();
    const memoryAfter = async (calls: number): Promise<number> => {
      for (let count = 0; count < calls; count += 1) {
        // The used key rolls the write back after all of its inserts were planned and executed.
        const values = insert.parameters.with(1, randomUUID());
        await expect(session.query({ name: 'insert', text: insert.text, values: [...values] })).rejects.toThrow(
          'idempotency_pkey',
        );
      }
      const sum = 'select sum(total_bytes)::int as bytes from pg_backend_memory_contexts';
      return (await session.query<{ bytes: number }>(sum)).rows[0]?.bytes ?? 0;
    };
    try {
      const earlier = await memoryAfter(20);
      expect((await memoryAfter(200)) - earlier).toBeLessThan(1_000_000);
    } finally {
      await session.end();
    }
  });

  it('no write is committed in two phases', async () => {
    expect(await twoPhaseCommits(citus.cluster)).toBe(before);
  });
});

describe('the check of plans', () => {
  const tasksOf = async (text: string, parameters: readonly (string | null)[]) =>
    (await taskCounts(citus.url, [{ text, parameters }]))[0]?.first;

  it('finds a statement on all shards', async () => {
    const tasks = await tasksOf('select id from orders where id = $1', ['00000000-0000-0000-0000-000000000000']);
    expect(tasks?.[0]).toBeGreaterThan(1);
  });

  it('finds a comparison with null, which drops the filter by owner', async () => {
    const text = `select w.key from (select 1) as always left join idempotency as w on w.owner_id = $1 and w.key = $2`;
    expect(await tasksOf(text, ['owner', 'key'])).toEqual([1]);
    expect(await tasksOf(text, ['owner', null])).not.toEqual([1]);
  });

  it('finds a function that is not called on its node', async () => {
    expect(await tasksOf('select lower($1)', ['OWNER'])).toEqual([]);
  });

  it('finds a two-phase commit', async () => {
    const earlier = await twoPhaseCommits(citus.cluster);
    await execute(citus.url, `delete from customers where email = 'unknown'`);
    expect(await twoPhaseCommits(citus.cluster)).toBeGreaterThan(earlier);
  });
});
