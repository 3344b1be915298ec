import type { Order } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { decidedOrders, lastingKey } from '../fixtures/decided-writes.ts';
import { holding, untilWaiting } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const OWNER = 'owner';
const database = testDatabase();

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

/** The shortest retention times that a server accepts. */
const ages = () => ({ now: hoursAgo(0), eventsBefore: hoursAgo(24), historyBefore: hoursAgo(24) });

const orders = () => decidedOrders(database.current);
const unchanged = (order: Order) => order;

/** Stores an order that was placed two days ago. */
async function anOldOrder(): Promise<Order> {
  return (await orders().insert(OWNER, anOrder({ created_at: hoursAgo(48) })))._unsafeUnwrap().aggregate;
}

async function deleteOrder({ id }: Order, occurred_at: string): Promise<void> {
  (await orders().delete(OWNER, id, undefined, { occurred_at }))._unsafeUnwrap();
}

describe('a purge that meets', () => {
  it('a write that changes nothing keeps the version that its key will refer to', async () => {
    const order = await anOldOrder();
    // The write has loaded the order, and waits to record its key while the order is deleted and the purge runs.
    const release = await holding(
      database.url,
      `insert into idempotency values ('${OWNER}', 'no-op', 'f', 'order', '${order.id}', 1, now() + interval '1 day')`,
    );
    const write = () => orders().update(OWNER, order.id, unchanged, lastingKey('no-op'));
    const writing = write();
    await untilWaiting(database.url);
    await deleteOrder(order, hoursAgo(0));
    await purge(database.current)(ages());
    await release();
    expect((await writing)._unsafeUnwrap().aggregate).toEqual(order);
    expect((await write())._unsafeUnwrap()).toEqual({ aggregate: order, event: null, replayed: true });
  });

  it('a replay does not delay it, and lets it find its version', async () => {
    const order = await anOldOrder();
    const replay = () => orders().update(OWNER, order.id, unchanged, lastingKey('replay'));
    (await replay())._unsafeUnwrap();
    const other = await anOldOrder();
    await deleteOrder(order, hoursAgo(25));
    await deleteOrder(other, hoursAgo(25));
    const locked = `select 1 from changes where aggregate_id = '${other.id}' for update`;
    const release = await holding(database.url, locked);
    const run = purge(database.current);
    const [purged, replayed] = await Promise.all([run(ages()), replay()]);
    expect(replayed._unsafeUnwrap()).toMatchObject({ aggregate: order, replayed: true });
    expect(purged.changes).toBe(0);
    await release();
    expect((await run(ages())).changes).toBe(2);
    expect((await replay())._unsafeUnwrap()).toMatchObject({ aggregate: order, replayed: true });
  });
});
