import { randomUUID } from 'node:crypto';
import { createDomain } from '@orders/domain/runtime';
import { aCustomer, anOrder } from '@orders/domain/testing';
import { postgresStore } from '@orders/persistence';
import { expect, it } from 'vitest';
import { decidedCustomers, decidedOrders, lastingKey, withNote } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { holding, holdKey, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

// Two transactions that take the same locks in different orders wait for each other until PostgreSQL ends one of them. A retry
// would hide that.
const database = testDatabase();

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 450, currency: 'EUR' } };

/** Returns the rows that nobody has locked. */
const unlocked = (rows: string) => execute(database.url, `${rows} for update skip locked`);

it('a change locks its order before its key', async () => {
  const owner = randomUUID();
  const orders = decidedOrders(database.current);
  const { id } = (await orders.insert(owner, anOrder()))._unsafeUnwrap().aggregate;
  const release = await holding(database.url, holdKey(owner, 'key'));
  const changing = orders.update(owner, id, withNote('changed'), lastingKey('key'));
  await untilWaiting(database.url);
  expect(await unlocked(`select id from orders where owner_id = '${owner}'`)).toEqual([]);
  await release();
  expect((await changing).isOk()).toBe(true);
});

it('a batch takes its keys in the order of their texts', async () => {
  const owner = randomUUID();
  const release = await holding(database.url, holdKey(owner, 'a'));
  const batch = ['b', 'a'].map((idempotencyKey) => ({ order: { items: [ITEM] }, idempotencyKey }));
  const placing = createDomain(postgresStore(database.current)).placeOrders(owner, batch);
  await untilWaiting(database.url);
  const releaseOther = await holding(database.url, `set local lock_timeout = '100ms'; ${holdKey(owner, 'b')}`);
  await releaseOther();
  await release();
  expect((await placing)._unsafeUnwrap().map((result) => result.isOk())).toEqual([true, true]);
});

it('an erasure locks the versions of a customer from the first on', async () => {
  const owner = randomUUID();
  const customers = decidedCustomers(database.current);
  const { id } = (await customers.insert(owner, aCustomer()))._unsafeUnwrap().aggregate;
  (await customers.update(owner, id, (customer) => ({ ...customer, version: 2 })))._unsafeUnwrap();
  const versions = `select version from changes where owner_id = '${owner}'`;
  const release = await holding(database.url, `${versions} and version = 1 for update`);
  const deleting = customers.delete(owner, id);
  await untilWaiting(database.url);
  expect(await unlocked(versions)).toEqual([{ version: 2 }]);
  await release();
  expect((await deleting).isOk()).toBe(true);
});
