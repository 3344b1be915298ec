import { openDatabase } from '@orders/persistence';
import { PostgresDialect } from 'kysely';
import { err } from 'neverthrow';
import { Pool } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, AT, insertPickUp, ITEM } from './a-host.ts';
import { createPickUps, hostOrm, PickUp } from './host-tables.ts';

const tested = testDatabase();
const { connect, outside, count, shelves } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

describe('database.joinTransaction', () => {
  it('commits with the EntityManager of the host', async () => {
    const { em } = hostOrm(tested.url);
    const placed = await em.fork().transactional(async (inside) => {
      const { domain } = await tested.current.joinTransaction(inside);
      const { order } = (await domain.placeOrder('em', { items: [ITEM], note: 'a' }))._unsafeUnwrap();
      const changed = (await domain.changeOrder('em', order.id, { note: 'b' }))._unsafeUnwrap().order;
      expect((await domain.getOrder('em', order.id))._unsafeUnwrap()).toEqual(changed);
      inside.create(PickUp, { order_id: order.id, at: AT, shelf: 'e1' });
      expect(await count('em')).toBe(0);
      return changed;
    });
    expect((await outside().getOrder('em', placed.id))._unsafeUnwrap()).toEqual(placed);
    expect(await shelves('e1')).toHaveLength(1);
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
    const client = await connect();
    await client.query('begin');
    const { domain } = await tested.current.joinTransaction(client);
    const place = () => domain.placeOrder('pg', { items: [ITEM], reference: 'J-1' });
    const { id } = (await place())._unsafeUnwrap().order;
    expect(await place()).toEqual(err({ type: 'reference_taken', order_id: id }));
    await client.query(insertPickUp('c1'));
    await client.query('commit');
    expect([await count('pg'), await shelves('c1')]).toEqual([1, ['c1']]);
  });

  it('rejects an EntityManager or client without a transaction', async () => {
    const join = tested.current.joinTransaction(hostOrm(tested.url).em.fork());
    await expect(join).rejects.toThrow('the EntityManager is not in a transaction');
    const client = await connect();
    await expect(tested.current.joinTransaction(client)).rejects.toThrow('the connection is not in a transaction');
  });

  it.each(['repeatable read', 'serializable'])('rejects the isolation %s', async (isolation) => {
    const client = await connect();
    await client.query(`begin isolation level ${isolation}`);
    await expect(tested.current.joinTransaction(client)).rejects.toThrow(
      `must be READ COMMITTED, got ${isolation.toUpperCase()}`,
    );
  });

  it('rejects a session whose times are not ISO text', async () => {
    const client = await connect({ options: '-c datestyle=german' });
    await client.query('begin');
    await expect(tested.current.joinTransaction(client)).rejects.toThrow(
      'DateStyle of the session must be ISO, got German',
    );
  });

  it('rejects a transaction in which a statement has failed', async () => {
    const client = await connect();
    await client.query('begin');
    await client.query('select 1 / 0').catch(() => undefined);
    const failed = { type: 'transaction_failed', retryable: false };
    await expect(tested.current.joinTransaction(client)).rejects.toMatchObject(failed);
  });

  it('rejects something else than an EntityManager or client', async () => {
    const database = untilFinished(openDatabase({ url: tested.url }));
    // @ts-expect-error -- as a program in JavaScript may
    const join = database.joinTransaction({ query: () => Promise.resolve({}) });
    await expect(join).rejects.toThrow('joinTransaction needs');
  });
});
