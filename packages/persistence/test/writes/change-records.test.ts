import { randomUUID } from 'node:crypto';
import { type Idempotency, type Order, type OrderVersionQueryInput, parseOrderVersionQuery } from '@orders/domain';
import { anOrder } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { decidedOrders, lastingKey, withNote } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const orders = () => decidedOrders(database.current);

async function placed(owner: string, key?: Idempotency): Promise<Order> {
  return (await orders().insert(owner, anOrder({ note: 'placed' }), key))._unsafeUnwrap().aggregate;
}

/** Returns every row of an owner, as texts. */
async function rowsOf(owner: string): Promise<readonly unknown[]> {
  const rows = ['customers', 'orders', 'changes', 'idempotency'].map(
    (table) => `select '${table}' as table, it::text as row from ${table} as it where owner_id = '${owner}'`,
  );
  return await execute(database.url, `${rows.join(' union all ')} order by 1, 2`);
}

function query(input: OrderVersionQueryInput) {
  return parseOrderVersionQuery(input)._unsafeUnwrap();
}

describe('a decision', () => {
  it('is rejected as a bug of the caller if its event does not have the next version, and stores nothing', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner);
    const before = await rowsOf(owner);
    for (const version of [0, 2, 1.5])
      await expect(orders().insert(owner, anOrder(), lastingKey('a key'), { version })).rejects.toThrow(TypeError);
    for (const version of [1, 3, Number.NaN]) {
      const changing = orders().update(owner, id, withNote('changed'), lastingKey('a key'), { version });
      await expect(changing).rejects.toThrow(TypeError);
      await expect(orders().delete(owner, id, undefined, { version })).rejects.toThrow(TypeError);
    }
    expect(await rowsOf(owner)).toEqual(before);
    expect((await orders().update(owner, id, withNote('x'), lastingKey('a key'))).isOk()).toBe(true);
  });

  it('without effect is rejected if the expiry of its key is no timestamp, and records nothing', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner);
    const before = await rowsOf(owner);
    const nothing = orders().update(owner, id, (order) => order, { ...lastingKey('a key'), expires_at: 'tomorrow' });
    await expect(nothing).rejects.toThrow(TypeError);
    expect(await rowsOf(owner)).toEqual(before);
  });
});

describe('a snapshot in the format of a later release', () => {
  const LATER = {
    type: 'unavailable',
    cause: new Error('a snapshot has format 2, which only a later release can read'),
  };

  /** Places and changes an order with keys, and marks the snapshot of its second version as one of a later format. */
  async function withLaterFormat(owner: string): Promise<Order> {
    const order = await placed(owner, lastingKey('place'));
    await orders().update(owner, order.id, withNote('changed'), lastingKey('change'));
    await execute(database.url, `update changes set snapshot_format = 2 where owner_id = '${owner}' and version = 2`);
    return order;
  }

  it('makes replays of its write unavailable, and no others', async () => {
    const owner = randomUUID();
    const order = await withLaterFormat(owner);
    const replay = await orders().update(owner, order.id, withNote('changed'), lastingKey('change'));
    expect(replay._unsafeUnwrapErr()).toEqual(LATER);
    const again = await orders().insert(owner, order, lastingKey('place'));
    expect(again._unsafeUnwrap()).toMatchObject({ replayed: true, aggregate: order });
    const next = await orders().update(owner, order.id, withNote('next'));
    expect(next._unsafeUnwrap().aggregate).toMatchObject({ note: 'next', version: 3 });
  });

  it('makes reads of its version unavailable, and pages that contain it', async () => {
    const owner = randomUUID();
    const { id } = await withLaterFormat(owner);
    await orders().update(owner, id, withNote('next'));
    expect((await orders().findVersion(owner, id, 2))._unsafeUnwrapErr()).toEqual(LATER);
    expect((await orders().listVersions(owner, id, query({})))._unsafeUnwrapErr()).toEqual(LATER);
    for (const version of [1, 3])
      expect((await orders().findVersion(owner, id, version))._unsafeUnwrap()).toMatchObject({ version });
    const newest = (await orders().listVersions(owner, id, query({ limit: 1 })))._unsafeUnwrap();
    expect(newest).toMatchObject({ data: [{ version: 3 }], next: { value: 3 } });
    const oldest = (await orders().listVersions(owner, id, query({ after: { value: 2, id } })))._unsafeUnwrap();
    expect(oldest).toMatchObject({ data: [{ version: 1 }], next: null });
  });
});

describe('the versions of an order', () => {
  const DAYS = 40;
  const dayOf = (version: number) => new Date(Date.UTC(2026, 0, version, 12)).toISOString();
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

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
    ['some in the middle', [2, 3, 7, 20, 21, 22, 23, 39]],
    ['the first half', upTo(20)],
    ['all but the first and the last', upTo(DAYS - 1).slice(1)],
    ['all but the last', upTo(DAYS - 1)],
  ])('are found by time when a purge has deleted others: %s', async (_, missing) => {
    const owner = randomUUID();
    const id = await withVersions(owner, missing);
    for (let day = 0; day <= DAYS + 1; day += 1) {
      const kept = upTo(Math.min(day, DAYS)).filter((version) => !missing.includes(version));
      const found = (await orders().listVersions(owner, id, query({ at: dayOf(day) })))._unsafeUnwrap();
      expect(found).toMatchObject({ data: kept.slice(-1).map((version) => ({ version, order: null })), next: null });
    }
  });

  it('are read up to the highest number of the column, without overflow', async () => {
    const owner = randomUUID();
    const id = await withVersions(owner, []);
    const highest = 2 ** 31 - 1;
    await execute(
      database.url,
      `insert into changes (owner_id, aggregate, aggregate_id, version, changed, occurred_at, snapshot_format)
       select '${owner}', 'order', '${id}', version, '[]', '2026-06-01', 1
       from unnest(array[${highest - 2}, ${highest - 1}, ${highest}]) as version`,
    );
    const at = async (time: string) =>
      (await orders().listVersions(owner, id, query({ at: time })))._unsafeUnwrap().data;
    expect(await at('2026-07-01T00:00:00Z')).toMatchObject([{ version: highest }]);
    expect(await at('2026-05-01T00:00:00Z')).toMatchObject([{ version: DAYS }]);
    const first = (await orders().listVersions(owner, id, query({ limit: 2 })))._unsafeUnwrap();
    expect(first).toMatchObject({
      data: [{ version: highest }, { version: highest - 1 }],
      next: { value: highest - 1 },
    });
  });
});

describe('a replay of an order whose version is missing', () => {
  it('returns order_not_found', async () => {
    const owner = randomUUID();
    const { id } = await placed(owner, lastingKey('create'));
    const change = () => orders().update(owner, id, withNote('changed'), lastingKey('change'));
    (await change())._unsafeUnwrap();
    await execute(database.url, `delete from changes where owner_id = '${owner}'`);
    const missing = { type: 'order_not_found', id };
    expect((await change())._unsafeUnwrapErr()).toEqual(missing);
    expect((await orders().insert(owner, anOrder(), lastingKey('create')))._unsafeUnwrapErr()).toEqual(missing);
  });
});
