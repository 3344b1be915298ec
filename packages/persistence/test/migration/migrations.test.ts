import { openDatabase } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { emptyDatabase } from '../fixtures/empty-database.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const NAMES: readonly unknown[] = ['0001-baseline', expect.stringMatching(/^functions_[0-9a-f]{16}$/)];

const database = testDatabase();

describe('migrations', () => {
  it('run once when ten servers start at once on an empty database', async () => {
    const url = await emptyDatabase();
    const servers = Array.from({ length: 10 }, () => openDatabase({ url, poolMax: 2 }));
    try {
      expect(await servers[0]?.pendingMigrations()).toEqual(NAMES);
      await Promise.all(servers.map((server) => server.migrate()));
      expect(await execute(url, 'select name from schema_migrations')).toEqual(NAMES.map((name) => ({ name })));
      expect(await servers[0]?.pendingMigrations()).toEqual([]);
    } finally {
      for (const server of servers) await server.close();
    }
  });

  it('create the tables of the entities, and otherwise only foreign keys, checks and functions', async () => {
    const difference = await database.current.orm.schema.getUpdateSchemaSQL({ wrap: false });
    const constraints = difference.split('\n').filter((line) => !/^(drop function .*)?$/.test(line));
    expect(constraints).toEqual([
      'alter table "orders"."orders" drop constraint "orders_customer_foreign";',
      'alter table "orders"."orders" drop constraint "orders_version_check";',
      'alter table "orders"."webhook_deliveries" drop constraint "webhook_deliveries_status_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_reason_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_slot_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_start_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_status_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_version_check";',
    ]);
  });
});
