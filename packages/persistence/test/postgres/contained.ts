import { env } from 'node:process';
import { engineOffer } from './docker-engine.ts';
import { NOT_DURABLE, type Release, type TestPostgres } from './test-postgres.ts';

/** Starts a PostgreSQL in a container when a Docker engine has the image. Never pulls an image. */
export async function startContained(release: Release): Promise<TestPostgres | undefined> {
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
