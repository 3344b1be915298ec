import type { EntityName, MetadataStorage } from '@mikro-orm/postgresql';
import { type Expression, sql } from 'kysely';

/** A column as its entity defines it. */
export interface Column {
  readonly name: string;
  /** The SQL type, such as `uuid`. */
  readonly type: string;
}

/** Returns the columns of an entity except the owner, so that statements need not repeat them. */
export function columnsOf(orm: { getMetadata(): MetadataStorage }, entity: EntityName): readonly Column[] {
  return orm
    .getMetadata()
    .get(entity)
    .props.filter(({ name }) => name !== 'owner_id')
    .map(({ name, columnTypes }) => ({ name, type: columnTypes[0] ?? 'text' }));
}

/** Returns `a, b, c`, for an insert. */
export function columnNames(columns: readonly Column[]): Expression<unknown> {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/**
 * Returns `$1::text, $2::uuid, …`: one parameter per column, cast to its type, which `insert … select` does not infer.
 */
export function columnValues(
  columns: readonly Column[],
  parameter: (name: string) => Expression<unknown>,
): Expression<unknown> {
  return sql.join(columns.map(({ name, type }) => sql`${parameter(name)}::${sql.raw(type)}`));
}
