import { randomUUID } from 'node:crypto';
import type { Idempotency, Order, OrderVersionQueryInput } from '@orders/domain';
import { parseOrderVersionQuery } from '@orders/domain';
import { anEventOf, anOrder } from '@orders/domain/testing';
import { ok } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

const database = testDatabase();
const repositories = () => ({ orders: decidedOrders(database.current) });

function keyOf(key: string): Idempotency {
  return { key, fingerprint: key, now: '2026-01-01T00:00:00.000Z', expires_at: '2100-01-01T00:00:00.000Z' };
}

async function placed(owner: string, idempotency?: Idempotency): Promise<Order> {
  const order = anOrder({ note: 'placed' });
  const { orders } = repositories();
  return (await orders.insert(owner, { order, event: anEventOf(owner, order) }, idempotency))._unsafeUnwrap().order;
}

function withNote(owner: string, note: string) {
  return (before: Order) => {
    const order = { ...before, note, version: before.version + 1 };
    return ok({ order, event: anEventOf(owner, order, { id: randomUUID() }) });
  };
}

/** Returns every row of an owner, as texts. */
async function rowsOf(owner: string): Promise<readonly unknown[]> {
  const rows = ['customers', 'orders', 'changes', 'idempotency'].map(
    (table) => `select '${table}' as table, it::text as row from ${table} as it where owner_id = '${owner}'`,
  );
  return await execute(database.url, `${rows.join(' union all ')} order by 1, 2`);
}

describe('a decision whose event does not have its next version', () => {
  it('is rejected as a bug of the caller, and stores nothing', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const { id } = await placed(owner);
    const before = await rowsOf(owner);
    for (const version of [0, 2, -1, 1.5]) {
      const order = anOrder();
      const placing = orders.insert(owner, { order, event: anEventOf(owner, order, { version }) }, keyOf('a key'));
      await expect(placing).rejects.toThrow(TypeError);
    }
    for (const version of [0, 1, 3, 2.5, 2 ** 40, Number.NaN]) {
      const change = (it: Order) => {
        const order = { ...it, note: 'changed', version: 2 };
        return ok({ order, event: anEventOf(owner, order, { version }) });
      };
      await expect(orders.update(owner, id, change, keyOf('a key'))).rejects.toThrow(TypeError);
      const deletion = (it: Order) => ok(anEventOf(owner, it, { type: 'order.deleted', version }));
      await expect(orders.delete(owner, id, deletion)).rejects.toThrow(TypeError);
    }
    expect(await rowsOf(owner)).toEqual(before);
    expect((await orders.update(owner, id, withNote(owner, 'x'), keyOf('a key'))).isOk()).toBe(true);
  });
});

function query(input: OrderVersionQueryInput) {
  return parseOrderVersionQuery(input)._unsafeUnwrap();
}

describe('a snapshot in the format of a later release', () => {
  const LATER = {
    type: 'unavailable',
    cause: new Error('a snapshot has format 2, which only a later release can read'),
  };

  /** Places and changes an order with keys, and marks the snapshot of its second version as one of a later format. */
  async function withLaterFormat(owner: string): Promise<Order> {
    const { orders } = repositories();
    const order = await placed(owner, keyOf('place'));
    await orders.update(owner, order.id, withNote(owner, 'changed'), keyOf('change'));
    await execute(database.url, `update changes set snapshot_format = 2 where owner_id = '${owner}' and version = 2`);
    return order;
  }

  it('makes replays of its write unavailable, and no others', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const order = await withLaterFormat(owner);
    const replay = await orders.update(owner, order.id, withNote(owner, 'changed'), keyOf('change'));
    expect(replay._unsafeUnwrapErr()).toEqual(LATER);
    const again = await orders.insert(owner, { order, event: anEventOf(owner, order) }, keyOf('place'));
    expect(again._unsafeUnwrap()).toMatchObject({ replayed: true, order });
    expect((await orders.find(owner, order.id))._unsafeUnwrap()).toMatchObject({ note: 'changed', version: 2 });
    const next = await orders.update(owner, order.id, withNote(owner, 'next'));
    expect(next._unsafeUnwrap().order).toMatchObject({ note: 'next', version: 3 });
  });

  it('makes reads of its version unavailable, and pages that contain it', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const { id } = await withLaterFormat(owner);
    await orders.update(owner, id, withNote(owner, 'next'));
    expect((await orders.findVersion(owner, id, 2))._unsafeUnwrapErr()).toEqual(LATER);
    expect((await orders.listVersions(owner, id, query({})))._unsafeUnwrapErr()).toEqual(LATER);
    const later = query({ at: '2026-02-01T00:00:00Z' });
    expect((await orders.listVersions(owner, id, later))._unsafeUnwrap().data).toMatchObject([{ version: 3 }]);
    for (const version of [1, 3]) {
      expect((await orders.findVersion(owner, id, version))._unsafeUnwrap()).toMatchObject({ version });
    }
    const newest = (await orders.listVersions(owner, id, query({ limit: 1 })))._unsafeUnwrap();
    expect(newest).toMatchObject({ data: [{ version: 3 }], next: { value: 3 } });
    const oldest = (await orders.listVersions(owner, id, query({ after: { value: 2, id } })))._unsafeUnwrap();
    expect(oldest).toMatchObject({ data: [{ version: 1 }], next: null });
  });
});

describe('the versions of an order', () => {
  const DAYS = 40;
  const dayOf = (version: number) => new Date(Date.UTC(2026, 0, version, 12)).toISOString();

  /** Fills the versions of an order by SQL, one a day, except those in `missing`. */
  async function withVersions(owner: string, missing: readonly number[]): Promise<string> {
    const { id } = await placed(owner);
    await execute(
      database.url,
      `delete from changes where owner_id = '${owner}';
       insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
       select '${owner}', 'order', '${id}', version, '[]', timestamptz '2025-12-31 12:00Z' + interval '1 day' * version, 1
       from generate_series(1, ${DAYS}) as version where version <> all('{${missing.join()}}')`,
    );
    return id;
  }

  it.each([
    ['none', []],
    ['some in the middle', [2, 3, 7, 20, 21, 22, 23, 39]],
    ['the first half', Array.from({ length: 20 }, (_, index) => index + 1)],
    ['all but the first and the last', Array.from({ length: DAYS - 2 }, (_, index) => index + 2)],
    ['all but the last', Array.from({ length: DAYS - 1 }, (_, index) => index + 1)],
  ])('are found by time when a purge has deleted others: %s', async (_, missing) => {
    const { orders } = repositories();
    const owner = randomUUID();
    const id = await withVersions(owner, missing);
    for (let day = 0; day <= DAYS + 1; day += 1) {
      const kept = Array.from({ length: day }, (__, index) => index + 1).filter(
        (version) => version <= DAYS && !missing.includes(version),
      );
      const found = (await orders.listVersions(owner, id, query({ at: dayOf(day) })))._unsafeUnwrap();
      expect(found).toMatchObject({ data: kept.slice(-1).map((version) => ({ version, order: null })), next: null });
    }
    const pages = (await orders.listVersions(owner, id, query({ limit: 100 })))._unsafeUnwrap();
    expect(pages.data).toHaveLength(DAYS - missing.length);
    for (const version of missing) {
      expect((await orders.findVersion(owner, id, version))._unsafeUnwrapErr().type).toBe('version_not_found');
    }
  });

  it('are read up to the highest number of the column, without overflow', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const id = await withVersions(owner, []);
    const highest = 2 ** 31 - 1;
    await execute(
      database.url,
      `insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
       select '${owner}', 'order', '${id}', version, '[]', '2026-06-01', 1
       from unnest(array[${highest - 2}, ${highest - 1}, ${highest}]) as version`,
    );
    const at = async (time: string) => (await orders.listVersions(owner, id, query({ at: time })))._unsafeUnwrap().data;
    expect(await at('2026-07-01T00:00:00Z')).toMatchObject([{ version: highest }]);
    expect(await at('2026-05-01T00:00:00Z')).toMatchObject([{ version: DAYS }]);
    const first = (await orders.listVersions(owner, id, query({ limit: 2 })))._unsafeUnwrap();
    expect(first).toMatchObject({
      data: [{ version: highest }, { version: highest - 1 }],
      next: { value: highest - 1 },
    });
    expect((await orders.findVersion(owner, id, highest))._unsafeUnwrap()).toMatchObject({ version: highest });
  });
});

describe('a replay of an order whose version is missing', () => {
  it('returns order_not_found', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const { id } = await placed(owner, keyOf('create'));
    const change = () => orders.update(owner, id, withNote(owner, 'changed'), keyOf('change'));
    (await change())._unsafeUnwrap();
    await execute(database.url, `delete from changes where owner_id = '${owner}'`);
    expect((await change())._unsafeUnwrapErr()).toEqual({ type: 'order_not_found', id });
    const again = anOrder();
    const creating = orders.insert(owner, { order: again, event: anEventOf(owner, again) }, keyOf('create'));
    expect((await creating)._unsafeUnwrapErr()).toEqual({ type: 'order_not_found', id });
  });
});

describe('a change without effect', () => {
  it('rejects a key whose expiry is no timestamp, and records nothing', async () => {
    const { orders } = repositories();
    const owner = randomUUID();
    const { id } = await placed(owner);
    const before = await rowsOf(owner);
    const nothing = orders.update(owner, id, (order) => ok({ order, event: null }), {
      ...keyOf('a key'),
      expires_at: 'tomorrow',
    });
    await expect(nothing).rejects.toThrow(TypeError);
    expect(await rowsOf(owner)).toEqual(before);
  });
});
