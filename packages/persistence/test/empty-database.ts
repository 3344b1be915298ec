import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { dropDatabase } from './drop-database.ts';
import { execute } from './execute.ts';

/** Creates a database without a schema for the running test, and returns its URL. */
export function emptyDatabase(): Promise<string> {
  return createDatabase('empty');
}

/** Creates a database with the schema for the running test, and returns its URL. */
export function migratedDatabase(): Promise<string> {
  return createDatabase('migrated', ` template ${inject('templateDatabase')}`);
}

async function createDatabase(prefix: string, options = ''): Promise<string> {
  const admin = new URL(inject('postgresUrl'));
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  await execute(admin.href, `create database ${name}${options}`);
  onTestFinished(async () => {
    await dropDatabase(admin.href, name);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}
