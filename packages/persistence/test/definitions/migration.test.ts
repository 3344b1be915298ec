import { createDomain } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { fixedClock } from '@orders/domain/testing';
import { openDatabase, postgresCustomerRepository, postgresOrderRepository } from '@orders/persistence';
import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../src/migrate.ts';
import { functionsOf } from '../../src/migration/functions-migration.ts';
import { MIGRATIONS } from '../../src/migration/migrations-list.ts';
import { emptyDatabase } from '../empty-database.ts';
import { execute } from '../execute.ts';
import { BAKERY, ITEMS, serverOf } from './bakery.ts';

const MIGRATION = '0012-order-definitions';

it('stores orders of any definition without rewriting those of the release before, which continues', async () => {
  const url = await emptyDatabase();
  const database = openDatabase({ url, poolMax: 2 });
  onTestFinished(() => database.close());
  const before = MIGRATIONS.filter(({ name }) => name < MIGRATION);
  await database.withoutTimeLimits((own) => migrate(own, {}, before));
  // The functions for orders of the default definition are those of the release before.
  const earlier = functionsOf(database.orm).filter(({ definition }) => !definition.includes('status_times'));
  for (const { definition } of earlier) await execute(url, definition);
  const [orders, customers] = [postgresOrderRepository(database), postgresCustomerRepository(database)];
  const clock = fixedClock();
  const domain = createDomain({ orders, customers, clock, ids: uuidv7Ids() });
  const { id } = (await domain.placeOrder('shop', { items: ITEMS, note: 'before' }))._unsafeUnwrap().order;
  const paid = (await domain.changeOrder('shop', id, { status: 'paid' }))._unsafeUnwrap().order;

  // Neither the file of the table nor the row is another one afterwards.
  const rows = `select pg_relation_filenode('orders') as file, xmin, ctid, status, paid_at from orders`;
  const rowsBefore = await execute(url, rows);
  expect(await database.migrate()).toEqual([MIGRATION, expect.stringMatching(/^functions_/)]);
  expect(await execute(url, rows)).toEqual(rowsBefore);
  expect(await execute(url, 'select custom, status_times from orders')).toEqual([{ custom: null, status_times: null }]);

  // A server that was started before goes on, with the statements that it has prepared.
  expect((await domain.getOrder('shop', id))._unsafeUnwrap()).toEqual(paid);
  clock.advance(1000);
  expect((await domain.changeOrder('shop', id, { status: 'shipped' })).isOk()).toBe(true);
  const bakery = serverOf(url, BAKERY);
  const placed = await bakery.domain.placeOrder('bakery', { items: ITEMS, custom: { pick_up: '07:30' } });
  expect(placed._unsafeUnwrap().order.status).toBe('received');
});
