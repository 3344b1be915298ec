import type { Owner } from '@orders/domain';
import { type Expression, type RawBuilder, sql } from 'kysely';
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

/** The key of a write, to look up its record. */
export interface KeyLookup {
  readonly idempotency: OwnersKey;
}

/** Several keys of one owner. */
export interface KeysLookup {
  readonly idempotency: { readonly owner_id: Owner; readonly keys: readonly string[] };
}

/** Columns beside the snapshot that a kind of aggregate needs to restore a version, read as `k`. */
export type RestoredColumns = (owner: Expression<Owner>) => RawBuilder<unknown>;

/**
 * Returns the statements on idempotency records alone, for writes of one kind of aggregate.
 *
 * @param restored the columns that `Row` has beside those of the record; default: none
 */
export function idempotencyStatements<Row extends RecordedWrite>(orm: Orm, restored?: RestoredColumns) {
  const columns = columnsOf(IdempotencyEntity);
  const select = (owner: Expression<Owner>, key: Expression<unknown>) => sql`
        select k.key, k.fingerprint, k.aggregate_id, k.expires_at, c.snapshot, c.snapshot_format
          ${restored ? sql`, ${restored(owner)}` : sql``}
        from our.idempotency as k
        left join our.changes as c
          on c.owner_id = ${owner} and c.aggregate = k.aggregate and c.aggregate_id = k.aggregate_id and c.version = k.version
        where k.owner_id = ${owner} and k.key = ${key}`;
  return {
    /** Selects the record of a key, with the version that it refers to. */
    find: prepare<KeyLookup, Row>(
      orm,
      (p) => sql<Row>`${select(p('idempotency', 'owner_id'), p('idempotency', 'key'))}`,
    ),

    /** Selects the records of several keys, each by itself. */
    findAll: prepare<KeysLookup, Row>(
      orm,
      (p) => sql<Row>`
        select f.* from unnest(${p('idempotency', 'keys')}::text[]) as r (key)
        cross join lateral (${select(p('idempotency', 'owner_id'), sql`r.key`)} limit 1) as f`,
    ),

    /**
     * Deletes an expired record and returns its key, which is then unused again. Both clocks must consider it expired,
     * because the clock of one server may be wrong.
     */
    deleteExpired: prepare<{ idempotency: OwnersKey & { readonly now: string } }, { key: string }>(
      orm,
      (p) => sql<{ key: string }>`
        delete from our.idempotency
        where owner_id = ${p('idempotency', 'owner_id')} and key = ${p('idempotency', 'key')}
          and expires_at <= ${p('idempotency', 'now')} and expires_at <= now()
        returning key`,
    ),

    /** Records a write that changed nothing. */
    insert: prepare<{ write: WriteValues }, object>(
      orm,
      (p) => sql<object>`
        insert into our.idempotency (owner_id, ${columnNames(columns)})
        values (${p('write', 'owner_id')}, ${columnValues(columns, (name) => p('write', name))}) returning key`,
    ),
  };
}

export type IdempotencyStatements<Row extends RecordedWrite> = ReturnType<typeof idempotencyStatements<Row>>;
