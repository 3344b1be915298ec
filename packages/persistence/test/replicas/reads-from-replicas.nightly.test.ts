import { setTimeout as sleep } from 'node:timers/promises';
import { aCustomer, anOrder } from '@orders/domain/testing';
import { startPostgresProxy } from '@orders/postgres-proxy';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { counted, openReplicated, OWNER, POLL_OPTIONS, streamingPair, untilReadFrom } from './replicated.ts';

const pair = streamingPair();

function open(replicaUrls: readonly string[], url = pair.current.primary.url) {
  return openReplicated(url, replicaUrls);
}

describe('with a replica', () => {
  it('lists are read from it and everything else from the primary', async () => {
    const replica = await counted(pair.current.standby.url);
    const primary = await counted(pair.current.primary.url);
    const { orders, customers, place, create, listedOrders, listedCustomers } = open([replica.url], primary.url);
    const order = await place();
    const customer = await create();
    await untilReadFrom(replica, listedOrders);
    await execute(pair.current.standby.url, 'select pg_wal_replay_pause()');
    onTestFinished(async () => void (await execute(pair.current.standby.url, 'select pg_wal_replay_resume()')));
    const recent = await place(anOrder(), 'recent');
    primary.clear();
    replica.clear();
    expect(await listedOrders()).not.toContain(recent.id);
    expect(await listedCustomers()).toContain(customer.id);
    expect([replica.lists(), primary.lists()]).toEqual([2, 0]);
    expect((await orders.find(OWNER, recent.id))._unsafeUnwrap()).toEqual(recent);
    expect((await customers.find(OWNER, customer.id))._unsafeUnwrap()).toEqual(customer);
    expect(await place(anOrder(), 'recent')).toEqual(recent);
    expect((await orders.update(OWNER, order.id, (before) => before))._unsafeUnwrap().aggregate).toEqual(order);
  });

  it('lists are read from the primary while it is more than ten seconds behind', async () => {
    const replica = await counted(pair.current.standby.url);
    const { place, listedOrders, warnings } = open([replica.url]);
    await place();
    await untilReadFrom(replica, listedOrders);
    await execute(pair.current.standby.url, 'select pg_wal_replay_pause()');
    const order = await place();
    await expect.poll(listedOrders, POLL_OPTIONS).toContain(order.id);
    await expect.poll(() => listedOrders().then(() => warnings), POLL_OPTIONS).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/^replica 1 \(127\.0\.0\.1:\d+\/orders\).*more than 10 s behind$/),
    ]);
    const before = replica.lists();
    for (let count = 0; count < 5; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(replica.lists()).toBe(before);
    await execute(pair.current.standby.url, 'select pg_wal_replay_resume()');
    await untilReadFrom(replica, listedOrders);
    expect(await listedOrders()).toContain(order.id);
  });

  it('lists are read from the primary when it receives nothing more', async () => {
    const replica = await counted(pair.current.standby.url);
    const { listedOrders } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    pair.current.cutStream();
    onTestFinished(() => pair.current.restoreStream());
    // The replica has everything that the primary wrote, but cannot confirm that for long.
    await expect
      .poll(async () => {
        const before = replica.lists();
        for (let count = 0; count < 5; count += 1) await listedOrders();
        return replica.lists() - before;
      }, POLL_OPTIONS)
      .toBe(0);
    pair.current.restoreStream();
    await untilReadFrom(replica, listedOrders);
  });
});

describe('two replicas', () => {
  it('are read from in turn', async () => {
    const replicas = [await counted(pair.current.standby.url), await counted(pair.current.standby.url)];
    const { listedOrders, listedCustomers } = open(replicas.map(({ url }) => url));
    for (const replica of replicas) await untilReadFrom(replica, listedOrders);
    for (const replica of replicas) replica.clear();
    for (const list of [listedOrders, listedCustomers, listedOrders, listedOrders]) await list();
    expect(replicas.map(({ lists }) => lists())).toEqual([2, 2]);
  });

  it('are replaced by one when the other is dead', async () => {
    const alive = await counted(pair.current.standby.url);
    const primary = await counted(pair.current.primary.url);
    const replicaUrls = ['postgresql://orders:secret@127.0.0.1:1/orders', alive.url];
    const { listedOrders, warnings } = open(replicaUrls, primary.url);
    await untilReadFrom(alive, listedOrders);
    alive.clear();
    primary.clear();
    for (let count = 0; count < 10; count += 1) await listedOrders();
    expect([alive.lists(), primary.lists()]).toEqual([10, 0]);
    expect(new Set(warnings).size).toBe(1);
  });
});

describe('while the primary is gone', () => {
  it('lists are still read from a replica that was current', async () => {
    const replica = await counted(pair.current.standby.url);
    const primary = await startPostgresProxy(pair.current.primary.url);
    const { listedOrders } = open([replica.url], primary.url);
    await untilReadFrom(replica, listedOrders);
    await primary.close();
    for (const end = performance.now() + 5000; performance.now() < end;) {
      await listedOrders();
      await sleep(50);
    }
    expect(replica.lists()).toBeGreaterThan(10);
  });
});

describe('a standby that was not promoted', () => {
  it('is read from, and refuses writes as unavailable', async () => {
    const { orders, place, listedOrders } = open([]);
    const order = await place();
    const standby = open([], pair.current.standby.url);
    await expect.poll(standby.listedOrders, POLL_OPTIONS).toContain(order.id);
    expect(await listedOrders()).toContain(order.id);
    const refused = { type: 'unavailable', cause: { code: '25006' } };
    for (const write of [
      standby.orders.insert(OWNER, anOrder()),
      standby.customers.insert(OWNER, aCustomer()),
      standby.orders.delete(OWNER, order.id),
    ])
      expect((await write)._unsafeUnwrapErr()).toMatchObject(refused);
    expect((await orders.find(OWNER, order.id)).isOk()).toBe(true);
  });
});
