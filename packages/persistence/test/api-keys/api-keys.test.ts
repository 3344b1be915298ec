import { postgresApiKeys } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

const KEY = {
  keyHash: 'hash',
  prefix: 'ord_1',
  owner: 'shop',
  scopes: ['orders:read', 'orders:write'],
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-04-02T03:04:05.600Z',
};

describe('API keys', () => {
  it('are found by hash, listed by age and revoked once', async () => {
    const keys = postgresApiKeys(database.current);
    const { keyHash, created_at, ...stored } = KEY;
    const { prefix } = KEY;
    await keys.insert({ ...KEY, keyHash: 'later', prefix: 'ord_2', created_at: '2026-01-03T00:00:00.000Z' });
    await keys.insert(KEY);
    expect((await keys.find('no such hash'))._unsafeUnwrap()).toBeNull();
    expect((await keys.find(keyHash))._unsafeUnwrap()).toEqual({ ...stored, revoked_at: null });
    expect((await keys.list())._unsafeUnwrap().map((key) => key.prefix)).toEqual(['ord_1', 'ord_2']);

    const at = '2026-02-01T00:00:00.000Z';
    expect((await keys.revoke(prefix, at))._unsafeUnwrap()).toBe(true);
    expect((await keys.revoke(prefix, at))._unsafeUnwrap()).toBe(false);
    expect((await keys.revoke('ord_3', at))._unsafeUnwrap()).toBe(false);
    expect((await keys.find(keyHash))._unsafeUnwrap()).toEqual({ ...stored, revoked_at: at });
    expect((await keys.list())._unsafeUnwrap()[0]).toEqual({ ...stored, created_at, revoked_at: at });
  });
});
