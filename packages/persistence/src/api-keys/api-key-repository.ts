import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import { type Auditing, recordedWrites } from '../admin/audit.ts';
import {
  type CredentialPlace,
  type CredentialRepository,
  type ListedCredential,
  postgresCredentials,
} from '../admin/credentials.ts';
import type { OrdersDatabase } from '../database/database.ts';
import { jsonText, prepare } from '../sql/statement.ts';
import type { RowOf } from '../tables/entity.ts';
import { beginToLoad, withEntityManager } from '../tables/with-entity-manager.ts';
import { ApiKeyEntity } from '../tables/api-key-entity.ts';

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

/** The API keys in PostgreSQL, each stored as a hash. A prefix identifies one. */
export interface ApiKeyRepository extends CredentialRepository<ListedApiKey> {
  find(keyHash: string): ResultAsync<ApiKey | null, Unavailable>;
  /** Stores a key, and records `by` whom in the same transaction. Default: it is not recorded. */
  insert(key: NewApiKey, by?: Auditing): ResultAsync<void, Unavailable>;
}

/** Returns the repository of API keys in this database. */
export function postgresApiKeys(database: OrdersDatabase): ApiKeyRepository {
  const { orm } = database;
  beginToLoad(orm);
  const recorded = recordedWrites(database);
  const insert = prepare<Omit<NewApiKey, 'scopes'> & { readonly scopes: string }, CredentialPlace>(orm)`
      insert into our.api_keys (key_hash, prefix, owner_id, scopes, name, created_at, expires_at)
      values (${'keyHash'}, ${'prefix'}, ${'owner'}, ${'scopes'}::json, ${'name'}, ${'created_at'}::timestamptz,
        ${'expires_at'}::timestamptz)
      returning owner_id as owner, prefix as subject`;
  return {
    ...postgresCredentials(database, { table: 'api_keys', kind: 'api_key', id: 'prefix', own: 'expires_at' }),
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
  };
}

function toApiKey(row: RowOf<typeof ApiKeyEntity>): ApiKey {
  const { prefix, owner_id: owner, scopes, expires_at, revoked_at } = row;
  return { prefix, owner, scopes, expires_at: expires_at ?? null, revoked_at: revoked_at ?? null };
}
