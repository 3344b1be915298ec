import { join } from 'node:path';
import { openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { aFolder, run } from './running-server.ts';

it('a server does not start while one of release 0.1.0 is connected to its database', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: join(await aFolder(), 'data') });
  const { url } = postgres;
  // The name of the sessions of that release.
  const earlier = openDatabase({ url: `${url}?application_name=orders` });
  onTestFinished(async () => {
    await earlier.close();
    await postgres.stop();
  });
  await earlier.ping();
  const { code, stderr } = await run('main.ts', { PORT: '0', DATABASE_URL: url }).finished;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^orders cannot continue:\n {2}cannot use DATABASE_URL: .* cannot run beside servers of release 0\.1\.0, .*\n$/,
  );
});
