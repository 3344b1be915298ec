import { env } from 'node:process';
import type { TestProject } from 'vitest/node';
import { execute } from '../fixtures/execute.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The coordinator of a Citus cluster, on which every test file creates a database of its own. */
    citusUrl: string;
  }
}

const REQUIRED = `Set TEST_CITUS_URL to the coordinator of a Citus cluster with at least two workers, as a superuser, such as
postgresql://postgres@127.0.0.1:9700/orders. The tests connect to the workers by their names in pg_dist_node.`;

/** Finds the cluster of the run. Without one the run fails, because nothing could be tested. */
export default async function findCitus(project: TestProject): Promise<void> {
  const url = env['TEST_CITUS_URL'];
  if (url === undefined) throw new Error(REQUIRED);
  const [extension] = await execute(url, `select extversion from pg_extension where extname = 'citus'`);
  if (!extension) throw new Error(`the database of TEST_CITUS_URL has no extension citus. ${REQUIRED}`);
  const workers = await execute(url, `select from pg_dist_node where groupid > 0 and isactive and shouldhaveshards`);
  if (workers.length < 2) throw new Error(`the cluster of TEST_CITUS_URL has ${workers.length} workers. ${REQUIRED}`);
  project.vitest.logger.log(`Citus ${String(extension['extversion'])} with ${workers.length} workers`);
  project.provide('citusUrl', url);
}
