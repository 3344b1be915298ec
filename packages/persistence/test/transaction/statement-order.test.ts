import { createDomain } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { Client } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { createPickUps } from './host-tables.ts';

const tested = testDatabase();
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };

beforeAll(() => createPickUps(tested.url));

function open() {
  const database = openDatabase({ url: tested.url, poolMax: 1 });
  onTestFinished(() => database.close());
  return database;
}

function outside() {
  const orders = postgresOrderRepository(tested.current);
  const customers = postgresCustomerRepository(tested.current);
  return createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() });
}

async function references(owner: string): Promise<readonly (string | null)[]> {
  return (await outside().listOrders(owner))._unsafeUnwrap().data.map(({ reference }) => reference);
}

async function shelves(prefix: string): Promise<readonly unknown[]> {
  const rows = await execute(
    tested.url,
    `select shelf from shop.pick_ups where shelf like '${prefix}%' order by shelf`,
  );
  return rows.map(({ shelf }) => shelf);
}

const insertPickUp = (shelf: string) => `insert into shop.pick_ups values (gen_random_uuid(), now(), '${shelf}')`;

describe('a transaction whose statements are started together', () => {
  it('keeps a row of the host apart from a rejected write', async () => {
    const result = await open().transaction(async ({ domain, client }) => {
      const place = (reference: string) => domain.placeOrder('rows', { items: [ITEM], reference });
      const [first, , rejected] = await Promise.all([
        place('R-1'),
        client.query(insertPickUp('row-1')),
        place('R-1'),
        client.query(insertPickUp('row-2')),
        place('R-1'),
        client.query(insertPickUp('row-3')),
      ]);
      return ok([first.isOk(), rejected.isOk()]);
    });
    expect(result).toEqual(ok([true, false]));
    expect(await shelves('row-')).toEqual(['row-1', 'row-2', 'row-3']);
    expect(await references('rows')).toEqual(['R-1']);
  });

  it('keeps reads apart from a rejected write', async () => {
    const result = await open().transaction(async ({ domain }) => {
      const { order } = (await domain.placeOrder('reads', { items: [ITEM], reference: 'R-1' }))._unsafeUnwrap();
      const write = { isSettled: false };
      const place = domain
        .placeOrder('reads', { items: [ITEM], reference: 'R-1' })
        .orTee(() => (write.isSettled = true));
      // One read after the other, so that some arrive between the statements of the write.
      const reads = [true];
      while (!write.isSettled && reads.at(-1) === true) reads.push((await domain.getOrder('reads', order.id)).isOk());
      expect(await place).toEqual(err({ type: 'reference_taken', order_id: order.id }));
      return ok(reads.every(Boolean));
    });
    expect(result).toEqual(ok(true));
  });

  it('keeps a write apart from a rejected one with a key', async () => {
    const result = await open().transaction(async ({ domain }) => {
      const place = (reference: string, idempotencyKey: string) =>
        domain.placeOrder('keys', { items: [ITEM], reference }, { idempotencyKey });
      const placed = await Promise.all([place('R-1', 'a'), place('R-1', 'b'), place('R-2', 'c'), place('R-2', 'd')]);
      return ok(placed.map((one) => one.isOk()));
    });
    expect(result).toEqual(ok([true, false, true, false]));
    expect(await references('keys')).toEqual(['R-2', 'R-1']);
  });

  it('commits all of them, although they were not awaited', async () => {
    const result = await open().transaction(({ domain, client }) => {
      const place = (reference: string) => void domain.placeOrder('hurried', { items: [ITEM], reference });
      place('R-1');
      void client.query(insertPickUp('hurried-1'));
      place('R-1');
      place('R-2');
      void client.query(insertPickUp('hurried-2'));
      return Promise.resolve(ok('done'));
    });
    expect(result).toEqual(ok('done'));
    expect(await shelves('hurried-')).toEqual(['hurried-1', 'hurried-2']);
    expect(await references('hurried')).toEqual(['R-2', 'R-1']);
  });

  it('keeps them apart although it was joined twice', async () => {
    const client = new Client({ connectionString: tested.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('begin');
    const join = async () => (await tested.current.joinTransaction(client)).domain;
    const [first, second] = [await join(), await join()];
    await first.placeOrder('twice', { items: [ITEM], reference: 'R-1' });
    const [kept, rejected] = await Promise.all([
      first.placeOrder('twice', { items: [ITEM], reference: 'R-2' }),
      second.placeOrder('twice', { items: [ITEM], reference: 'R-1' }),
    ]);
    expect([kept.isOk(), rejected.isOk()]).toEqual([true, false]);
    await client.query('commit');
    expect(await references('twice')).toEqual(['R-2', 'R-1']);
  });
});
