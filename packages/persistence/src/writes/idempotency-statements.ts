import type { Owner } from '@orders/domain';
import { type Sql, sql } from '../sql/sql.ts';
import type { StoredSnapshot } from './change-record.ts';
import type { Orm } from '../tables/orm.ts';
import { columnNames, columnsOf, columnValues } from '../sql/columns.ts';
import { prepare } from '../sql/statement.ts';
import type { WriteValues } from './write-functions.ts';
import { IdempotencyEntity } from '../tables/idempotency-entity.ts';

/** An idempotency record with the version that its write made, as the driver returns them. */
export interface RecordedWrite extends StoredSnapshot {
  readonly key: string;
  readonly fingerprint: string;
  readonly aggregate_id: string;
  readonly expires_at: string;
}

/** The key of one owner. */
export interface OwnersKey {
  readonly owner_id: Owner;
  readonly key: string;
}

/** Several keys of one owner. */
export interface OwnersKeys {
  readonly owner_id: Owner;
  readonly keys: readonly string[];
}

/** What a kind of aggregate needs to restore a version beside its snapshot, of the record that is read as `k`. */
export interface Restored {
  /** Columns of the result. */
  readonly columns: (owner: Sql<Owner>) => Sql;
  /** The join that they are read from. Default: none. */
  readonly join?: (owner: Sql<Owner>) => Sql;
}

/**
 * Returns the statements on idempotency records alone, for writes of one kind of aggregate.
 *
 * @param restored what `Row` has beside the columns of the record; default: nothing
 */
export function idempotencyStatements<Row extends RecordedWrite>(orm: Orm, restored?: Restored) {
  const columns = columnsOf(IdempotencyEntity);
  const select = (owner: Sql<Owner>, key: Sql) => sql`
        select k.key, k.fingerprint, k.aggregate_id, k.expires_at, c.snapshot, c.snapshot_format
          ${restored ? sql`, ${restored.columns(owner)}` : sql``}
        from our.idempotency as k
        left join our.changes as c
          on c.owner_id = ${owner} and c.aggregate = k.aggregate and c.aggregate_id = k.aggregate_id and c.version = k.version
        ${restored?.join?.(owner) ?? sql``}
        where k.owner_id = ${owner} and k.key = ${key}`;
  return {
    /** Selects the record of a key, with the version that it refers to. */
    find: prepare<OwnersKey, Row>(orm)`${(p) => select(p('owner_id'), p('key'))}`,

    /** Selects the records of several keys, each by itself. */
    findAll: prepare<OwnersKeys, Row>(orm)`
        select f.* from unnest(${'keys'}::text[]) as r (key)
        cross join lateral (${(p) => select(p('owner_id'), sql`r.key`)} limit 1) as f`,

    /**
     * Deletes an expired record and returns its key, which is then unused again. Both clocks must consider it expired,
     * because the clock of one server may be wrong.
     */
    deleteExpired: prepare<OwnersKey & { readonly now: string }, { key: string }>(orm)`
        delete from our.idempotency
        where owner_id = ${'owner_id'} and key = ${'key'}
          and expires_at <= ${'now'} and expires_at <= now()
        returning key`,

    /** Records a write that changed nothing. */
    insert: prepare<WriteValues, object>(orm)`
        insert into our.idempotency (owner_id, ${columnNames(columns)})
        values (${'owner_id'}, ${(p) => columnValues(columns, (name) => p(name))}) returning key`,
  };
}

export type IdempotencyStatements<Row extends RecordedWrite> = ReturnType<typeof idempotencyStatements<Row>>;
