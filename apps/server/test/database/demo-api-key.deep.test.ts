import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../programs/running-server.ts';

/** Returns the status of a request with the demo key of a data folder. */
async function statusWith(url: string, dataDir: string): Promise<number> {
  const key = (await readFile(join(dataDir, 'demo-api-key'), 'utf8')).trim();
  return (await fetch(`${url}/v1/orders`, { headers: { 'x-api-key': key } })).status;
}

describe('the demo API key', () => {
  it('is rejected in production, also with the database that created it', async () => {
    const demo = await startServer();
    const { dataDir } = demo;
    expect(await statusWith(demo.url, dataDir)).toBe(200);
    await demo.stop();

    const postgres = await startEmbeddedPostgres({ dataDir });
    onTestFinished(() => postgres.stop());
    const elsewhere = { DATABASE_URL: postgres.url, DATA_DIR: dataDir };
    const staging = await startServer(elsewhere);
    expect(await statusWith(staging.url, dataDir)).toBe(200);
    const production = await startServer({ ...elsewhere, NODE_ENV: 'production' });
    expect(await statusWith(production.url, dataDir)).toBe(401);
  });
});
