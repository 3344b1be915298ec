import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';
import type { IdempotencyRow } from './idempotency-record.ts';

interface OwnersKey {
  readonly owner_id: Owner;
  readonly key: string;
}

/** Returns the statements on idempotency records alone. */
export function idempotencyStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    find: prepare<{ idempotency: OwnersKey }, IdempotencyRow>(db, (p) =>
      db
        .selectFrom('once')
        .select(['fingerprint', 'aggregate_id', 'snapshot', 'expires_at'])
        .where('owner_id', '=', p('idempotency', 'owner_id'))
        .where('key', '=', p('idempotency', 'key')),
    ),

    /**
     * Deletes an expired record and returns its key, which is then unused again. Both clocks must consider it expired,
     * because the clock of one server may be wrong.
     */
    deleteExpired: prepare<{ idempotency: OwnersKey & { readonly now: string } }, { key: string }>(db, (p) =>
      db
        .deleteFrom('once')
        .where('owner_id', '=', p('idempotency', 'owner_id'))
        .where('key', '=', p('idempotency', 'key'))
        .where('expires_at', '<=', p('idempotency', 'now'))
        .where('expires_at', '<=', sql<string>`now()`)
        .returning('key'),
    ),
  };
}

export type IdempotencyStatements = ReturnType<typeof idempotencyStatements>;
