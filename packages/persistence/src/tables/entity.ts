import type { InferEntityFromProperties, p } from '@mikro-orm/postgresql';
import type { TimestampType } from './timestamp-property.ts';

/** The builders of properties: those of MikroORM, and `timestamp`. */
export type Properties = typeof p & { timestamp(): ReturnType<typeof p.type<typeof TimestampType>> };

/**
 * What defines an entity, as MikroORM takes it. Statements need its columns, and not MikroORM. The migrations alone have
 * indexes and constraints.
 */
export interface Entity<Defined extends object = object> {
  readonly name: string;
  readonly tableName: string;
  readonly properties: (p: Properties) => Defined;
}

/** A row of an entity, as MikroORM returns it. */
export type RowOf<E extends Entity> = InferEntityFromProperties<ReturnType<E['properties']>>;

/** Defines an entity. MikroORM, which takes long to load, makes its schema when it is used. */
export function entity<Defined extends object>(definition: Entity<Defined>): Entity<Defined> {
  return definition;
}
