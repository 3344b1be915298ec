import type { HostExecutor } from '@orders/persistence';
import { PostgresDialect } from 'kysely';
import { err } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { holding } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, AT, insertPickUp, ITEM, RETRYABLE } from './a-host.ts';
import { createPickUps, hostOrm, PickUp } from './host-tables.ts';

const tested = testDatabase();
const { connect, openPool, outside, place, count, shelves } = aHost(tested);

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
    const dialect = new PostgresDialect({ pool: openPool() });
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

  it('executes a statement without rows, the first time and again', async () => {
    const client = await connect();
    await client.query('begin');
    const { domain } = await tested.current.joinTransaction(client);
    for (let time = 0; time < 2; time += 1) {
      const { id: customer_id } = (
        await domain.createCustomer('owner of deleted orders', { email: `${time}@example.com` })
      )._unsafeUnwrap().customer;
      const { order } = (
        await domain.placeOrder('owner of deleted orders', { items: [ITEM], customer_id })
      )._unsafeUnwrap();
      (await domain.deleteOrder('owner of deleted orders', order.id))._unsafeUnwrap();
      // What operators wrote about a deleted order is erased by such a statement.
      const { customer } = (await domain.eraseCustomer('owner of deleted orders', customer_id))._unsafeUnwrap();
      expect(customer.erasure).toEqual({ status: 'done' });
    }
    await client.query('commit');
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

  it.each([
    ['a row', { query: () => Promise.resolve({}) }, 'query must return the rows'],
    ['nothing', { query: () => Promise.resolve([]) }, 'did not return its transaction'],
    ['what is none', {}, 'joinTransaction needs'],
  ])('rejects an executor that returns %s', async (_, host, message) => {
    // @ts-expect-error -- as a program in JavaScript may
    await expect(tested.current.joinTransaction(host)).rejects.toThrow(message);
  });

  it('commits with an executor of the host, and joins none without a transaction', async () => {
    const client = await connect();
    const query: HostExecutor['query'] = async (text, values) => {
      expect(text.match(/\$\d+/g) ?? []).toEqual(values.map((_, index) => `$${index + 1}`));
      return (await client.query<object>(text, values)).rows;
    };
    const executor: HostExecutor = { query };
    await expect(tested.current.joinTransaction(executor)).rejects.toThrow('not in a transaction');
    await client.query('begin');
    const { domain } = await tested.current.joinTransaction(executor);
    const place = () => domain.placeOrder('executor', { items: [ITEM], reference: 'X-1', note: `100 % 'o' \\ $1` });
    const { order } = (await place())._unsafeUnwrap();
    expect(await place()).toEqual(err({ type: 'reference_taken', order_id: order.id }));
    // The session keeps the plan of a read, and gets it again.
    await client.query('deallocate all');
    expect((await domain.getOrder('executor', order.id))._unsafeUnwrap()).toEqual(order);
    expect((await client.query('select from pg_prepared_statements')).rowCount).toBe(1);
    await client.query('commit');
    expect((await outside().getOrder('executor', order.id))._unsafeUnwrap()).toEqual(order);
  });

  it.each([
    ['has the cause of the driver', (cause: unknown) => new Error('of an ORM', { cause }), undefined],
    ['is mapped', () => new Error('hidden'), () => '55P03'],
  ] as const)('passes on a failure of the database whose error %s', async (_, wrap, sqlState) => {
    const id = await place('mapped');
    const release = await holding(tested.url, `select from orders where id = '${id}' for update`);
    const client = await connect({ options: '-c lock_timeout=50' });
    await client.query('begin');
    const query: HostExecutor['query'] = (text, values) =>
      client.query<object>(text, values).then(
        ({ rows }) => rows,
        (cause: unknown) => Promise.reject(wrap(cause)),
      );
    const { domain } = await tested.current.joinTransaction({ query, sqlState });
    const failed = { type: 'unavailable', cause: RETRYABLE };
    expect((await domain.cancelOrder('mapped', id))._unsafeUnwrapErr()).toMatchObject(failed);
    expect(await client.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    await release();
  });
});
