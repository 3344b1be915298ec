import type { Owner } from '@orders/domain';
import { type Expression, sql } from 'kysely';
import type { Orm } from '../orm.ts';
import type { IdempotencyRow } from '../idempotency/idempotency-record.ts';
import { prepare, type Statement } from '../shared/statement.ts';

/** The idempotency record, loaded with the aggregate before a write; its columns are null without one. */
export interface LoadedIdempotency {
  readonly idempotency_fingerprint: string | null;
  readonly idempotency_aggregate_id: string | null;
  readonly idempotency_snapshot: IdempotencyRow['snapshot'] | null;
  readonly idempotency_expires_at: string | null;
}

/** The identifiers of the aggregate and of the key to load. */
export interface LoadValues {
  readonly target: { readonly owner_id: Owner; readonly id: string };
  readonly idempotency: { readonly key: string };
}

/** A row whose columns may all be null, after a left join. */
export type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/**
 * Selects everything that a write needs in one statement: the aggregate as `o` and the idempotency record, if they
 * exist. Always returns one row; the columns of a missing one are null.
 */
export function loadWithIdempotency<Row>(
  orm: Orm,
  table: string,
  columns: Expression<unknown>,
): Statement<LoadValues, Nullable<Row> & LoadedIdempotency> {
  return prepare(
    orm.em.getKysely(),
    (p) => sql<Nullable<Row> & LoadedIdempotency>`
      select ${columns}, w.fingerprint as idempotency_fingerprint, w.aggregate_id as idempotency_aggregate_id,
        w.snapshot as idempotency_snapshot, w.expires_at as idempotency_expires_at
      from (select 1) as always
      left join ${sql.table(table)} as o on o.owner_id = ${p('target', 'owner_id')} and o.id = ${p('target', 'id')}
      left join once as w on w.owner_id = ${p('target', 'owner_id')} and w.key = ${p('idempotency', 'key')}`,
  );
}
