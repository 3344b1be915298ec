import { type Sql, sql } from '../sql/sql.ts';
import { prepare } from '../sql/statement.ts';
import type { Orm } from '../tables/orm.ts';
import { type IdempotencyStatements, idempotencyStatements, type RecordedWrite } from './idempotency-statements.ts';
import { type AggregateTable, type Target, writeFunctions } from './write-functions.ts';

/**
 * Returns the statements that every kind of aggregate has, each built once. Every subquery filters by owner.
 *
 * @param columns the columns of a row that is read as `o`
 * @param keys default: those of a kind whose snapshots have all of its members
 */
export function aggregateStatements<Row, Record extends RecordedWrite = RecordedWrite>(
  orm: Orm,
  kind: AggregateTable,
  columns: Sql,
  keys: IdempotencyStatements<Record> = idempotencyStatements(orm),
) {
  const rows = sql`our.${sql.id(kind.table)}`;
  const { statements: write, byColumn } = writeFunctions(orm, kind);
  return {
    name: kind.of.name,
    isPublished: kind.of.isPublished,
    unique: kind.unique,
    /** The constraints that concurrent writes violate. */
    constraints: ['idempotency_pkey', ...kind.constraints],
    write,
    byColumn,
    keys,

    find: prepare<Target, Row>(orm)`
        select ${columns} from ${rows} as o where o.owner_id = ${'owner_id'} and o.id = ${'id'}`,

    lock: prepare<Target, { id: string }>(orm)`
        select id from ${rows} where owner_id = ${'owner_id'} and id = ${'id'} for update`,
  };
}

export type AggregateStatements<Row, Record extends RecordedWrite> = ReturnType<
  typeof aggregateStatements<Row, Record>
>;
