import type { Order } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { clockDifference, purge } from '@orders/persistence';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { idOf, insertChanges, insertKey } from '../fixtures/change-rows.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

const OWNER = 'owner';
const DAY_MS = 24 * 60 * 60 * 1000;
const database = testDatabase();

/**
 * Returns the key of a request to a server whose clock is `aheadMs` ahead of the database's. Its record is valid for a
 * day.
 */
function keyAt(aheadMs: number, key: string, fingerprint = 'f') {
  const now = Date.now() + aheadMs;
  return { key, fingerprint, now: new Date(now).toISOString(), expires_at: new Date(now + DAY_MS).toISOString() };
}

const AHEAD_MS = 25 * 60 * 60 * 1000;

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000).toISOString();

const place = (key: ReturnType<typeof keyAt>) => {
  const order = anOrder();
  return decidedOrders(database.current).insert(OWNER, { order, event: anEventOf(OWNER, order) }, key);
};

const withNote = (note: string) => (before: Order) => {
  const order = { ...before, note, version: before.version + 1 };
  return ok({ order, event: anEventOf(OWNER, order) });
};

describe('a server whose clock is 25 hours ahead', () => {
  it('purges no key and no event that is too young by the database clock', async () => {
    const { order } = (await place(keyAt(0, 'kept')))._unsafeUnwrap();
    const eventsBefore = new Date(Date.now() + AHEAD_MS - DAY_MS).toISOString();
    const ahead = { now: new Date(Date.now() + AHEAD_MS).toISOString(), eventsBefore };
    const [old, young] = [hoursAgo(26), hoursAgo(23)];
    await insertChanges(database.url, 'young', [
      { id: idOf(1), version: 1, at: young, deletion: true },
      { id: idOf(2), version: 1, at: old },
      { id: idOf(2), version: 2, at: young },
      { id: idOf(3), version: 1, at: old },
      { id: idOf(3), version: 2, at: hoursAgo(0), deletion: true },
    ]);
    const nothing = { keys: 0, deliveries: 0, changes: 0, snapshots: 0 };
    expect(await purge(database.current)({ ...ahead, historyBefore: eventsBefore })).toEqual(nothing);
    expect((await place(keyAt(0, 'kept')))._unsafeUnwrap()).toMatchObject({ order: { id: order.id }, replayed: true });
  });

  it('purges rows that are old by both clocks', async () => {
    const id = idOf(4);
    await insertKey(database.url, 'old', 'key', { id, version: 1 }, hoursAgo(0));
    await insertChanges(database.url, 'old', [{ id, version: 2, at: hoursAgo(25), deletion: true }]);
    const eventsBefore = new Date(Date.now() + AHEAD_MS - DAY_MS).toISOString();
    const ahead = { now: new Date(Date.now() + AHEAD_MS).toISOString(), eventsBefore };
    expect(await purge(database.current)(ahead)).toMatchObject({ keys: 1, changes: 1 });
  });

  it.each([['the process that placed the order'], ['another process']])(
    'replays a retried placement in %s instead of placing a second order',
    async (where) => {
      const placed = (await place(keyAt(0, where)))._unsafeUnwrap();
      const other = decidedOrders(database.current);
      const order = anOrder();
      const retry =
        where === 'another process'
          ? other.insert(OWNER, { order, event: anEventOf(OWNER, order) }, keyAt(AHEAD_MS, where))
          : place(keyAt(AHEAD_MS, where));
      expect((await retry)._unsafeUnwrap()).toMatchObject({ order: { id: placed.order.id }, replayed: true });
      expect((await place(keyAt(AHEAD_MS, where, 'another')))._unsafeUnwrapErr()).toEqual({
        type: 'idempotency_key_reused',
      });
    },
  );

  it('replays a retried change instead of changing the order again', async () => {
    const orders = decidedOrders(database.current);
    const { order } = (await place(keyAt(0, 'placed')))._unsafeUnwrap();
    (await orders.update(OWNER, order.id, withNote('one'), keyAt(0, 'change')))._unsafeUnwrap();
    const retried = await orders.update(OWNER, order.id, withNote('two'), keyAt(AHEAD_MS, 'change'));
    expect(retried._unsafeUnwrap()).toMatchObject({ order: { note: 'one', version: 2 }, replayed: true });
  });
});

describe('clockDifference', () => {
  it.each([0, 5 * 60_000, -5 * 60_000])('measures a server that is %d ms ahead', async (aheadMs) => {
    const { serverMs, databaseMs, differenceMs } = await clockDifference(
      database.current,
      () => new Date(Date.now() + aheadMs),
    );
    // The round trip counts as well.
    expect(Math.abs(serverMs - databaseMs - aheadMs)).toBeLessThan(60_000);
    expect(Math.abs(differenceMs - Math.abs(aheadMs))).toBeLessThan(60_000);
  });

  it('returns 0 for a difference within the uncertainty of the round trip', async () => {
    let time = Date.now() - 10 * 60_000;
    // Each reading appears to take twenty minutes.
    const slow = () => new Date((time += 20 * 60_000) - 20 * 60_000);
    expect((await clockDifference(database.current, slow)).differenceMs).toBeLessThan(60 * 60_000);
  });
});
