import { type Sql, sql } from './sql.ts';
import type { Entity, Properties } from '../tables/entity.ts';

/** A column as its entity defines it. */
export interface Column {
  readonly name: string;
  /** The SQL type, such as `uuid`. */
  readonly type: string;
}

/** A property as its builder in MikroORM knows it, of which only the type and the key make a difference here. */
interface Property {
  readonly type: string;
  readonly isPrimary: boolean;
}

/** Returns a builder that stands for MikroORM's, without loading MikroORM. */
function builderOf(property: Property): object {
  const same = () => builder;
  const builder = {
    property,
    collation: same,
    nullable: same,
    $type: same,
    primary: () => builderOf({ ...property, isPrimary: true }),
    columnType: (type: string) => builderOf({ ...property, type }),
  };
  return builder;
}

/** The SQL types of MikroORM's properties. The others of an entity have a `columnType`. */
const TYPES = {
  text: 'text',
  uuid: 'uuid',
  boolean: 'boolean',
  smallint: 'smallint',
  integer: 'int',
  bigint: 'bigint',
  timestamp: 'timestamptz(3)',
  json: '',
  decimal: '',
  array: '',
};

const BUILDERS = Object.fromEntries(
  Object.entries(TYPES).map(([name, type]) => [name, () => builderOf({ type, isPrimary: false })]),
);

/** Returns the columns of an entity. */
export function propertiesOf({ properties }: Entity): readonly (Column & Property)[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test compares the columns with those of MikroORM
  const built = properties(BUILDERS as unknown as Properties) as Record<string, { readonly property: Property }>;
  return Object.entries(built).map(([name, { property }]) => ({ name, ...property }));
}

/** Returns the columns of an entity except the owner, so that statements need not repeat them. */
export function columnsOf(entity: Entity): readonly Column[] {
  return propertiesOf(entity)
    .filter(({ name }) => name !== 'owner_id')
    .map(({ name, type }) => ({ name, type }));
}

/** Returns `a, b, c`, for an insert. */
export function columnNames(columns: readonly Column[]): Sql {
  return sql.join(columns.map(({ name }) => sql.ref(name)));
}

/**
 * Returns `$1::text, $2::uuid, …`: one parameter per column, cast to its type, which `insert … select` does not infer.
 */
export function columnValues(columns: readonly Column[], parameter: (name: string) => Sql): Sql {
  return sql.join(columns.map(({ name, type }) => sql`${parameter(name)}::${sql.raw(type)}`));
}
