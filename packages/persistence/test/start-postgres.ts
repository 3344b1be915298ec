import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { execute } from './execute.ts';
import { openTestPostgres } from './postgres/open-test-postgres.ts';
import type { Release } from './postgres/test-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Said by the project: the release to run on, unless `TEST_POSTGRES_URL` names a server. */
    postgresRelease: Release;
    /** Said by the project: whether statements are sent as named prepared ones. */
    preparedStatements: boolean;
    /** The PostgreSQL of this run, on which every test file makes a database of its own. */
    postgresUrl: string;
  }
}

/** One PostgreSQL for all files of a project; it does not outlive the run. Without one the run fails. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const { postgresRelease } = project.getProvidedContext();
  const url = env['TEST_POSTGRES_URL'];
  const postgres = await openTestPostgres(postgresRelease, url);
  try {
    const [row] = await execute(postgres.url, `select current_setting('server_version') as version`);
    const version = String(row?.['version']);
    if (url === undefined && Number.parseInt(version) !== postgresRelease) {
      throw new Error(`${project.name} wants PostgreSQL ${postgresRelease} and got ${version}, ${postgres.where}`);
    }
    project.vitest.logger.log(`${project.name}: PostgreSQL ${version}, ${postgres.where}`);
  } catch (cause) {
    await postgres.stop();
    throw cause;
  }
  project.provide('postgresUrl', postgres.url);
  return () => postgres.stop();
}
