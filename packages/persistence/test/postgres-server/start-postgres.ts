import { randomBytes } from 'node:crypto';
import { env } from 'node:process';
import { openDatabase } from '@orders/persistence';
import type { TestProject } from 'vitest/node';
import { createDatabase, dropDatabase } from '../fixtures/create-database.ts';
import { execute } from '../fixtures/execute.ts';
import { openTestPostgres } from './open-test-postgres.ts';
import type { Release } from './test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL release of the project, unless `TEST_POSTGRES_URL` is set. */
    postgresRelease: Release;
    /** Whether the project uses named prepared statements. */
    preparedStatements: boolean;
    /** The PostgreSQL of this run, on which every test file creates a database of its own. */
    postgresUrl: string;
    /** The database with the schema of which those of the test files are copies. */
    templateDatabase: string;
  }
}

/** Starts one PostgreSQL for all files of a project, and stops it after the run. Without one the run fails. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const { postgresRelease, preparedStatements } = project.getProvidedContext();
  const url = env['TEST_POSTGRES_URL'];
  const postgres = await openTestPostgres(postgresRelease, url);
  const template = `template_${randomBytes(6).toString('hex')}`;
  const stop = async () => {
    // One that was started for the run ends with all its databases.
    if (url !== undefined) await dropDatabase(postgres.url, template);
    await postgres.stop();
  };
  try {
    const [row] = await execute(postgres.url, `select current_setting('server_version') as version`);
    const version = String(row?.['version']);
    if (url === undefined && Number.parseInt(version) !== postgresRelease) {
      throw new Error(`${project.name} requires PostgreSQL ${postgresRelease}, got ${version}, ${postgres.where}`);
    }
    project.vitest.logger.log(`${project.name}: PostgreSQL ${version}, ${postgres.where}`);
    await createTemplate(postgres.url, template, preparedStatements);
  } catch (cause) {
    await stop();
    throw cause;
  }
  project.provide('postgresUrl', postgres.url);
  project.provide('templateDatabase', template);
  return stop;
}

/** To migrate takes twice as long as to copy what was migrated: it is done once instead of for each file. */
async function createTemplate(adminUrl: string, name: string, preparedStatements: boolean): Promise<void> {
  const url = await createDatabase(adminUrl, name);
  const database = openDatabase({ url, preparedStatements });
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
}
