import { openDatabase } from '@orders/persistence';
import { PostgresDialect } from 'kysely';
import { err } from 'neverthrow';
import { Client, type ClientConfig, Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { createPickUps, hostOrm, PickUp } from './host-tables.ts';

const tested = testDatabase();
const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const AT = new Date('2026-01-02T03:04:05.678Z');

beforeAll(() => createPickUps(tested.url));

async function connected(config: ClientConfig = {}): Promise<Client> {
  const client = new Client({ connectionString: tested.url, ...config });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function stored(owner: string): Promise<number> {
  const [row] = await execute<{ count: number }>(
    tested.url,
    `select count(*)::int as count from orders where owner_id = '${owner}'`,
  );
  return row?.count ?? 0;
}

describe('database.joinTransaction', () => {
  it('commits with the EntityManager of the host', async () => {
    const { em } = hostOrm(tested.url);
    const placed = await em.fork().transactional(async (inside) => {
      const { domain } = await tested.current.joinTransaction(inside);
      const { order } = (await domain.placeOrder('em', { items: [ITEM], note: 'a' }))._unsafeUnwrap();
      const changed = (await domain.changeOrder('em', order.id, { note: 'b' }))._unsafeUnwrap().order;
      expect((await domain.getOrder('em', order.id))._unsafeUnwrap()).toEqual(changed);
      inside.create(PickUp, { order_id: order.id, at: AT, shelf: 'e1' });
      expect(await stored('em')).toBe(0);
      return changed;
    });
    expect(await stored('em')).toBe(1);
    expect(
      (await tested.current.transaction(({ domain }) => domain.getOrder('em', placed.id)))._unsafeUnwrap(),
    ).toEqual(placed);
    expect(await em.fork().count(PickUp, { shelf: 'e1' })).toBe(1);
  });

  it('reads the times that a pool of the host parses', async () => {
    // The pools that MikroORM creates return times as text.
    const dialect = new PostgresDialect({ pool: new Pool({ connectionString: tested.url }) });
    const { em } = hostOrm(tested.url, { driverOptions: dialect });
    await em.fork().transactional(async (inside) => {
      const { domain } = await tested.current.joinTransaction(inside);
      const { order } = (await domain.placeOrder('parsed', { items: [ITEM] }))._unsafeUnwrap();
      expect((await domain.getOrder('parsed', order.id))._unsafeUnwrap()).toEqual(order);
    });
  });

  it('commits with a client of the host, also after a rejected write', async () => {
    const client = await connected();
    await client.query('begin');
    const { domain } = await tested.current.joinTransaction(client);
    const first = await domain.placeOrder('pg', { items: [ITEM], reference: 'J-1' });
    const id = first._unsafeUnwrap().order.id;
    expect(await domain.placeOrder('pg', { items: [ITEM], reference: 'J-1' })).toEqual(
      err({ type: 'reference_taken', order_id: id }),
    );
    await client.query(`insert into shop.pick_ups values ($1, now(), 'c1')`, [id]);
    await client.query('commit');
    expect(await stored('pg')).toBe(1);
  });

  it('rejects an EntityManager or client without a transaction', async () => {
    const { em } = hostOrm(tested.url);
    await expect(tested.current.joinTransaction(em.fork())).rejects.toThrow(
      'the EntityManager is not in a transaction',
    );
    const client = await connected();
    await expect(tested.current.joinTransaction(client)).rejects.toThrow('the connection is not in a transaction');
  });

  it.each(['repeatable read', 'serializable'])('rejects the isolation %s', async (isolation) => {
    const client = await connected();
    await client.query(`begin isolation level ${isolation}`);
    await expect(tested.current.joinTransaction(client)).rejects.toThrow(
      `must be READ COMMITTED, got ${isolation.toUpperCase()}`,
    );
  });

  it('rejects a session whose times are not ISO text', async () => {
    const client = await connected({ options: '-c datestyle=german' });
    await client.query('begin');
    await expect(tested.current.joinTransaction(client)).rejects.toThrow(
      'DateStyle of the session must be ISO, got German',
    );
  });

  it('rejects a transaction in which a statement has failed', async () => {
    const client = await connected();
    await client.query('begin');
    await client.query('select 1 / 0').catch(() => undefined);
    await expect(tested.current.joinTransaction(client)).rejects.toMatchObject({
      type: 'transaction_failed',
      retryable: false,
    });
  });

  it('rejects something else than an EntityManager or client', async () => {
    const database = openDatabase({ url: tested.url });
    onTestFinished(() => database.close());
    // @ts-expect-error -- as a program in JavaScript may
    await expect(database.joinTransaction({ query: () => Promise.resolve({}) })).rejects.toThrow(
      'joinTransaction needs',
    );
  });
});
