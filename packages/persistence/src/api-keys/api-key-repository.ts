import type { Owner, Timestamp, Unavailable } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { Database } from '../database.ts';
import { ask } from '../shared/answer.ts';
import { toTimestamp, toTimestampOrNull } from '../shared/timestamp-type.ts';
import { apiKeyStatements } from './api-key-statements.ts';

/** What a key lets its bearer do, and until when. */
export interface ApiKey {
  readonly owner: Owner;
  readonly scopes: readonly string[];
  readonly expires_at: Timestamp | null;
  readonly revoked_at: Timestamp | null;
}

/** A key as an administrator sees it. */
export interface ListedApiKey extends ApiKey {
  /** Tells keys apart; the key itself is not kept. */
  readonly prefix: string;
  readonly created_at: Timestamp;
}

/** API keys in PostgreSQL, each known by a hash of it. */
export interface ApiKeyRepository {
  find(keyHash: string): ResultAsync<ApiKey | null, Unavailable>;
  insert(key: Omit<ListedApiKey, 'revoked_at'> & { readonly keyHash: string }): ResultAsync<void, Unavailable>;
  /** Every key, the oldest first. */
  list(): ResultAsync<readonly ListedApiKey[], Unavailable>;
  /** Ends a key; `false` when no key that is still good has this prefix. */
  revoke(prefix: string, at: Timestamp): ResultAsync<boolean, Unavailable>;
}

/** API keys in PostgreSQL. */
export function postgresApiKeys(database: Database): ApiKeyRepository {
  const { orm, primary } = database;
  const statements = apiKeyStatements(orm);
  return {
    find: (keyHash) =>
      ask(statements.find(primary, { key: { key_hash: keyHash } })).map(([row]) => {
        if (!row) return null;
        const { owner_id: owner, scopes, expires_at, revoked_at } = row;
        return {
          owner,
          scopes,
          expires_at: toTimestampOrNull(expires_at),
          revoked_at: toTimestampOrNull(revoked_at),
        };
      }),

    insert: ({ keyHash, prefix, owner, scopes, created_at, expires_at }) =>
      ask(
        statements.insert(primary, {
          key: {
            key_hash: keyHash,
            prefix,
            owner_id: owner,
            scopes: JSON.stringify(scopes),
            created_at,
            expires_at,
          },
        }),
      ).map(() => undefined),

    list: () =>
      ask(statements.list(primary, {})).map((rows) =>
        rows.map(({ prefix, owner_id: owner, scopes, created_at, expires_at, revoked_at }) => ({
          prefix,
          owner,
          scopes,
          created_at: toTimestamp(created_at),
          expires_at: toTimestampOrNull(expires_at),
          revoked_at: toTimestampOrNull(revoked_at),
        })),
      ),

    revoke: (prefix, at) =>
      ask(statements.revoke(primary, { key: { prefix, revoked_at: at } })).map((revoked) => revoked.length > 0),
  };
}
