import type { EntityName } from '@mikro-orm/postgresql';
import type { Owner } from '@orders/domain';
import { sql } from 'kysely';
import type { Orm } from '../orm.ts';
import { IdempotencyEntity } from '../idempotency/idempotency-entity.ts';
import { type IdempotencyValues, snapshotOf } from '../idempotency/idempotency-record.ts';
import { OutboxEntity, type OutboxValues } from '../outbox/outbox-entity.ts';
import { columnAssignments, columnNames, columnsOf, columnValues } from '../shared/columns.ts';
import { type Parameter, prepare } from '../shared/statement.ts';
import type { LoadedIdempotency } from './load-statement.ts';

/** The values of an aggregate's row, by column. */
export type RowValues = Readonly<Record<string, string | number | null>>;

/** The aggregate that a statement writes. */
export interface Target {
  readonly owner_id: Owner;
  readonly id: string;
}

/** The aggregate that a statement overwrites, with the loaded version. */
export interface Loaded extends Target {
  readonly version: number;
}

export interface InsertValues {
  readonly target: Target;
  readonly row: RowValues;
  readonly event: OutboxValues;
}

export interface UpdateValues {
  readonly target: Loaded;
  readonly row: RowValues;
  readonly event: OutboxValues;
}

export interface DeleteValues {
  readonly target: Loaded;
  readonly event: OutboxValues;
}

export interface WithIdempotency {
  readonly idempotency: IdempotencyValues;
}

/** The particulars of an aggregate's table. */
export interface AggregateTable {
  readonly table: string;
  readonly entity: EntityName;
  /** Columns that are never updated. */
  readonly fixed: readonly string[];
  /** Whether a deletion erases the aggregate from idempotency records, because it is personal data. */
  readonly erases: boolean;
}

/**
/**
 * Returns the writes of one kind of aggregate. Each is one statement that writes the row, the event and the idempotency
 * record, or nothing. Every subquery filters by owner.
 */
export function writeStatements(orm: Orm, { table, entity, fixed, erases }: AggregateTable) {
  const db = orm.em.getKysely();
  const columns = columnsOf(orm, entity);
  const idempotency = columnsOf(orm, IdempotencyEntity);
  const outbox = columnsOf(orm, OutboxEntity);
  const mutable = columns.filter(({ name }) => name !== 'id' && !fixed.includes(name));

  const recordKey = (p: Parameter<WithIdempotency & { target: Target }>) => sql`
    insert into once (owner_id, ${columnNames(idempotency)})
    select ${p('target', 'owner_id')}::text, ${columnValues(idempotency, (name) => p('idempotency', name))}`;

  const recordEvent = (p: Parameter<{ target: Target; event: OutboxValues }>, source: string) => sql`
    event as (
      insert into outbox (owner_id, ${columnNames(outbox)})
      select ${p('target', 'owner_id')}::text, ${columnValues(outbox, (name) => p('event', name))}
      from ${sql.table(source)}
    )`;

  const insert = (p: Parameter<InsertValues>) => sql`
    written as (
      insert into ${sql.table(table)} (owner_id, ${columnNames(columns)})
      select ${p('target', 'owner_id')}::text, ${columnValues(columns, (name) => p('row', name))} from recorded
      returning id
    ),
    ${recordEvent(p, 'recorded')}`;

  const isLoadedVersion = (p: Parameter<{ target: Loaded }>) => sql`owner_id = ${p('target', 'owner_id')}
    and id = ${p('target', 'id')} and version = ${p('target', 'version')}`;

  const update = (p: Parameter<UpdateValues>) => sql`
    written as (
      update ${sql.table(table)} set ${columnAssignments(mutable, (name) => p('row', name))}
      where ${isLoadedVersion(p)} returning id
    ),
    ${recordEvent(p, 'written')}`;

  const erase = (p: Parameter<{ target: Target }>) => sql`,
    erased as (
      update once set snapshot = ${sql.lit(JSON.stringify(snapshotOf(null)))} from written
      where once.owner_id = ${p('target', 'owner_id')} and once.aggregate_id = ${p('target', 'id')}
    )`;

  const remove = (p: Parameter<DeleteValues>) => sql`
    written as (delete from ${sql.table(table)} where ${isLoadedVersion(p)} returning id),
    ${recordEvent(p, 'written')}${erases ? erase(p) : sql``}`;

  // Without ON CONFLICT: a key that was taken after the load must undo the preceding write of this statement.
  const recordKeyOfWrite = (p: Parameter<WithIdempotency & { target: Loaded }>) => sql`,
    recorded as (${recordKey(p)} from written)`;

  return {
    erases,

    lock: prepare<{ target: Target }, { id: string }>(
      db,
      (p) => sql`select id from ${sql.table(table)}
        where owner_id = ${p('target', 'owner_id')} and id = ${p('target', 'id')} for update`,
    ),

    insert: prepare<InsertValues, { id: string }>(
      db,
      (p) => sql`with recorded as (select 1), ${insert(p)} select id from written`,
    ),

    /**
     * Inserts the key first and everything else selected from it. A retry inserts no key, hence nothing, and returns
     * the record that existed at its start. A concurrent retry waits for the first write and returns no record. Always
     * returns one row.
     */
    insertWithKey: prepare<InsertValues & WithIdempotency, { id: string | null } & LoadedIdempotency>(
      db,
      (p) => sql`with recorded as (${recordKey(p)} on conflict (owner_id, key) do nothing returning 1), ${insert(p)}
      select w.id, k.fingerprint as idempotency_fingerprint, k.aggregate_id as idempotency_aggregate_id,
        k.snapshot as idempotency_snapshot, k.expires_at as idempotency_expires_at
      from (select 1) as always left join written as w on true
      left join once as k on k.owner_id = ${p('target', 'owner_id')} and k.key = ${p('idempotency', 'key')}`,
    ),

    update: prepare<UpdateValues, { id: string }>(db, (p) => sql`with ${update(p)} select id from written`),

    updateWithKey: prepare<UpdateValues & WithIdempotency, { id: string }>(
      db,
      (p) => sql`with ${update(p)}${recordKeyOfWrite(p)} select id from written`,
    ),

    /**
     * Records a write that changed nothing, if the row still has the version of the decision; otherwise returns no row.
     * The lock on the row makes a concurrent deletion wait, or this statement wait for the deletion.
     */
    recordNoOp: prepare<{ target: Loaded } & WithIdempotency, { key: string }>(
      db,
      (p) => sql`${recordKey(p)} from ${sql.table(table)} where ${isLoadedVersion(p)} for key share returning key`,
    ),

    delete: prepare<DeleteValues, { id: string }>(db, (p) => sql`with ${remove(p)} select id from written`),

    deleteWithKey: prepare<DeleteValues & WithIdempotency, { id: string }>(
      db,
      (p) => sql`with ${remove(p)}${recordKeyOfWrite(p)} select id from written`,
    ),
  };
}

export type WriteStatements = ReturnType<typeof writeStatements>;
