import { expect, it } from 'vitest';
import { placeOrder, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

it('the statistics and lookups of an owner are made again, and those of one that does not exist are not', async () => {
  const database = await aDatabase();
  await placeOrder(await startServerOn(database));
  const rebuild = async (owner: string, what = 'statistics') =>
    await run('cli.ts', { DATABASE_URL: database.url }, [what, 'rebuild', '--owner', owner]).finished;
  expect(await rebuild('shop')).toMatchObject({ code: 0, stdout: '1 owner was counted again.\n' });
  await database.execute(
    `insert into orders.order_lookups select owner_id, 'own.vin', 'W1', created_at, id from orders.orders`,
  );
  expect(await rebuild('shop', 'lookups')).toMatchObject({ code: 0, stdout: '1 order had other lookups.\n' });
  expect(await rebuild('shop', 'lookups')).toMatchObject({ code: 0, stdout: '0 orders had other lookups.\n' });
  expect(await rebuild('ghost')).toMatchObject({ code: 1, stdout: '' });
  expect(await database.execute(`select from orders.checkpoints where owner_id = 'ghost'`)).toEqual([]);
});
