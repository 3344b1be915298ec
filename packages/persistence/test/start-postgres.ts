import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { execute } from './execute.ts';
import { openTestPostgres } from './postgres/open-test-postgres.ts';
import type { Release } from './postgres/test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL release of the project, unless `TEST_POSTGRES_URL` is set. */
    postgresRelease: Release;
    /** Whether the project uses named prepared statements. */
    preparedStatements: boolean;
    /** The PostgreSQL of this run, on which every test file creates a database of its own. */
    postgresUrl: string;
  }
}

/** Starts one PostgreSQL for all files of a project, and stops it after the run. Without one the run fails. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const { postgresRelease } = project.getProvidedContext();
  const url = env['TEST_POSTGRES_URL'];
  const postgres = await openTestPostgres(postgresRelease, url);
  try {
    const [row] = await execute(postgres.url, `select current_setting('server_version') as version`);
    const version = String(row?.['version']);
    if (url === undefined && Number.parseInt(version) !== postgresRelease) {
      throw new Error(`${project.name} requires PostgreSQL ${postgresRelease}, got ${version}, ${postgres.where}`);
    }
    project.vitest.logger.log(`${project.name}: PostgreSQL ${version}, ${postgres.where}`);
  } catch (cause) {
    await postgres.stop();
    throw cause;
  }
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
