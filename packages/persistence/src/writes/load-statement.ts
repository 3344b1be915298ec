import type { Owner } from '@orders/domain';
import { type RawBuilder, sql } from 'kysely';
import type { Orm } from '../orm.ts';
import type { OnceRow } from '../once/once-record.ts';
import { type Parameter, prepare, type Statement } from '../shared/statement.ts';

/** What is read before a write, beside the aggregate's own columns: the key's record, if there is one. */
export interface LoadedOnce {
  readonly once_fingerprint: string | null;
  readonly once_aggregate_id: string | null;
  readonly once_snapshot: OnceRow['snapshot'] | null;
  readonly once_expires_at: string | null;
}

/** The values that an aggregate and the key of a write are loaded by. */
export interface LoadValues {
  readonly target: { readonly owner_id: Owner; readonly id: string };
  readonly once: { readonly key: string | null };
}

/** A row of which nothing may be there. */
export type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/**
 * Reads what a write needs to know in one statement: the aggregate as `o`, if there is one, and the key's record, if
 * there is one. Answers with one row always; the columns of what is not there are null.
 */
export function loadWithOnce<Row>(
  orm: Orm,
  table: string,
  selected: (p: Parameter<LoadValues>) => RawBuilder<unknown>,
): Statement<LoadValues, Nullable<Row> & LoadedOnce> {
  return prepare(
    orm.em.getKysely(),
    (p) => sql<Nullable<Row> & LoadedOnce>`
      select ${selected(p)}, w.fingerprint as once_fingerprint, w.aggregate_id as once_aggregate_id,
        w.snapshot as once_snapshot, w.expires_at as once_expires_at
      from (select 1) as always
      left join ${sql.table(table)} as o on o.owner_id = ${p('target', 'owner_id')} and o.id = ${p('target', 'id')}
      left join once as w on w.owner_id = ${p('target', 'owner_id')} and w.key = ${p('once', 'key')}`,
  );
}
