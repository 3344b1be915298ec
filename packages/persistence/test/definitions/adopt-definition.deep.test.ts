import type { OrderDefinition } from '@orders/domain';
import { defineOrders, ORDERS } from '@orders/domain';
import { openDatabase, OrdersInRemovedStatuses, UnrelatedDefinition } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { COUNTED_MAX } from '../../src/definitions/orders-in-removed-statuses.ts';
import { execute, findingTables } from '../fixtures/execute.ts';
import { migratedDatabase } from '../fixtures/test-database.ts';
import { BAKERY, EARLIER_BAKERY } from './bakery.ts';
import { untilFinished } from '../fixtures/sessions.ts';

/** Creates a database with the schema, in which no definition is stored, for the running test. */
async function databaseWithoutDefinition(): Promise<string> {
  const url = await migratedDatabase();
  await execute(url, 'delete from order_definitions');
  return url;
}

/** Migrates a database as a server with a definition does at its start. */
async function start(url: string, definition: OrderDefinition, log?: (message: string) => void) {
  const database = openDatabase({ url, definition, poolMax: 2 });
  try {
    return await database.migrate({ log });
  } finally {
    await database.close();
  }
}

/** Adds `count` orders with a status, each of another owner. */
async function addOrders(url: string, status: string, count: number, owner = `owner ${status} `): Promise<void> {
  await execute(
    url,
    `insert into orders (owner_id, id, status, currency, total_amount, element_count, metadata, items, version, created_at,
       updated_at)
     select '${owner}' || n, gen_random_uuid(), '${status}', 'EUR', 0, 0, '{}', '[]', 1, now(), now()
     from generate_series(1, ${count}) as n`,
  );
}

const stored = (url: string) =>
  execute<{ digest: string; definition: unknown; created_at: Date }>(
    url,
    'select digest, definition, created_at from order_definitions order by created_at',
  );

describe('a definition of orders', () => {
  it('is stored once, by whichever servers start with it', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    const [first] = await stored(url);
    await Promise.all([start(url, BAKERY), start(url, BAKERY), start(url, EARLIER_BAKERY)]);
    const rows = await stored(url);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(first);
    const { lifecycle, initial, cancel } = BAKERY;
    expect(first?.definition).toEqual({ lifecycle, initial, cancel });
  });

  it('is that of the database without a definition, and needs no migration of its own', async () => {
    const url = await databaseWithoutDefinition();
    const database = untilFinished(openDatabase({ url, poolMax: 2 }));
    expect(await database.migrate()).toEqual([]);
    expect(database.definition).toBe(ORDERS);
    expect((await stored(url)).map(({ definition }) => definition)).toMatchObject([{ lifecycle: ORDERS.lifecycle }]);
  });

  it('is refused where another one was used, also on an empty database and at the same time', async () => {
    const url = await databaseWithoutDefinition();
    const begun = await Promise.allSettled([start(url, ORDERS), start(url, BAKERY)]);
    const started = begun.filter(({ status }) => status === 'fulfilled').length;
    expect(started).toBeLessThan(2);
    expect(await stored(url)).toHaveLength(started);
    await execute(url, 'delete from order_definitions');
    await start(url, ORDERS);
    await expect(start(url, BAKERY)).rejects.toBeInstanceOf(UnrelatedDefinition);
    await expect(start(url, BAKERY)).rejects.toThrow('orders that begin as "pending"');
    expect(await stored(url)).toHaveLength(1);
  });

  it('follows another one with which it shares an initial status, so that this can be renamed', async () => {
    const url = await databaseWithoutDefinition();
    const cancel = 'cancelled';
    const lifecycle = { received: ['cancelled'], cancelled: [] } as const;
    await start(url, BAKERY);
    await start(url, defineOrders({ lifecycle: { baking: ['cancelled'], cancelled: [] }, initial: 'baking', cancel }));
    const both = { ...lifecycle, ordered: ['received', 'cancelled'] } as const;
    await start(url, defineOrders({ lifecycle: both, initial: 'ordered', cancel }));
    await start(
      url,
      defineOrders({ lifecycle: { ordered: ['cancelled'], cancelled: [] }, initial: 'ordered', cancel }),
    );
    await start(url, BAKERY);
    expect(await stored(url)).toHaveLength(4);
  });

  it('is refused at start with the numbers of orders in statuses that it lacks, and is not stored', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    await addOrders(url, 'ready', 1);
    await addOrders(url, 'received', 3);
    const refused = await start(url, EARLIER_BAKERY).catch((cause: unknown) => cause);
    expect(refused).toBeInstanceOf(OrdersInRemovedStatuses);
    expect(refused).toMatchObject({
      orders: { ready: 1 },
      message: expect.stringContaining('1 order in the status "ready"') as unknown,
    });
    await expect(start(url, ORDERS)).rejects.toMatchObject({ orders: { ready: 1, received: 3 } });
    expect(await stored(url)).toHaveLength(1);
    await execute(url, `update orders set status = 'collected' where status = 'ready'`);
    const lines: string[] = [];
    await start(url, EARLIER_BAKERY, (line) => lines.push(line));
    expect(lines.at(-1)).toContain('looking for orders in ready');
    expect(await stored(url)).toHaveLength(2);
  });

  it('is refused whichever definition has stored the status, and by a server that has it stored already', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, EARLIER_BAKERY);
    await start(url, BAKERY);
    await addOrders(url, 'ready', 2);
    await expect(start(url, EARLIER_BAKERY)).rejects.toMatchObject({ orders: { ready: 2 } });
    await start(url, BAKERY);
  });

  it('is refused by the orders of any of many owners, whose numbers are counted up to a limit', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    await addOrders(url, 'received', 2500, 'owner ');
    // After two batches of owners.
    await addOrders(url, 'ready', 1, 'owner z');
    await expect(start(url, EARLIER_BAKERY)).rejects.toMatchObject({ orders: { ready: 1 } });
    await addOrders(url, 'ready', COUNTED_MAX, 'owner ');
    await expect(start(url, EARLIER_BAKERY)).rejects.toMatchObject({
      orders: { ready: COUNTED_MAX + 1 },
      message: expect.stringContaining('more than 10000 orders in the status "ready"') as unknown,
    });
  });

  it('is refused in the same way where Citus is installed, which counts on its nodes', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    await addOrders(url, 'ready', 2);
    await addOrders(url, 'baking', 1);
    // The table by which Citus is recognized.
    await execute(url, 'create table pg_dist_partition ()');
    await expect(start(findingTables(url), EARLIER_BAKERY)).rejects.toMatchObject({ orders: { ready: 2 } });
    await execute(url, `delete from orders where status = 'ready'`);
    await start(url, EARLIER_BAKERY);
  });

  it('is adopted by a server that does not migrate, also on a database that accepts no writes if it is stored', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    const name = new URL(url).pathname.slice(1);
    await execute(url, `alter database ${name} set default_transaction_read_only = on`);
    const database = untilFinished(openDatabase({ url, definition: BAKERY, poolMax: 2 }));
    const other = untilFinished(openDatabase({ url, definition: EARLIER_BAKERY, poolMax: 2 }));
    await database.adoptDefinition();
    await expect(other.adoptDefinition()).rejects.toMatchObject({ code: '25006' });
    const unrelated = untilFinished(openDatabase({ url, poolMax: 2 }));
    await expect(unrelated.adoptDefinition()).rejects.toBeInstanceOf(UnrelatedDefinition);
    await execute(url, `set transaction read write; alter database ${name} reset default_transaction_read_only`);
    await other.adoptDefinition();
    expect(await stored(url)).toHaveLength(2);
  });

  it('stops to be adopted on a signal', async () => {
    const url = await databaseWithoutDefinition();
    await start(url, BAKERY);
    const database = untilFinished(openDatabase({ url, definition: EARLIER_BAKERY, poolMax: 2 }));
    const stop = new AbortController();
    const reason = new Error('shutdown requested');
    const adopting = database.adoptDefinition({ log: () => stop.abort(reason), signal: stop.signal });
    await expect(adopting).rejects.toBe(reason);
    expect(await stored(url)).toHaveLength(1);
  });
});
