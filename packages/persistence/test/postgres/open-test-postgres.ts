import { startContained } from './contained.ts';
import { startEmbedded } from './embedded.ts';
import type { Release, TestPostgres } from './test-postgres.ts';

/**
 * Opens the PostgreSQL at `url`, of any release, if given. Otherwise starts one in a container when a Docker engine has
 * the image, or an embedded one.
 */
export async function openTestPostgres(release: Release, url: string | undefined): Promise<TestPostgres> {
  if (url !== undefined) return { url, where: 'at TEST_POSTGRES_URL', stop: () => Promise.resolve() };
  return (await startContained(release)) ?? (await startEmbedded(release));
}
