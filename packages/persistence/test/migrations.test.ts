import { randomBytes } from 'node:crypto';
import { openDatabase } from '@orders/persistence';
import { describe, expect, inject, it } from 'vitest';
import { execute } from './execute.ts';
import { testDatabase } from './test-database.ts';

const NAMES = ['0001-orders', '0002-client-certificates'];

const database = testDatabase();

describe('migrations', () => {
  it('run once when ten servers start at once on an empty database', async () => {
    const name = `empty_${randomBytes(6).toString('hex')}`;
    await execute(inject('postgresUrl'), `create database ${name}`);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    const servers = Array.from({ length: 10 }, () => openDatabase({ url: url.href, poolMax: 2 }));
    try {
      expect(await servers[0]?.pendingMigrations()).toEqual(NAMES);
      await Promise.all(servers.map((server) => server.migrate()));
      expect(await execute(url.href, 'select name from schema_migrations')).toEqual(NAMES.map((name) => ({ name })));
      expect(await servers[0]?.pendingMigrations()).toEqual([]);
    } finally {
      for (const server of servers) await server.close();
      await execute(inject('postgresUrl'), `drop database ${name} with (force)`);
    }
  });

  it('make the tables that the entities describe, and beside them only foreign keys and checks', async () => {
    const difference = await database.current.orm.schema.getUpdateSchemaSQL({ wrap: false });
    const constraints = difference.split('\n').filter((line) => line !== '');
    expect(constraints).toEqual([
      'alter table "orders" drop constraint "orders_customer_foreign";',
      'alter table "order_items" drop constraint "order_items_order_foreign";',
      'alter table "orders" drop constraint "orders_status_check";',
      'alter table "orders" drop constraint "orders_version_check";',
    ]);
  });
});
