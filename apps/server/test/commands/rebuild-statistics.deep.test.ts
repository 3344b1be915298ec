import { expect, it } from 'vitest';
import { placeOrder, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

it('the statistics of an owner are counted again, and those of one that does not exist are not', async () => {
  const database = await aDatabase();
  await placeOrder(await startServerOn(database));
  const rebuild = async (owner: string) =>
    await run('cli.ts', { DATABASE_URL: database.url }, ['statistics', 'rebuild', '--owner', owner]).finished;
  expect(await rebuild('shop')).toMatchObject({ code: 0, stdout: '1 owner was counted again.\n' });
  expect(await rebuild('ghost')).toMatchObject({ code: 1, stdout: '' });
  expect(await database.execute(`select from orders.checkpoints where owner_id = 'ghost'`)).toEqual([]);
});
