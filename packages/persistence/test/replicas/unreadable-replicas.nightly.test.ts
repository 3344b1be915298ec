import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { counted, LIST, openReplicated, POLL_OPTIONS, streamingPair, untilReadFrom } from './replicated.ts';

/** Starts a primary of another cluster, with the schema and other data. */
const foreign = testDatabase();
const pair = streamingPair();

function open(replicaUrls: readonly string[], url = pair.current.primary.url) {
  return openReplicated(url, replicaUrls);
}

function withPath(url: string, pathname: string, search = ''): string {
  return Object.assign(new URL(url), { pathname, search }).href;
}

describe('an unusable replica', () => {
  beforeAll(async () => {
    await execute(pair.current.primary.url, 'create database empty');
    await execute(pair.current.primary.url, 'create database older');
    const older = withPath(pair.current.primary.url, '/older');
    await execute(
      older,
      'create schema orders; create table orders.orders (owner_id text, id uuid); create table orders.customers (owner_id text, id uuid)',
    );
    const replicated = () => execute(withPath(pair.current.standby.url, '/older'), 'select * from orders.customers');
    await vi.waitFor(replicated, POLL_OPTIONS);
  });

  const withPassword = (url: string) => Object.assign(new URL(url), { password: 'secret' }).href;
  it.each<[what: string, url: () => string, reason: RegExp]>([
    ['refuses connections', () => 'postgresql://orders:secret@127.0.0.1:1/orders', /ECONNREFUSED/],
    ['refuses the password (28P01)', () => withPassword(pair.current.standby.url), /password authentication failed/],
    [
      'has no such database (3D000)',
      () => withPath(pair.current.standby.url, '/nowhere'),
      /database "nowhere" does not exist/,
    ],
    ['has no schema (42P01)', () => withPath(pair.current.standby.url, '/empty'), /SQLSTATE 42P01$/],
    ['has an older schema (42703)', () => withPath(pair.current.standby.url, '/older'), /SQLSTATE 42703$/],
    ['has no TLS', () => withPath(pair.current.standby.url, '/orders', '?sslmode=verify-full'), /does not support SSL/],
    ['is a primary of another cluster', () => foreign.url, /it is not a standby of this primary$/],
    ['is the primary itself', () => pair.current.primary.url, /it is not a standby of this primary$/],
  ])('that %s is replaced by the primary, and reported once per pause', async (_, url, reason) => {
    const { place, listedOrders, listedCustomers, warnings } = open([url()]);
    const began = performance.now();
    const order = await place();
    await expect
      .poll(async () => {
        expect(await listedOrders()).toContain(order.id);
        await listedCustomers();
        return warnings.length;
      }, POLL_OPTIONS)
      .toBe(1);
    for (let count = 0; count < 10; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(warnings.length).toBeLessThanOrEqual(1 + (performance.now() - began) / 5000);
    expect([...new Set(warnings)]).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).toMatch(/^replica 1 \([^@]+\) is not used for 5 s: /);
    expect(warnings[0]).not.toContain('secret');
  });

  it('that accepts connections and never responds delays no list', async () => {
    let connections = 0;
    const silent = createServer(() => (connections += 1)).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await once(silent, 'listening');
    const address = silent.address();
    const url = `postgresql://orders:secret@127.0.0.1:${typeof address === 'object' ? address?.port : ''}/orders`;
    const { place, listedOrders, warnings } = open([url]);
    const order = await place();
    await expect
      .poll(() => listedOrders().then((ids) => [ids.includes(order.id), connections]), POLL_OPTIONS)
      .toEqual([true, 1]);
    await expect.poll(() => warnings, POLL_OPTIONS).toHaveLength(1);
    for (let count = 0; count < 10; count += 1) expect(await listedOrders()).toContain(order.id);
    expect(connections).toBe(1);
  });

  it('that was read from before is replaced by the primary in the same list', async () => {
    const replica = await counted(pair.current.standby.url);
    const { place, listedOrders, warnings } = open([replica.url]);
    const order = await place();
    await untilReadFrom(replica, listedOrders);
    const cut = replica.proxy.fault(1, 'cut_before', ({ text }) => LIST.test(text));
    await expect.poll(() => listedOrders().then(() => cut.statement !== undefined), POLL_OPTIONS).toBe(true);
    expect(await listedOrders()).toContain(order.id);
    expect(warnings.filter((warning) => warning.includes('is not used for 5 s'))).toHaveLength(1);
  });
});

describe('a read that fails on the primary, too', () => {
  it('fails with the error of the primary', async () => {
    const replica = await counted(pair.current.standby.url);
    const { database, listedOrders } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    const broken = { name: '', text: 'select nothing_of_the_kind' };
    await expect(database.readAnywhere((executor) => executor.execute(broken, []))).rejects.toMatchObject({
      code: '42703',
    });
  });

  it('that fails because of the statement pauses no replica', async () => {
    const replica = await counted(pair.current.standby.url);
    const { database, listedOrders, warnings } = open([replica.url]);
    await untilReadFrom(replica, listedOrders);
    const broken = { name: '', text: 'select 1 / 0' };
    await expect(database.readAnywhere((executor) => executor.execute(broken, []))).rejects.toMatchObject({
      code: '22012',
    });
    expect(warnings).toEqual([]);
  });
});
