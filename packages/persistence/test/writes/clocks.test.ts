import type { Order } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { clockDifference, purge } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { idOf, insertChanges, insertKey } from '../fixtures/change-rows.ts';
import { decidedOrders, withNote } from '../fixtures/decided-writes.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const OWNER = 'owner';
const HOUR_MS = 60 * 60 * 1000;
const AHEAD_MS = 25 * HOUR_MS;
const database = testDatabase();

/** Returns a time by a clock that is `aheadMs` ahead of the database's. */
const timeAt = (aheadMs: number) => new Date(Date.now() + aheadMs).toISOString();

/** Returns the key of a request to a server whose clock is ahead. Its record is valid for a day. */
function keyAt(aheadMs: number, key: string, fingerprint = 'f') {
  return { key, fingerprint, now: timeAt(aheadMs), expires_at: timeAt(aheadMs + 24 * HOUR_MS) };
}

const place = (key: ReturnType<typeof keyAt>, order: Order = anOrder()) =>
  decidedOrders(database.current).insert(OWNER, order, key);

describe('a server whose clock is 25 hours ahead', () => {
  const eventsBefore = timeAt(AHEAD_MS - 24 * HOUR_MS);
  const ahead = { now: timeAt(AHEAD_MS), eventsBefore };

  it('purges no key and no event that is too young by the database clock', async () => {
    const { aggregate: order } = (await place(keyAt(0, 'kept')))._unsafeUnwrap();
    const [old, young] = [timeAt(-26 * HOUR_MS), timeAt(-23 * HOUR_MS)];
    await insertChanges(database.url, 'young', [
      { id: idOf(1), version: 1, at: young, deletion: true },
      { id: idOf(2), version: 1, at: old },
      { id: idOf(2), version: 2, at: young },
      { id: idOf(3), version: 1, at: old },
      { id: idOf(3), version: 2, at: timeAt(0), deletion: true },
    ]);
    const nothing = { keys: 0, deliveries: 0, changes: 0, snapshots: 0, erasures: 0 };
    expect(await purge(database.current)({ ...ahead, historyBefore: eventsBefore })).toEqual(nothing);
    expect((await place(keyAt(0, 'kept')))._unsafeUnwrap()).toMatchObject({ aggregate: order, replayed: true });
  });

  it('purges rows that are old by both clocks', async () => {
    const id = idOf(4);
    await insertKey(database.url, 'old', 'key', { id, version: 1 }, timeAt(0));
    await insertChanges(database.url, 'old', [{ id, version: 2, at: timeAt(-25 * HOUR_MS), deletion: true }]);
    expect(await purge(database.current)(ahead)).toMatchObject({ keys: 1, changes: 1 });
  });

  it('replays retries of another process instead of writing again', async () => {
    const orders = decidedOrders(database.current);
    const { aggregate: order } = (await place(keyAt(0, 'placed')))._unsafeUnwrap();
    const replayed = { aggregate: { id: order.id }, replayed: true };
    expect((await place(keyAt(AHEAD_MS, 'placed')))._unsafeUnwrap()).toMatchObject(replayed);
    expect((await place(keyAt(AHEAD_MS, 'placed', 'another')))._unsafeUnwrapErr()).toEqual({
      type: 'idempotency_key_reused',
    });
    (await orders.update(OWNER, order.id, withNote('one'), keyAt(0, 'change')))._unsafeUnwrap();
    const retried = await orders.update(OWNER, order.id, withNote('two'), keyAt(AHEAD_MS, 'change'));
    expect(retried._unsafeUnwrap()).toMatchObject({ aggregate: { note: 'one', version: 2 }, replayed: true });
  });
});

describe('clockDifference', () => {
  it.each([0, -5 * 60_000])('measures a server that is %d ms ahead', async (aheadMs) => {
    const now = () => new Date(Date.now() + aheadMs);
    const { serverMs, databaseMs, differenceMs } = await clockDifference(database.current, now);
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
