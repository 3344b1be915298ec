import { openDatabase } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../src/migrate.ts';
import { MIGRATIONS } from '../src/migration/migrations-list.ts';
import { emptyDatabase } from './empty-database.ts';
import { execute } from './execute.ts';
import { decidedOrders } from './decided-writes.ts';

const ORDER = '019a7000-0000-7000-8000-000000000001';
const NAMES = ['Tea "green"', 'Mug \\ 330 ml', 'ünï'];

it('migrates the items of an order from their table, in the order of their lines', async () => {
  const url = await emptyDatabase();
  const database = openDatabase({ url, poolMax: 2 });
  onTestFinished(() => database.close());
  const before = MIGRATIONS.filter(({ name }) => name < '0007');
  await database.withoutTimeLimits((connected) => migrate(connected, {}, before));
  await execute(
    url,
    `insert into orders select 'shop', '${ORDER}', 'pending', null, null, 'EUR', 60, 3, null, '{}', null, 1, now(), now()`,
  );
  // The last line is inserted first.
  for (const line of [2, 0, 1]) {
    await execute(
      url,
      `insert into order_items select 'shop', '${ORDER}', ${line}, '019a7000-0000-7000-8000-00000000001${line}',
         'SKU-${line}', $$${NAMES[line] ?? ''}$$, ${line + 1}, 10, ${(line + 1) * 10}`,
    );
  }
  await database.migrate();
  const order = (await decidedOrders(database).find('shop', ORDER))._unsafeUnwrap();
  expect(order.items).toEqual(
    NAMES.map((name, line) => ({
      id: `019a7000-0000-7000-8000-00000000001${line}`,
      sku: `SKU-${line}`,
      name,
      quantity: line + 1,
      unit_price: { amount: 10, currency: 'EUR' },
      total: { amount: (line + 1) * 10, currency: 'EUR' },
    })),
  );
});
