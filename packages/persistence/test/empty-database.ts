import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { createDatabase } from './create-database.ts';
import { dropDatabase } from './drop-database.ts';

/** Creates a database without a schema for the running test, and returns its URL. */
export function emptyDatabase(): Promise<string> {
  return databaseOfTest('empty');
}

/** Creates a database with the schema for the running test, and returns its URL. */
export function migratedDatabase(): Promise<string> {
  return databaseOfTest('migrated', inject('templateDatabase'));
}

async function databaseOfTest(prefix: string, template?: string): Promise<string> {
  const admin = inject('postgresUrl');
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  const url = await createDatabase(admin, name, template);
  onTestFinished(async () => {
    await dropDatabase(admin, name);
  });
  return url;
}
