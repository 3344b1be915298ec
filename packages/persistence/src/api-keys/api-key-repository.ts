import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { type Auditing, recordedWrites } from '../admin/audit.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { jsonText, prepare } from '../sql/statement.ts';
import type { RowOf } from '../tables/entity.ts';
import { beginToLoad, withEntityManager } from '../tables/with-entity-manager.ts';
import { ApiKeyEntity } from '../tables/api-key-entity.ts';
import { type CredentialQuery, isUnrecorded, type ListedCredential, listing } from '../tables/credential-uses.ts';

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
  /** Stores a key, and records `by` whom in the same transaction. Default: it is not recorded. */
  insert(key: NewApiKey, by?: Auditing): ResultAsync<void, Unavailable>;
  /** Returns keys, the oldest first. */
  list(query?: CredentialQuery): ResultAsync<readonly ListedApiKey[], Unavailable>;
  /** Renames a key; `null` takes its name. `false` when no key has this prefix. Recorded as an insertion is. */
  rename(prefix: string, name: string | null, by?: Auditing): ResultAsync<boolean, Unavailable>;
  /** Revokes a key; `false` when no unrevoked key has this prefix. Recorded as an insertion is. */
  revoke(prefix: string, at: Timestamp, by?: Auditing): ResultAsync<boolean, Unavailable>;
  /** Records that keys were used at a time, in one statement: of each key at most one use a minute. */
  recordUses(prefixes: readonly string[], at: Timestamp): ResultAsync<void, Unavailable>;
}

/** Returns the repository of API keys in this database. */
export function postgresApiKeys(database: OrdersDatabase): ApiKeyRepository {
  const { orm } = database;
  beginToLoad(orm);
  const recorded = recordedWrites(database);
  type Place = { readonly owner: Owner; readonly subject: string };
  const insert = prepare<Omit<NewApiKey, 'scopes'> & { readonly scopes: string }, Place>(orm)`
      insert into our.api_keys (key_hash, prefix, owner_id, scopes, name, created_at, expires_at)
      values (${'keyHash'}, ${'prefix'}, ${'owner'}, ${'scopes'}::json, ${'name'}, ${'created_at'}::timestamptz,
        ${'expires_at'}::timestamptz)
      returning owner_id as owner, prefix as subject`;
  const rename = prepare<{ prefix: string; name: string | null }, Place>(orm)`
      update our.api_keys set name = ${'name'} where prefix = ${'prefix'}
      returning owner_id as owner, prefix as subject`;
  const revoke = prepare<{ prefix: string; at: Timestamp }, Place>(orm)`
      update our.api_keys set revoked_at = ${'at'}::timestamptz where prefix = ${'prefix'} and revoked_at is null
      returning owner_id as owner, prefix as subject`;
  return {
    find: (keyHash) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const key = await em.findOne(entityOf(ApiKeyEntity), { key_hash: keyHash });
        return key && toApiKey(key);
      }),

    insert: (key, by) =>
      recorded(by, 'create_api_key', async (executor) => {
        const { name = null, scopes } = key;
        return (await insert(executor, { ...key, name, scopes: jsonText(scopes) }))[0];
      }).map(() => undefined),

    list: (query = {}) =>
      withEntityManager(orm, async (em, { entityOf }) => {
        const { where, ...options } = listing(query);
        const keys = await em.find(entityOf(ApiKeyEntity), where, {
          orderBy: { created_at: 'asc', prefix: 'asc' },
          ...options,
        });
        return keys.map((key) => {
          const { created_at, name = null, last_used_at = null } = key;
          return { ...toApiKey(key), created_at, name, last_used_at };
        });
      }),

    rename: (prefix, name, by) =>
      recorded(by, 'rename_api_key', async (executor) => (await rename(executor, { prefix, name }))[0]),

    revoke: (prefix, at, by) =>
      recorded(by, 'revoke_api_key', async (executor) => (await revoke(executor, { prefix, at }))[0]),

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
