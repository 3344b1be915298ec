import { postgresApiKeys } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

const KEY = {
  keyHash: 'hash',
  prefix: 'ord_1',
  owner: 'shop',
  name: 'web shop',
  scopes: ['orders:read', 'orders:write'],
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-04-02T03:04:05.600Z',
};

describe('API keys', () => {
  it('are found by hash, listed by age and revoked once', async () => {
    const keys = postgresApiKeys(database.current);
    const { keyHash, created_at, name, ...stored } = KEY;
    const { prefix } = KEY;
    await keys.insert({ ...KEY, keyHash: 'later', prefix: 'ord_2', created_at: '2026-01-03T00:00:00.000Z' });
    await keys.insert(KEY);
    expect((await keys.find('no such hash'))._unsafeUnwrap()).toBeNull();
    expect((await keys.find(keyHash))._unsafeUnwrap()).toEqual({ ...stored, revoked_at: null });
    expect((await keys.list({ limit: 100 }))._unsafeUnwrap().data.map((key) => key.prefix)).toEqual(['ord_1', 'ord_2']);

    const at = '2026-02-01T00:00:00.000Z';
    expect((await keys.revoke(prefix, at))._unsafeUnwrap()).toBe(true);
    expect((await keys.revoke(prefix, at))._unsafeUnwrap()).toBe(false);
    expect((await keys.revoke('ord_3', at))._unsafeUnwrap()).toBe(false);
    expect((await keys.find(keyHash))._unsafeUnwrap()).toEqual({ ...stored, revoked_at: at });
    const listed = { ...stored, name, created_at, last_used_at: null, revoked_at: at };
    expect((await keys.list({ limit: 100 }))._unsafeUnwrap().data[0]).toEqual(listed);
  });

  it('are listed by pages, of one owner or all', async () => {
    const keys = postgresApiKeys(database.current);
    for (const prefix of ['page_1', 'page_2', 'page_3', 'page_4']) {
      const owner = prefix === 'page_4' ? 'other' : 'paged';
      (await keys.insert({ ...KEY, keyHash: prefix, prefix, owner }))._unsafeUnwrap();
    }
    const listed = async (owner?: string) => {
      const first = (await keys.list({ owner, limit: 2 }))._unsafeUnwrap();
      const second = (await keys.list({ owner, limit: 2, after: first.next }))._unsafeUnwrap();
      return [...first.data, ...second.data];
    };
    const paged = await listed('paged');
    expect(paged.map(({ prefix }) => prefix).toSorted()).toEqual(['page_1', 'page_2', 'page_3']);
    expect(await listed()).toEqual((await keys.list({ limit: 4 }))._unsafeUnwrap().data);
  });

  it('have the time of their last use, which is written once a minute at most', async () => {
    const keys = postgresApiKeys(database.current);
    for (const prefix of ['used_1', 'used_2', 'used_3']) await keys.insert({ ...KEY, keyHash: prefix, prefix });
    const lastUses = async () => {
      const used = (await keys.list({ limit: 100 }))
        ._unsafeUnwrap()
        .data.filter(({ prefix }) => prefix.startsWith('used_'));
      return used.map(({ last_used_at }) => last_used_at);
    };
    const [first, within, later] = ['00:00.000', '00:59.999', '01:00.000'].map((time) => `2026-02-01T00:${time}Z`);
    (await keys.recordUses(['used_1', 'unknown'], first ?? ''))._unsafeUnwrap();
    expect(await lastUses()).toEqual([first, null, null]);
    (await keys.recordUses(['used_1', 'used_2'], within ?? ''))._unsafeUnwrap();
    expect(await lastUses()).toEqual([first, within, null]);
    (await keys.recordUses(['used_1', 'used_2'], later ?? ''))._unsafeUnwrap();
    expect(await lastUses()).toEqual([later, within, null]);
  });
});
