import { openDatabase } from '@orders/persistence';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrationsOf } from '../src/migration/functions-migration.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';

describe('the status of the schema', () => {
  it('lists pending and unknown migrations, and creates nothing', async () => {
    const url = await emptyDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    const all = migrationsOf(database.orm).map(({ name }) => name);
    expect(await database.schemaStatus()).toEqual({ applied: [], pending: all, unknown: [] });
    expect(await execute(url, `select to_regclass('schema_migrations') as made`)).toEqual([{ made: null }]);
    await database.migrate();
    await execute(url, `insert into schema_migrations (name) values ('9999-later')`);
    expect(await database.schemaStatus()).toEqual({ applied: all, pending: [], unknown: ['9999-later'] });
  });

  it('is that of a build before the first release, which is not migrated', async () => {
    const url = await emptyDatabase();
    const database = openDatabase({ url });
    onTestFinished(() => database.close());
    await execute(
      url,
      `create table schema_migrations (name text); insert into schema_migrations values ('0001-orders')`,
    );
    await expect(database.migrate()).rejects.toThrow(
      /^the database has the tables of a build before the first release, which no migration changes: use an empty database$/,
    );
    const made = `select count(*)::int as made from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`;
    expect(await execute(url, made)).toEqual([{ made: 1 }]);
  });
});
