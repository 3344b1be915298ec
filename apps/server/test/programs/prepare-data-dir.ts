import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The data folder of a migrated database, to be copied. */
    preparedDataDir: string;
  }
}

/** Creates one database for the run. Servers under test start on copies, because creating one takes a second. */
export default async function prepareDataDir(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-prepared-'));
  const DATA_DIR = join(folder, 'data');
  const script = join(import.meta.dirname, '../../src/cli.ts');
  await promisify(execFile)(process.execPath, ['--conditions=source', script, 'migrate'], {
    env: { PATH: process.env['PATH'], DATA_DIR },
  });
  project.provide('preparedDataDir', DATA_DIR);
  return () => rm(folder, { recursive: true, force: true });
}
