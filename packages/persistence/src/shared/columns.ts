import type { EntityName, MetadataStorage } from '@mikro-orm/postgresql';
import { type Expression, sql } from 'kysely';

/** A column as its entity defines it. */
export interface Column {
  readonly name: string;
  /** Its type in SQL, such as `uuid`. */
  readonly type: string;
}

/** The columns of an entity but its owner, so that no statement repeats what the entity says. */
export function columnsOf(orm: { getMetadata(): MetadataStorage }, entity: EntityName): readonly Column[] {
  return orm
    .getMetadata()
    .get(entity)
    .props.filter(({ name }) => name !== 'owner_id')
    .map(({ name, columnTypes }) => ({ name, type: columnTypes[0] ?? 'text' }));
}

/** `a, b, c`, for an insert. */
export function columnNames(columns: readonly Column[]): Expression<unknown> {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/** `$1::text, $2::uuid, …`: one parameter a column, in its type, which an `insert … select` does not infer. */
export function columnValues(
  columns: readonly Column[],
  parameter: (name: string) => Expression<unknown>,
): Expression<unknown> {
  return sql.join(columns.map(({ name, type }) => sql`${parameter(name)}::${sql.raw(type)}`));
}

/** `a = $1, b = $2, …`, for an update. */
export function columnAssignments(
  columns: readonly Column[],
  parameter: (name: string) => Expression<unknown>,
): Expression<unknown> {
  return sql.join(columns.map(({ name }) => sql`${sql.ref(name)} = ${parameter(name)}`));
}
