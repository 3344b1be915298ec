import { createDomain, defineOrders, type OrderDefinition, ORDERS, untyped } from '@orders/domain';
import { systemClock, uuidv7Ids } from '@orders/domain/runtime';
import { openDatabase, postgresStore, rebuildLookups } from '@orders/persistence';
import { ok } from 'neverthrow';
import { expect, it } from 'vitest';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();
const items = [{ sku: 'a', name: 'A', quantity: 1, unit_price: { amount: 100, currency: 'EUR' } }];

/** Opens a server with one connection, so that the counts of its statements are those of the session. */
function serverOf(definition: OrderDefinition) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const opened = untilFinished(openDatabase({ url: database.url, definition, poolMax: 1, warn }));
  const { orders, customers } = postgresStore(opened);
  const domain = untyped(createDomain({ orders, customers, clock: systemClock, ids: uuidv7Ids() }, definition));
  return { database: opened, domain, warnings };
}

it('a write that changes no lookup runs no statement about them, and one that does writes what differs', async () => {
  const { database: opened, domain } = serverOf(ORDERS);
  const counts = async () => {
    const text = `select seq_scan + coalesce(idx_scan, 0) as read, n_tup_ins as added, n_tup_del as removed
      from pg_stat_user_tables where schemaname = 'orders' and relname = 'order_lookups'`;
    await opened.primary.run('select pg_stat_force_next_flush()');
    const { rows } = await opened.primary.pool.query<Record<string, string>>(text);
    return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]));
  };
  const { order } = (await domain.placeOrder('owner', { items }))._unsafeUnwrap();
  await domain.placeOrders('owner', [{ order: { items } }, { order: { items } }]);
  await domain.changeOrder('owner', order.id, { note: 'x', metadata: { a: 'b' }, buyer: { name: 'Ada' } });
  await domain.adjustOrder('owner', order.id, {
    adjustments: [{ type: 'fee', name: 'F', amount: { amount: 1, currency: 'EUR' } }],
  });
  await domain.cancelOrder('owner', order.id);
  expect(await counts()).toEqual({ read: 0, added: 0, removed: 0 });
  const change = async (external_ids: object) => await domain.changeOrder('owner', order.id, { external_ids });
  await change({ shop: ['1', '2', '3'] });
  expect(await counts()).toMatchObject({ added: 3, removed: 0 });
  const { read } = await counts();
  await change({ shop: ['3', '2', '1'] });
  await domain.changeOrder('owner', order.id, { note: 'y' });
  expect(await counts()).toMatchObject({ read, added: 3, removed: 0 });
  await change({ shop: ['3', '4'] });
  expect(await counts()).toMatchObject({ added: 4, removed: 2 });
});

it('orders of an earlier definition are found once they are rebuilt, but for what is wrong, which is warned of once', async () => {
  const lifecycle = { open: [] } as const;
  const cars = {
    lifecycle,
    initial: 'open',
    cancel: 'open',
    custom: { parse: (input: unknown) => ok(input), schema: {} },
  } as const;
  const earlier = serverOf(defineOrders(cars));
  for (const custom of ['W1', 7, 8]) (await earlier.domain.placeOrder('garage', { items, custom }))._unsafeUnwrap();
  const later = serverOf(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a faulty definition in JavaScript returns it
    defineOrders({ ...cars, lookups: { vin: (custom) => custom as string } }),
  );
  const found = async () =>
    (await later.domain.listOrders('garage', { lookup: 'own.vin:W1' }))._unsafeUnwrap().data.length;
  expect(await found()).toBe(0);
  expect([await rebuildLookups(later.database, 'garage'), await rebuildLookups(later.database, 'garage')]).toEqual([
    1, 0,
  ]);
  expect(await found()).toBe(1);
  expect(later.warnings).toEqual([
    expect.stringMatching(/is not found by all of its custom data, which must .* of the lookup vin$/),
  ]);
});
