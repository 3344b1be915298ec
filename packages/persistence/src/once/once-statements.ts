import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { prepare } from '../shared/statement.ts';
import type { OnceRow } from './once-record.ts';

interface OwnersKey {
  readonly owner_id: Owner;
  readonly key: string;
}

/** The statements on idempotency keys that go without another write. */
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
     * Removes an expired record, so that its key can be used again, and returns it. Both clocks have to call it
     * expired: that of one server may be wrong.
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
