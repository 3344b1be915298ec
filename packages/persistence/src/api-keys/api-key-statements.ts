import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';

interface ApiKeyRow {
  readonly owner_id: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

type ListedRow = ApiKeyRow & { readonly prefix: string; readonly created_at: string };

interface NewKey {
  readonly key_hash: string;
  readonly prefix: string;
  readonly owner_id: string;
  readonly scopes: string;
  readonly created_at: string;
  readonly expires_at: string | null;
}

export function apiKeyStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    find: prepare<{ key: { key_hash: string } }, ApiKeyRow>(db, (p) =>
      db
        .selectFrom('api_keys')
        .select(['owner_id', 'scopes', 'expires_at', 'revoked_at'])
        .where('key_hash', '=', p('key', 'key_hash')),
    ),

    insert: prepare<{ key: NewKey }, unknown>(db, (p) =>
      db.insertInto('api_keys').values({
        key_hash: p('key', 'key_hash'),
        prefix: p('key', 'prefix'),
        owner_id: p('key', 'owner_id'),
        scopes: sql`${p('key', 'scopes')}::json`,
        created_at: p('key', 'created_at'),
        expires_at: p('key', 'expires_at'),
      }),
    ),

    list: prepare<Record<never, never>, ListedRow>(db, () =>
      db
        .selectFrom('api_keys')
        .select(['prefix', 'owner_id', 'scopes', 'created_at', 'expires_at', 'revoked_at'])
        .orderBy('created_at')
        .orderBy('prefix'),
    ),

    revoke: prepare<{ key: { prefix: string; revoked_at: string } }, { prefix: string }>(db, (p) =>
      db
        .updateTable('api_keys')
        .set({ revoked_at: p('key', 'revoked_at') })
        .where('prefix', '=', p('key', 'prefix'))
        .where('revoked_at', 'is', null)
        .returning('prefix'),
    ),
  };
}
