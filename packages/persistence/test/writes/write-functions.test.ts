import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/migration/migrate.ts';
import { functionsOf, migrationsOf } from '../../src/migration/functions-migration.ts';
import { type Migration, MIGRATIONS, parseMigration } from '../../src/migration/migrations-list.ts';
import { schemaStatus } from '../../src/migration/schema-status.ts';
import { orderRows } from '../../src/orders/order-row.ts';
import { toOrderSnapshot } from '../../src/orders/order-snapshot.ts';
import { ORDER_TABLE } from '../../src/orders/order-kind.ts';
import type { Orm } from '../../src/tables/orm.ts';
import { keyValues } from '../../src/writes/recorded-keys.ts';
import { changeValues } from '../../src/writes/stored-writes.ts';
import { writeFunctions } from '../../src/writes/write-functions.ts';
import { decidedOrders, withNote } from '../fixtures/decided-writes.ts';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { emptyDatabase, migratedDatabase } from '../fixtures/test-database.ts';

const open = (url: string): Database => untilFinished(openDatabase({ url, poolMax: 2 }));

/** Returns the functions of the schema with their numbers, which change when one is replaced by a new one. */
async function functions(url: string): Promise<readonly unknown[]> {
  return await execute(
    url,
    `select oid, proname as name, xmin from pg_proc where pronamespace = 'orders'::regnamespace order by oid`,
  );
}

/** The functions of orders in another release, in which an update writes fewer columns. */
function otherFunctions(orm: Orm) {
  return writeFunctions(orm, { ...ORDER_TABLE, fixed: [...ORDER_TABLE.fixed, 'cancel_reason'] });
}

function otherMigrations(orm: Orm): readonly Migration[] {
  const steps = otherFunctions(orm).functions.map(({ definition }) => definition);
  return [...MIGRATIONS, parseMigration('functions_0123456789abcdef', steps.join(';\n'))];
}

const migrateOther = (database: Database) =>
  database.withoutTimeLimits((own) => migrate(own, {}, otherMigrations(own.orm)));

describe('the write functions', () => {
  it('are pending in a schema without them, and created once by the migration of that name', async () => {
    const url = await emptyDatabase();
    const database = open(url);
    await database.withoutTimeLimits((own) => migrate(own, {}, MIGRATIONS));
    const [migration] = migrationsOf(database.orm).slice(-1);
    expect(await database.pendingMigrations()).toEqual([migration?.name]);
    expect(await functions(url)).toEqual([]);
    expect(await database.migrate()).toEqual([migration?.name]);
    const created = await functions(url);
    expect(created).toHaveLength(functionsOf(database.orm).length);
    expect(await database.migrate()).toEqual([]);
    expect(await functions(url)).toEqual(created);
  });

  it('stay beside those of another release, and none are unknown', async () => {
    const url = await migratedDatabase();
    const database = open(url);
    const { orm, primary } = database;
    await migrateOther(database);
    const all = [...migrationsOf(orm), ...otherMigrations(orm)].map(({ name }) => name);
    const recorded = await execute<{ name: string }>(url, 'select name from schema_migrations order by name');
    expect(recorded.map(({ name }) => name)).toEqual([...new Set(all)].toSorted());
    // The other release shares the functions whose text is the same, all but those that write the column.
    expect(await functions(url)).toHaveLength(functionsOf(orm).length + 2);
    const isCurrent = { pending: [], unknown: [] };
    expect(await database.schemaStatus()).toMatchObject(isCurrent);
    expect(await schemaStatus({ primary, orm }, otherMigrations(orm))).toMatchObject(isCurrent);
  });

  it('have no conflict with those of another release that change the same order', async () => {
    const database = open(await migratedDatabase());
    await migrateOther(database);
    const orders = decidedOrders(database);
    const other = otherFunctions(database.orm).statements;
    const { id } = (await orders.insert('owner', anOrder()))._unsafeUnwrap().aggregate;
    /** Changes version `version` of the order as the other release does, and returns the outcome. */
    const changeByOther = async (version: number) => {
      const before = (await orders.find('owner', id))._unsafeUnwrap();
      const order = { ...before, note: 'of the other', version: version + 1 };
      const event = anEventOf('owner', order);
      const write = { kind: 'change', before: { aggregate: before }, after: order, event, key: undefined } as const;
      const change = changeValues(event, order.version, toOrderSnapshot(order, null));
      const { toColumns } = orderRows(database.definition, database.unknownOrders, database.reportLeftOut);
      const columns = { ...toColumns(write, null), ...change, ...keyValues(undefined) };
      const values = { ...columns, owner_id: 'owner', id, loaded_version: version };
      return (await other.update(database.primary, values))[0]?.outcome;
    };
    expect(await changeByOther(1)).toBe('written');
    const changed = await orders.update('owner', id, withNote('of this one'));
    expect(changed._unsafeUnwrap().aggregate.version).toBe(3);
    expect(await changeByOther(2)).toBe('stale');
    expect(await changeByOther(3)).toBe('written');
    const versions = (await orders.listVersions('owner', id, { limit: 10, after: null, at: null }))._unsafeUnwrap();
    expect(versions.data.map(({ order }) => order?.note)).toEqual([
      'of the other',
      'of this one',
      'of the other',
      null,
    ]);
  });
});
