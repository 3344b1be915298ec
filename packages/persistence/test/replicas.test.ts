import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Order } from '@orders/domain';
import { aCustomer, anEventOf, anEventOfCustomer, anOrder } from '@orders/domain/testing';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const OWNER = 'owner';
const run = promisify(execFile);
const old = { order: anOrder(), customer: aCustomer({ email: 'old@example.com' }) };
const recent = { order: anOrder(), customer: aCustomer({ email: 'recent@example.com' }) };

let folder: string;
let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;

/** Everything that is asked of a database whose primary and replicas are these. */
function open(url: string, replicaUrls: readonly string[]) {
  const database = openDatabase({ url, replicaUrls, connectTimeoutMs: 2000 });
  const orders = postgresOrderRepository(database);
  const customers = postgresCustomerRepository(database);
  const page = { sort: 'created_at', limit: 20, offset: 0, after: null } as const;
  return {
    database,
    orders,
    customers,
    place: (order: Order, key?: string) => {
      const once = { key: key ?? '', fingerprint: 'f', now: order.created_at, expires_at: '2100-01-01T00:00:00.000Z' };
      return orders.insert(OWNER, { order, event: anEventOf(OWNER, order) }, key === undefined ? undefined : once);
    },
    create: (customer: typeof old.customer) =>
      customers.insert(OWNER, { customer, event: anEventOfCustomer(OWNER, customer) }),
    listedOrders: async () => {
      const query = { ...page, status: null, customer_id: null, reference: null };
      return (await orders.list(OWNER, query))._unsafeUnwrap().data.map(({ id }) => id);
    },
    listedCustomers: async () => (await customers.list(OWNER, page))._unsafeUnwrap().data.map(({ id }) => id),
  };
}

type Opened = ReturnType<typeof open>;

async function using<T>(opened: Opened, work: (opened: Opened) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } finally {
    await opened.database.close();
  }
}

// A standby that has all but what comes after it was copied, as one whose stream has stopped.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'orders-replica-'));
  const dataDir = join(folder, 'primary');
  primary = await startEmbeddedPostgres({ dataDir });
  await using(open(primary.url, []), async ({ database, place, create }) => {
    await database.migrate();
    (await place(old.order))._unsafeUnwrap();
    (await create(old.customer))._unsafeUnwrap();
  });
  await primary.stop();
  await run('cp', ['-a', dataDir, join(folder, 'standby')]);
  // A copy of some file of the folder, so that it belongs to the same account.
  await run('cp', ['-a', join(dataDir, 'PG_VERSION'), join(folder, 'standby/standby.signal')]);
  primary = await startEmbeddedPostgres({ dataDir });
  standby = await startEmbeddedPostgres({ dataDir: join(folder, 'standby') });
  await using(open(primary.url, []), async ({ place, create }) => {
    (await place(recent.order, 'recent'))._unsafeUnwrap();
    (await create(recent.customer))._unsafeUnwrap();
  });
});

afterAll(async () => {
  await standby.stop();
  await primary.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('with a replica', () => {
  it('lists are as old as it is', async () => {
    await using(open(primary.url, [standby.url]), async ({ listedOrders, listedCustomers }) => {
      expect(await listedOrders()).toEqual([old.order.id]);
      expect(await listedCustomers()).toEqual([old.customer.id]);
    });
  });

  it('everything else is as new as the primary: reads by id, replays, and what writes begin with', async () => {
    await using(open(primary.url, [standby.url]), async ({ orders, customers, place }) => {
      const { id } = recent.order;
      expect((await orders.find(OWNER, id))._unsafeUnwrap()).toEqual(recent.order);
      expect((await customers.find(OWNER, recent.customer.id))._unsafeUnwrap()).toEqual(recent.customer);
      expect((await place(anOrder(), 'recent'))._unsafeUnwrap()).toMatchObject({ replayed: true, order: { id } });
      const unchanged = (order: Order) => ok({ order, event: null });
      expect((await orders.update(OWNER, id, unchanged))._unsafeUnwrap().order).toEqual(recent.order);
    });
  });

  it('that cannot be reached, the primary lists', async () => {
    const nowhere = 'postgresql://orders:secret@127.0.0.1:1/orders';
    await using(open(primary.url, [nowhere]), async ({ listedOrders, listedCustomers }) => {
      expect(await listedOrders()).toHaveLength(2);
      expect(await listedCustomers()).toHaveLength(2);
    });
  });
});

describe('a replica that takes connections and never answers', () => {
  it('is waited for once, and then left alone for a while', async () => {
    let connections = 0;
    const silent = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const url = `postgresql://orders:secret@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/orders`;
    await using(open(primary.url, [url]), async ({ listedOrders }) => {
      for (let time = 0; time < 3; time += 1) expect(await listedOrders()).toHaveLength(2);
    });
    expect(connections).toBe(1);
    silent.close();
  });
});

describe('a standby that was not promoted', () => {
  it('is read from, and refuses writes as unavailable', async () => {
    await using(open(standby.url, []), async ({ orders, listedOrders, place, create }) => {
      expect(await listedOrders()).toEqual([old.order.id]);
      const refused = { type: 'unavailable', cause: { code: '25006' } };
      expect((await place(anOrder()))._unsafeUnwrapErr()).toMatchObject(refused);
      expect((await create(aCustomer()))._unsafeUnwrapErr()).toMatchObject(refused);
      const removal = () => ok(anEventOf(OWNER, old.order));
      expect((await orders.delete(OWNER, old.order.id, removal))._unsafeUnwrapErr()).toMatchObject(refused);
    });
  });
});
