import { openDatabase } from '@orders/persistence';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migrationsOf } from '../../src/migration/functions-migration.ts';
import { emptyDatabase } from '../fixtures/empty-database.ts';
import { execute } from '../fixtures/execute.ts';

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
});
