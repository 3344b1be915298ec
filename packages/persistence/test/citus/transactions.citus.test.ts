import { randomUUID } from 'node:crypto';
import type { Domain } from '@orders/domain';
import { type Database, distribute, handled, openDatabase } from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { execute, FINDS_TABLES } from '../fixtures/execute.ts';
import { type ClusterDatabase, createClusterDatabase } from './cluster-database.ts';

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };

let cluster: ClusterDatabase;
let database: Database;

beforeAll(async () => {
  cluster = await createClusterDatabase(inject('citusUrl'));
  database = openDatabase({ url: cluster.url });
  await database.migrate();
  await distribute(database);
  await execute(cluster.url, 'create table local_rows (owner_id text, order_id uuid primary key)');
  await execute(
    cluster.url,
    `create table spread_rows (owner_id text collate "C", order_id uuid, primary key (owner_id, order_id))`,
  );
  await execute(cluster.url, `select create_distributed_table('spread_rows', 'owner_id')`);
});

afterAll(async () => {
  await database.close();
  await cluster.drop();
});

type Query = (text: string, values: readonly string[]) => Promise<unknown>;

/** Runs `work` in a transaction; commits it, or rolls it back after an error of `work`. */
interface Kind {
  readonly name: string;
  readonly run: (work: (domain: Domain, query: Query) => Promise<void>) => Promise<void>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'database.transaction',
    run: async (work) => {
      const result = await database.transaction(async ({ domain, client }) => {
        await work(domain, (text, values) => client.query(text, values));
        return ok('done');
      });
      result._unsafeUnwrap();
    },
  },
  {
    name: 'a joined transaction',
    run: async (work) => {
      const client = new Client({ connectionString: cluster.url, ...FINDS_TABLES });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query('begin');
      const { domain } = await database.joinTransaction(client);
      await work(domain, (text, values) => client.query(text, [...values]));
      expect(await client.query('commit')).toMatchObject({ command: 'COMMIT' });
    },
  },
];

/** Places two orders, of which one is rejected, cancels the other, and adds rows of the host. */
async function writeAll(domain: Domain, query: Query, owner: string): Promise<void> {
  const place = (key: string) =>
    handled(domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' }, { idempotencyKey: key }));
  const { order } = (await place('a'))._unsafeUnwrap();
  expect(await place('b')).toEqual(err({ type: 'reference_taken', order_id: order.id }));
  await query('insert into orders.local_rows values ($1, $2)', [owner, order.id]);
  await query('insert into orders.spread_rows values ($1, $2)', [owner, order.id]);
  expect((await domain.createCustomer(owner, { email: 'a@example.com', name: 'A' })).isOk()).toBe(true);
  expect(await handled(domain.createCustomer(owner, { email: 'a@example.com', name: 'A' }))).toMatchObject({
    error: { type: 'email_taken' },
  });
  expect((await domain.cancelOrder(owner, order.id))._unsafeUnwrap().order.status).toBe('cancelled');
  expect((await place('a'))._unsafeUnwrap()).toMatchObject({ replayed: true, order: { id: order.id } });
}

async function storedOf(owner: string): Promise<unknown> {
  const [row] = await execute(
    cluster.url,
    `select (select count(*)::int from orders where owner_id = '${owner}') as orders,
       (select count(*)::int from customers where owner_id = '${owner}') as customers,
       (select count(*)::int from changes where owner_id = '${owner}') as changes,
       (select count(*)::int from idempotency where owner_id = '${owner}') as keys,
       (select count(*)::int from local_rows where owner_id = '${owner}') as local,
       (select count(*)::int from spread_rows where owner_id = '${owner}') as spread`,
  );
  return row;
}

describe.each(KINDS)('$name on distributed tables', ({ run }) => {
  it('commits writes and rows of the host together, after rejected writes too', async () => {
    const owner = randomUUID();
    await run((domain, query) => writeAll(domain, query, owner));
    expect(await storedOf(owner)).toEqual({ orders: 1, customers: 1, changes: 3, keys: 1, local: 1, spread: 1 });
  });

  it('commits writes of owners on different nodes together', async () => {
    const owners = Array.from({ length: 8 }, () => randomUUID());
    await run(async (domain, query) => {
      for (const owner of owners) await writeAll(domain, query, owner);
    });
    for (const owner of owners) {
      expect(await storedOf(owner)).toEqual({ orders: 1, customers: 1, changes: 3, keys: 1, local: 1, spread: 1 });
    }
  });

  it('stores nothing when the work throws', async () => {
    const owner = randomUUID();
    const failing = run(async (domain, query) => {
      await writeAll(domain, query, owner);
      throw new Error('of the host');
    });
    await expect(failing).rejects.toThrow('of the host');
    expect(await storedOf(owner)).toEqual({ orders: 0, customers: 0, changes: 0, keys: 0, local: 0, spread: 0 });
  });

  it('stores nothing when a statement of the host fails', async () => {
    const owner = randomUUID();
    const failing = run(async (domain, query) => {
      await writeAll(domain, query, owner);
      const { data } = (await domain.listOrders(owner))._unsafeUnwrap();
      await query('insert into orders.spread_rows values ($1, $2)', [owner, data[0]?.id ?? '']);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await storedOf(owner)).toEqual({ orders: 0, customers: 0, changes: 0, keys: 0, local: 0, spread: 0 });
  });
});
