import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '@orders/persistence';
import { afterAll, beforeAll, inject } from 'vitest';
import { createDatabase } from './create-database.ts';
import { dropDatabase } from './drop-database.ts';

/** A database for a test file. */
export interface TestDatabase {
  readonly current: Database;
  readonly url: string;
}

/** Creates a database with the schema for the test file, and drops it after the file. */
export function testDatabase(): TestDatabase {
  const admin = new URL(inject('postgresUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(admin);
  url.pathname = `/${name}`;
  let database: Database | undefined;

  beforeAll(async () => {
    await createDatabase(admin.href, name, inject('templateDatabase'));
    database = openDatabase({ url: url.href, preparedStatements: inject('preparedStatements') });
  });
  afterAll(async () => {
    await database?.close();
    await dropDatabase(admin.href, name);
  });
  return {
    url: url.href,
    get current() {
      if (!database) throw new Error('the database exists only while the tests run');
      return database;
    },
  };
}
