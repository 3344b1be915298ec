import { anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { type MovableName, movableName, startStreamingPair, type StreamingPair } from './streaming-standby.ts';
import { type DecidedOrders, decidedOrders } from '../fixtures/decided-writes.ts';

const OWNER = 'owner';

let pair: StreamingPair;
let name: MovableName;

beforeEach(async () => {
  pair = await startStreamingPair();
  name = await movableName(pair.primary.url);
});

afterEach(async () => {
  await name.close();
  await pair.stop();
});

function open(): { database: Database; orders: DecidedOrders } {
  const database = untilFinished(openDatabase({ url: name.url }));
  return { database, orders: decidedOrders(database) };
}

async function place(orders: DecidedOrders): Promise<string> {
  return await orders.insert(OWNER, anOrder()).match(
    () => 'placed',
    (refused) => refused.type,
  );
}

/** Opens several connections by concurrent reads. */
async function read(orders: DecidedOrders, id = anOrder().id): Promise<readonly string[]> {
  const found = Array.from({ length: 4 }, () => orders.find(OWNER, id));
  return (await Promise.all(found)).map((result) => (result.isOk() ? 'found' : result.error.type));
}

describe('a host name that resolves to a standby', () => {
  it('refuses writes as unavailable, and accepts them with fresh reads when it resolves to a primary', async () => {
    name.moveTo(pair.standby.url);
    const { orders } = open();
    expect(await read(orders)).not.toContain('unavailable');
    expect(await place(orders)).toBe('unavailable');
    expect(await read(orders)).not.toContain('unavailable');
    name.moveTo(pair.primary.url);
    // Connections are renewed at most once a second.
    await expect.poll(() => place(orders)).toBe('placed');
    await execute(pair.standby.url, 'select pg_wal_replay_pause()');
    const order = anOrder();
    (await orders.insert(OWNER, order))._unsafeUnwrap();
    expect(await read(orders, order.id)).toEqual(['found', 'found', 'found', 'found']);
  });

  it('is not writable until it resolves to a primary', async () => {
    name.moveTo(pair.standby.url);
    const { database } = open();
    expect(await database.isWritable()).toBe(false);
    name.moveTo(pair.primary.url);
    await expect.poll(() => database.isWritable()).toBe(true);
  });
});

describe('a failover to a promoted standby', () => {
  it('needs no restart when the old primary is gone', async () => {
    const { orders } = open();
    expect(await place(orders)).toBe('placed');
    await read(orders);
    name.moveTo(pair.standby.url);
    name.cut();
    await expect.poll(() => place(orders)).toBe('unavailable');
    await execute(pair.standby.url, 'select pg_promote()');
    await expect.poll(() => place(orders)).toBe('placed');
  });

  it('needs no restart when the old primary stays connected, read-only', async () => {
    const { orders } = open();
    await read(orders);
    expect(await place(orders)).toBe('placed');
    await execute(pair.primary.url, 'alter system set default_transaction_read_only = on');
    await execute(pair.primary.url, 'select pg_reload_conf()');
    await execute(pair.standby.url, 'select pg_promote()');
    name.moveTo(pair.standby.url);
    await expect.poll(() => place(orders)).toBe('unavailable');
    expect(await place(orders)).toBe('placed');
    const order = anOrder();
    (await orders.insert(OWNER, order))._unsafeUnwrap();
    expect(await read(orders, order.id)).toEqual(['found', 'found', 'found', 'found']);
  });
});
