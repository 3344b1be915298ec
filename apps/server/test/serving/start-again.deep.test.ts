import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished } from 'vitest';
import { listedIds, placeOrder, startServer } from '../programs/running-server.ts';

it('a restarted server has the orders and accepts the same key, also on a database, except in production', async () => {
  const first = await startServer();
  const { dataDir } = first;
  const id = await placeOrder(first);
  const key = await first.demoKey();
  expect((await first.stop()).code).toBe(0);
  const second = await startServer({ DATA_DIR: dataDir });
  expect(await second.demoKey()).toBe(key);
  expect(await listedIds(second)).toEqual([id]);
  await second.stop();
  const postgres = await startEmbeddedPostgres({ dataDir });
  onTestFinished(() => postgres.stop());
  const elsewhere = { DATABASE_URL: postgres.url, DATA_DIR: dataDir };
  expect(await listedIds(await startServer(elsewhere))).toEqual([id]);
  const production = await startServer({ ...elsewhere, NODE_ENV: 'production' });
  expect((await production.request('/v1/orders')).status).toBe(401);
});
