import { anEventOf, anOrder } from '@orders/domain/testing';
import { type Database, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changeValues } from '../../src/writes/change-record.ts';
import { eventFunctions } from '../../src/events/event-functions.ts';
import { numberEvents } from '../../src/events/numbering-function.ts';
import { keyValues } from '../../src/writes/recorded-keys.ts';
import { migrate } from '../../src/migrate.ts';
import { functionsOf, migrationsOf } from '../../src/migration/functions-migration.ts';
import { type Migration, MIGRATIONS, parseMigration } from '../../src/migration/migrations-list.ts';
import { schemaStatus } from '../../src/migration/schema-status.ts';
import { orderRows, toOrderSnapshot } from '../../src/orders/order-row.ts';
import { CUSTOMER_TABLE } from '../../src/customers/customer-statements.ts';
import { ORDER_TABLE } from '../../src/orders/order-statements.ts';
import type { Orm } from '../../src/tables/orm.ts';
import { WEBHOOK_FUNCTIONS } from '../../src/webhooks/queue-functions.ts';
import { writeFunctions } from '../../src/writes/write-functions.ts';
import { emptyDatabase } from '../fixtures/empty-database.ts';
import { execute } from '../fixtures/execute.ts';
import { decidedOrders } from '../fixtures/decided-writes.ts';

async function emptyOf(): Promise<{ url: string; database: Database }> {
  const url = await emptyDatabase();
  const database = openDatabase({ url, poolMax: 2 });
  onTestFinished(() => database.close());
  return { url, database };
}

/** Returns the functions of the schema with their numbers, which change when one is replaced by a new one. */
async function functions(url: string): Promise<readonly unknown[]> {
  return await execute(
    url,
    `select oid, proname as name, xmin from pg_proc where pronamespace = current_schema()::regnamespace order by oid`,
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
  it('are pending in a schema without them, and created by the migration of that name alone', async () => {
    const { url, database } = await emptyOf();
    await database.withoutTimeLimits((own) => migrate(own, {}, MIGRATIONS));
    const [migration] = migrationsOf(database.orm).slice(-1);
    expect(await database.pendingMigrations()).toEqual([migration?.name]);
    expect(await functions(url)).toEqual([]);
    expect(await database.migrate()).toEqual([migration?.name]);
    expect(await database.schemaStatus()).toMatchObject({ pending: [], unknown: [] });
    expect(await functions(url)).toHaveLength(functionsOf(database.orm).length);
  });

  it('stay the same when the schema is migrated again', async () => {
    const { url, database } = await emptyOf();
    await database.migrate();
    const before = await functions(url);
    expect(await database.migrate()).toEqual([]);
    expect(await functions(url)).toEqual(before);
  });

  it('record the key last, so that nothing is waited for while it is held', async () => {
    const { url, database } = await emptyOf();
    await database.migrate();
    const bodies = await execute<{ body: string }>(
      url,
      `select prosrc as body from pg_proc
       where pronamespace = current_schema()::regnamespace and prosrc like '%insert into "orders".changes%'`,
    );
    const others = [numberEvents, ...Object.values({ ...eventFunctions(database.orm), ...WEBHOOK_FUNCTIONS })];
    expect(bodies.length).toBe(functionsOf(database.orm).length - others.length);
    for (const { body } of bodies) {
      const changed = [...body.matchAll(/\b(?:insert into|update|delete from) "orders"\.(\w+)/g)].map(
        ([, table]) => table,
      );
      expect(changed.indexOf('idempotency')).toBe(changed.length - 1);
    }
  });

  it('have names that change with their text', () => {
    const orm = openDatabase({ url: 'postgresql://127.0.0.1/none' }).orm;
    const own = writeFunctions(orm, ORDER_TABLE).functions.map(({ name }) => name);
    expect(writeFunctions(orm, { ...ORDER_TABLE }).functions.map(({ name }) => name)).toEqual(own);
    const [, update] = otherFunctions(orm).functions.map(({ name }) => name);
    expect(own).not.toContain(update);
  });

  it.each(['older', 'later'])('stay beside those of an %s release, and none are unknown', async (age) => {
    const { url, database } = await emptyOf();
    const { orm, primary } = database;
    if (age === 'older') await migrateOther(database);
    await database.migrate();
    if (age === 'later') await migrateOther(database);
    const all = [...migrationsOf(orm), ...otherMigrations(orm)].map(({ name }) => name);
    const recorded = await execute<{ name: string }>(url, 'select name from schema_migrations order by name');
    expect(recorded.map(({ name }) => name)).toEqual([...new Set(all)].toSorted());
    // The other release shares the functions whose text is the same.
    expect(await functions(url)).toHaveLength(functionsOf(orm).length + 1);
    const isCurrent = { pending: [], unknown: [] };
    expect(await database.schemaStatus()).toMatchObject(isCurrent);
    expect(await schemaStatus({ primary, orm }, otherMigrations(orm))).toMatchObject(isCurrent);
  });

  it('have no conflict with those of another release that change the same order', async () => {
    const { database } = await emptyOf();
    await database.migrate();
    await migrateOther(database);
    const orders = decidedOrders(database);
    const other = otherFunctions(database.orm).statements;
    const placed = anOrder();
    const { id } = placed;
    await orders.insert('owner', { order: placed, event: anEventOf('owner', placed) });
    /** Changes version `version` of the order as the other release does, and returns the outcome. */
    const changeByOther = async (version: number) => {
      const before = (await orders.find('owner', id))._unsafeUnwrap();
      const order = { ...before, note: 'of the other', version: version + 1 };
      const event = anEventOf('owner', order);
      const change = changeValues(event, order.version, toOrderSnapshot(order));
      const { toColumns } = orderRows(database.definition, database.unknownOrders);
      const values = { ...toColumns(order, null), ...change, ...keyValues(undefined) };
      const [row] = await other.update(database.primary, {
        call: { ...values, owner_id: 'owner', id, loaded_version: version },
      });
      return row?.outcome;
    };
    const changeByOwn = () =>
      orders.update('owner', id, (before) => {
        const order = { ...before, note: 'of this one', version: before.version + 1 };
        return ok({ order, event: anEventOf('owner', order) });
      });
    expect(await changeByOther(1)).toBe('written');
    expect((await changeByOwn())._unsafeUnwrap().order.version).toBe(3);
    expect(await changeByOther(2)).toBe('stale');
    expect(await changeByOther(3)).toBe('written');
    const versions = (await orders.listVersions('owner', id, { limit: 10, after: null, at: null }))._unsafeUnwrap();
    const notes = versions.data.map(({ version, order }) => [version, order?.note]);
    expect(notes).toEqual([
      [4, 'of the other'],
      [3, 'of this one'],
      [2, 'of the other'],
      [1, null],
    ]);
  });
});

// No row of a test shows it: with few versions, PostgreSQL visits them in their order anyway.
it('a deletion that erases versions locks them in the order of their times first', async () => {
  const { database } = await emptyOf();
  const erasing = writeFunctions(database.orm, CUSTOMER_TABLE).functions.filter(({ definition }) =>
    /\bupdate our\.changes\b/.test(definition),
  );
  expect(erasing.map(({ name }) => name)).toEqual([expect.stringMatching(/^customer_delete_/)]);
  for (const { definition } of erasing) {
    expect(definition).toMatch(
      /perform from our\.changes where [^;]+ order by occurred_at, version for update;\s+update our\.changes /,
    );
  }
});
