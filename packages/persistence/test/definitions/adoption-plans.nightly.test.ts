import { defineOrders, ORDERS } from '@orders/domain';
import { openDatabase } from '@orders/persistence';
import { beforeAll, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { fillWithOrders } from '../plans/many-orders.ts';
import { costOf } from '../plans/plans.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { sent } from '../fixtures/watched-server.ts';

const OTHER_OWNERS = 500;

const database = testDatabase();

beforeAll(async () => {
  await fillWithOrders(database.url);
  await execute(
    database.url,
    `insert into orders (owner_id, id, status, currency, total_amount, element_count, metadata, items, version, created_at,
       updated_at)
     select 'other ' || n, gen_random_uuid(), 'pending', 'EUR', 0, 0, '{}', '[]', 1, now(), now()
     from generate_series(1, ${OTHER_OWNERS}) as n`,
  );
  await execute(database.url, 'vacuum analyze orders');
});

it('orders in removed statuses are looked for by the owners, not among all orders', async () => {
  const { lifecycle, initial, cancel } = ORDERS;
  const earlier = defineOrders({
    lifecycle: { ...lifecycle, delivered: ['cancelled', 'returned', 'lost'], returned: [], lost: [] },
    initial,
    cancel,
  });
  await untilFinished(openDatabase({ url: database.url, definition: earlier })).adoptDefinition();
  const statements = await sent(database.url, (server) => server.adoptDefinition());
  const counting = statements.filter(({ text }) => text.includes('recursive walk'));
  expect(counting).toHaveLength(1);
  for (const statement of counting) {
    const { read, scanned, buffers } = await costOf(database.url, statement, 1);
    expect(scanned.filter((table) => table === 'orders')).toEqual([]);
    // One entry of the index leads to each status of an owner: of five owners to all five. No order is in the removed ones.
    expect(read['orders']).toBeLessThanOrEqual(OTHER_OWNERS + 5 * 5 + 1);
    // The index is three pages deep here, and the row of an entry may not be visible to all.
    expect(buffers).toBeLessThan((OTHER_OWNERS + 5 * 5 + 1) * 5);
  }
});
