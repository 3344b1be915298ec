import { randomBytes } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { dropDatabase } from './drop-database.ts';
import { execute } from './execute.ts';

/** Creates a database without a schema for the running test, and returns its URL. */
export async function emptyDatabase(): Promise<string> {
  const admin = new URL(inject('postgresUrl'));
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await execute(admin.href, `create database ${name}`);
  onTestFinished(async () => {
    await dropDatabase(admin.href, name);
  });
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}
