import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';
import type { OnceRow } from './once-record.ts';

interface OwnersKey {
  readonly owner_id: Owner;
  readonly key: string;
}

/** Returns the statements on idempotency records alone. */
export function onceStatements(orm: Orm) {
  const db = orm.em.getKysely();
  return {
    recall: prepare<{ once: OwnersKey }, OnceRow>(db, (p) =>
      db
        .selectFrom('once')
        .select(['fingerprint', 'aggregate_id', 'snapshot', 'expires_at'])
        .where('owner_id', '=', p('once', 'owner_id'))
        .where('key', '=', p('once', 'key')),
    ),

    /**
     * Deletes an expired record and returns its key, which is then unused again. Both clocks must consider it expired,
     * because the clock of one server may be wrong.
     */
    forget: prepare<{ once: OwnersKey & { readonly now: string } }, { key: string }>(db, (p) =>
      db
        .deleteFrom('once')
        .where('owner_id', '=', p('once', 'owner_id'))
        .where('key', '=', p('once', 'key'))
        .where('expires_at', '<=', p('once', 'now'))
        .where('expires_at', '<=', sql<string>`now()`)
        .returning('key'),
    ),
  };
}

export type OnceStatements = ReturnType<typeof onceStatements>;
