import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../database.ts';
import { columnNames, columnsOf, columnValues } from '../shared/columns.ts';
import { prepare } from '../shared/statement.ts';
import { OnceEntity } from './once-entity.ts';
import type { OnceRow, OnceValues } from './once-record.ts';

interface OwnersKey {
  readonly owner_id: Owner;
  readonly key: string;
}

/** The statements on idempotency keys that go without another write. */
export function onceStatements(orm: Orm) {
  const db = orm.em.getKysely();
  const columns = columnsOf(orm, OnceEntity);
  return {
    recall: prepare<{ once: OwnersKey }, OnceRow>(db, (p) =>
      db
        .selectFrom('once')
        .select(['fingerprint', 'aggregate_id', 'snapshot', 'expires_at'])
        .where('owner_id', '=', p('once', 'owner_id'))
        .where('key', '=', p('once', 'key')),
    ),

    /** Records a write that changed nothing. */
    record: prepare<{ owner: { id: Owner }; once: OnceValues }, unknown>(
      db,
      (p) => sql`insert into once (owner_id, ${columnNames(columns)})
        select ${p('owner', 'id')}::text, ${columnValues(columns, (name) => p('once', name))}`,
    ),

    /** Removes a record whose time is over, so that its key can be used again. */
    forget: prepare<{ once: OwnersKey & { readonly now: string } }, unknown>(db, (p) =>
      db
        .deleteFrom('once')
        .where('owner_id', '=', p('once', 'owner_id'))
        .where('key', '=', p('once', 'key'))
        .where('expires_at', '<=', p('once', 'now')),
    ),
  };
}

export type OnceStatements = ReturnType<typeof onceStatements>;
