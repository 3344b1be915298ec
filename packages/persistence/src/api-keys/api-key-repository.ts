import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OrdersDatabase } from '../database/database.ts';
import type { RowOf } from '../tables/entity.ts';
import { beginToLoad, withEntityManager } from '../tables/with-entity-manager.ts';
import { ApiKeyEntity } from '../tables/api-key-entity.ts';
import { isUnrecorded, type ListedCredential } from '../tables/credential-uses.ts';

/** The prefix, owner, scopes and lifetime of an API key. */
export interface ApiKey {
  /** The first characters of the key, which identify it in lists and in changes. The key itself is not stored. */
  readonly prefix: string;
  readonly owner: Owner;
  readonly scopes: readonly string[];
  readonly expires_at: Timestamp | null;
  readonly revoked_at: Timestamp | null;
}

/** An API key as listed for administrators. */
export interface ListedApiKey extends ApiKey, ListedCredential {}

/** A new API key. */
export interface NewApiKey extends Omit<ListedApiKey, 'revoked_at' | 'name' | 'last_used_at'> {
  readonly keyHash: string;
  /** Default: no name. */
  readonly name?: string | null | undefined;
}

/** The API keys in PostgreSQL, each stored as a hash. */
export interface ApiKeyRepository {
  find(keyHash: string): ResultAsync<ApiKey | null, Unavailable>;
  insert(key: NewApiKey): ResultAsync<void, Unavailable>;
  /** Returns all keys, the oldest first. */
  list(): ResultAsync<readonly ListedApiKey[], Unavailable>;
  /** Revokes a key; `false` when no unrevoked key has this prefix. */
  revoke(prefix: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
  /** Records that keys were used at a time, in one statement: of each key at most one use a minute. */
  recordUses(prefixes: readonly string[], at: Timestamp): ResultAsync<void, Unavailable>;
}

/** Returns the repository of API keys in this database. */
export function postgresApiKeys(database: OrdersDatabase): ApiKeyRepository {
  const { orm } = database;
  beginToLoad(orm);
  return {
    find: (keyHash) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const key = await em.findOne(entityOf(ApiKeyEntity), { key_hash: keyHash });
        return key && toApiKey(key);
      }),

    insert: ({ keyHash, owner, ...key }) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        await em.insert(entityOf(ApiKeyEntity), { ...key, key_hash: keyHash, owner_id: owner });
      }),

    list: () =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const keys = await em.findAll(entityOf(ApiKeyEntity), { orderBy: { created_at: 'asc', prefix: 'asc' } });
        return keys.map((key) => {
          const { created_at, name = null, last_used_at = null } = key;
          return { ...toApiKey(key), created_at, name, last_used_at };
        });
      }),

    revoke: (prefix, at) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const revoked = await em.nativeUpdate(entityOf(ApiKeyEntity), { prefix, revoked_at: null }, { revoked_at: at });
        return revoked > 0;
      }),

    recordUses: (prefixes, at) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const used = { prefix: { $in: [...prefixes] }, ...isUnrecorded(at) };
        await em.nativeUpdate(entityOf(ApiKeyEntity), used, { last_used_at: at });
      }),
  };
}

function toApiKey(row: RowOf<typeof ApiKeyEntity>): ApiKey {
  const { prefix, owner_id: owner, scopes, expires_at, revoked_at } = row;
  return { prefix, owner, scopes, expires_at: expires_at ?? null, revoked_at: revoked_at ?? null };
}
