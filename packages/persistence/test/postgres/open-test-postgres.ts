import { startContained } from './contained.ts';
import { startEmbedded } from './embedded.ts';
import type { Release, TestPostgres } from './test-postgres.ts';

/**
 * The PostgreSQL at `url`, of whatever release, when one is given; else one in a container, when a Docker engine has
 * the image; else an embedded one.
 */
export async function openTestPostgres(release: Release, url: string | undefined): Promise<TestPostgres> {
  if (url !== undefined) return { url, where: 'at TEST_POSTGRES_URL', stop: () => Promise.resolve() };
  return (await startContained(release)) ?? (await startEmbedded(release));
}
