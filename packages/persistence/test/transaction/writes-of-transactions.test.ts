import { startPostgresProxy } from '@orders/postgres-proxy';
import { ok } from 'neverthrow';
import { Client } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession } from '../fixtures/another-session.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';
import { createPickUps } from './host-tables.ts';

const tested = testDatabase();
const { open, outside, place, count, pickUps } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

const insertPickUp = (shelf: string) => `insert into shop.pick_ups values (gen_random_uuid(), now(), '${shelf}')`;

async function client(url = tested.url, limits: { query_timeout?: number } = {}): Promise<Client> {
  const connected = new Client({ connectionString: url, ...limits });
  connected.on('error', () => undefined);
  await connected.connect();
  onTestFinished(() => connected.end());
  return connected;
}

async function proxied() {
  const proxy = await startPostgresProxy(tested.url);
  onTestFinished(() => proxy.close());
  return proxy;
}

describe('a write of a transaction', () => {
  it('throws the violation of a constraint that the host has added', async () => {
    await execute(
      tested.url,
      `create table labels (owner_id text collate "C", order_id uuid,
         constraint labels_order foreign key (owner_id, order_id) references orders (owner_id, id))`,
    );
    const id = await place('labelled');
    await execute(tested.url, `insert into labels values ('labelled', '${id}')`);
    const violated = { code: '23503', constraint: 'labels_order' };
    await expect(outside().deleteOrder('labelled', id)).rejects.toMatchObject(violated);
    const result = await open().transaction(async ({ domain, client: inside }) => {
      await expect(domain.deleteOrder('labelled', id)).rejects.toMatchObject(violated);
      await inside.query('delete from orders.labels where order_id = $1', [id]);
      return await domain.deleteOrder('labelled', id);
    });
    expect(result.isOk()).toBe(true);
    await execute(tested.url, 'drop table labels');
  });

  /** Prepares a conflict: the holder of the reference releases it after the violation, before it is looked up. */
  async function conflict(owner: string) {
    const proxy = await proxied();
    const holder = await place(owner, 'R-1');
    const database = open({ url: proxy.url, poolMax: 1 });
    await database.ping();
    const release = async () => {
      (await outside().changeOrder(owner, holder, { reference: 'R-2' }))._unsafeUnwrap();
    };
    const isLookup = ({ text }: { text: string }) =>
      /select.*from "orders"."?orders/is.test(text) && text.includes('reference');
    proxy.fault(1, release, isLookup);
    return { database, proxy };
  }

  it('stores nothing after a conflict, although the work ignores it', async () => {
    const owner = 'own conflict';
    const { database } = await conflict(owner);
    const result = await database.transaction(async ({ domain, client: inside }) => {
      await inside.query(insertPickUp(owner));
      const placed = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
      expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
      return ok('although it conflicted');
    });
    expect(result._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    expect([await count(owner), await pickUps(owner)]).toEqual([1, 0]);
  });

  it('stores nothing after a conflict, although the host commits', async () => {
    const owner = 'joined conflict';
    const { database, proxy } = await conflict(owner);
    const host = await client(proxy.url);
    await host.query('begin');
    const { domain } = await database.joinTransaction(host);
    await host.query(insertPickUp(owner));
    const placed = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
    expect(await host.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    expect([await count(owner), await pickUps(owner)]).toEqual([1, 0]);
  });

  it('stores nothing when its response is late and the host commits', async () => {
    const id = await place('late');
    const holder = await anotherSession(tested.url);
    await holder.query('begin');
    await holder.query('select from orders.orders where id = $1 for update', [id]);
    const host = await client(tested.url, { query_timeout: 3000 });
    await host.query('begin');
    await host.query(insertPickUp('late'));
    const { domain } = await tested.current.joinTransaction(host);
    expect((await domain.cancelOrder('late', id))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
    const committed = host.query('commit');
    await holder.query('rollback');
    expect(await committed).toMatchObject({ command: 'ROLLBACK' });
    expect(await pickUps('late')).toBe(0);
    expect((await outside().getOrder('late', id))._unsafeUnwrap().status).toBe('pending');
  });
});
