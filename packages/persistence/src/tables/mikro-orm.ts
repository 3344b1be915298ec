import {
  defineEntity,
  type EntityName,
  type EntitySchema,
  MikroORM,
  type Options,
  p,
  raw,
} from '@mikro-orm/postgresql';
import { ENTITIES } from './entities.ts';
import type { Entity, Properties, RowOf } from './entity.ts';
import { MIGRATIONS_TABLE } from './schema.ts';
import { TimestampType } from './timestamp-property.ts';

const PROPERTIES: Properties = { ...p, timestamp: () => p.type(TimestampType) };

const SCHEMAS: ReadonlyMap<Entity, EntitySchema> = new Map(
  ENTITIES.map((entity) => {
    const properties: Record<string, object> = { ...entity.properties(PROPERTIES) };
    return [entity, defineEntity({ ...entity, properties })];
  }),
);

/** Returns what MikroORM has made of an entity. */
function entityOf<E extends Entity>(entity: E): EntityName<RowOf<E>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was made of this definition
  return SCHEMAS.get(entity) as EntityName<unknown> as EntityName<RowOf<E>>;
}

/** MikroORM with the entities of the orders schema, and what is used of its module. */
export type LoadedOrm = ReturnType<typeof createMikroOrm>;

/** Creates MikroORM with all entities. No connection is made. */
export function createMikroOrm(options: Pick<Options, 'driverOptions' | 'logger'> & { readonly schema: string }) {
  const mikroOrm = new MikroORM({
    ...options,
    // Connections are made elsewhere. MikroORM requires a name.
    dbName: 'orders',
    entities: [...SCHEMAS.values()],
    // This package runs the migrations itself, and a missing database is an operator's mistake that must be reported.
    ensureDatabase: false,
    // Keeps MikroORM from treating the migrations table as one without an entity.
    migrations: { tableName: MIGRATIONS_TABLE },
    colors: false,
  });
  return { mikroOrm, entityOf, raw };
}
