import { openDatabase } from '@orders/persistence';
import { describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { emptyDatabase, testDatabase } from '../fixtures/test-database.ts';

const NAMES: readonly unknown[] = ['0001-baseline', expect.stringMatching(/^functions_[0-9a-f]{16}$/)];

const database = testDatabase();

describe('migrations', () => {
  it('run once when several servers start at once on an empty database, and are listed as pending before', async () => {
    const url = await emptyDatabase();
    const servers = [1, 2, 3, 4].map(() => untilFinished(openDatabase({ url, poolMax: 2 })));
    expect(await servers[0]?.schemaStatus()).toEqual({ applied: [], pending: NAMES, unknown: [] });
    expect(await execute(url, `select to_regclass('schema_migrations') as made`)).toEqual([{ made: null }]);
    await Promise.all(servers.map((server) => server.migrate()));
    expect(await execute(url, 'select name from schema_migrations')).toEqual(NAMES.map((name) => ({ name })));
    await execute(url, `insert into schema_migrations (name) values ('9999-later')`);
    expect(await servers[0]?.schemaStatus()).toEqual({ applied: NAMES, pending: [], unknown: ['9999-later'] });
    expect(await servers[0]?.pendingMigrations()).toEqual([]);
  });

  it('create the columns of the entities, and otherwise only constraints, indexes and functions', async () => {
    const difference = await (await database.current.orm.load()).mikroOrm.schema.getUpdateSchemaSQL({ wrap: false });
    const constraints = difference.split('\n').filter((line) => !/^(drop (function|index) .*)?$/.test(line));
    expect(constraints).toEqual([
      'alter table "orders"."orders" drop constraint "orders_customer_foreign";',
      'alter table "orders"."api_keys" drop constraint "api_keys_prefix_unique";',
      'alter table "orders"."customers" drop constraint "customers_email_unique";',
      'alter table "orders"."operators" drop constraint "operators_role_check";',
      'alter table "orders"."operators" drop constraint "operators_signs_in_check";',
      'alter table "orders"."operator_jobs" drop constraint "operator_jobs_kind_check";',
      'alter table "orders"."operator_jobs" drop constraint "operator_jobs_status_check";',
      'alter table "orders"."operator_tokens" drop constraint "operator_tokens_id_unique";',
      'alter table "orders"."operator_tokens" drop constraint "operator_tokens_kind_check";',
      'alter table "orders"."orders" drop constraint "orders_version_check";',
      'alter table "orders"."order_comments" drop constraint "order_comments_key_unique";',
      'alter table "orders"."sending_database" drop constraint "sending_database_only_row_check";',
      'alter table "orders"."webhook_deliveries" drop constraint "webhook_deliveries_event_unique";',
      'alter table "orders"."webhook_deliveries" drop constraint "webhook_deliveries_status_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_slot_unique";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_reason_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_slot_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_start_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_status_check";',
      'alter table "orders"."webhook_endpoints" drop constraint "webhook_endpoints_version_check";',
    ]);
  });
});
