import { once } from 'node:events';
import { ok } from 'neverthrow';
import { beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, insertPickUp, ITEM, RETRYABLE } from './a-host.ts';
import { createPickUps } from './host-tables.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { holding } from '../fixtures/sessions.ts';

const tested = testDatabase();
const { open, connect, outside, place, count, shelves } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

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
    const holder = await place(owner, 'R-1');
    const { proxy, server } = await watchedServer(tested.url, { poolMax: 1 });
    const release = async () => {
      (await outside().changeOrder(owner, holder, { reference: 'R-2' }))._unsafeUnwrap();
    };
    proxy.fault(1, release, ({ text }) => text.includes('order_conflicts'));
    return { database: server, proxy };
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
    expect([await count(owner), await shelves(owner)]).toEqual([1, []]);
  });

  it('stores nothing after a conflict, although the host commits', async () => {
    const owner = 'joined conflict';
    const { database, proxy } = await conflict(owner);
    const host = await connect({ connectionString: proxy.url });
    await host.query('begin');
    const { domain } = await database.joinTransaction(host);
    await host.query(insertPickUp(owner));
    const placed = await domain.placeOrder(owner, { items: [ITEM], reference: 'R-1' });
    expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
    expect(await host.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    expect([await count(owner), await shelves(owner)]).toEqual([1, []]);
  });

  it('stores nothing when its response is late and the host commits', async () => {
    const id = await place('late');
    const release = await holding(tested.url, `select from orders where id = '${id}' for update`);
    const host = await connect({ query_timeout: 3000 });
    await host.query('begin');
    await host.query(insertPickUp('late'));
    const { domain } = await tested.current.joinTransaction(host);
    expect((await domain.cancelOrder('late', id))._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable' });
    const isIdle = once(host, 'drain');
    await release();
    await isIdle;
    expect(await host.query('commit')).toMatchObject({ command: 'ROLLBACK' });
    expect(await shelves('late')).toEqual([]);
    expect((await outside().getOrder('late', id))._unsafeUnwrap().status).toBe('pending');
  });
});
