import { env } from 'node:process';
import { engineOffer } from './docker-engine.ts';
import { FORGETFUL, type Release, type TestPostgres } from './test-postgres.ts';

/** A PostgreSQL in a container, when a Docker engine answers that has the image: nothing is ever pulled. */
export async function startContained(release: Release): Promise<TestPostgres | undefined> {
  const image = `postgres:${release}-alpine`;
  const offer = await engineOffer(image, env);
  if (offer === 'nothing') return undefined;
  // testcontainers would pull the image of its reaper.
  if (offer === 'image') env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
  // Loaded only now, because it takes as long as to ask.
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const flags = Object.entries(FORGETFUL).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const container = await new PostgreSqlContainer(image).withCommand(['postgres', ...flags]).start();
  return {
    url: container.getConnectionUri(),
    where: `in a container of ${image}`,
    stop: async () => {
      await container.stop();
    },
  };
}
