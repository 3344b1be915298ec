import { createDomain } from '@orders/domain/runtime';
import { countStatistics, postgresOwners, postgresOwnerSettings, postgresStore } from '@orders/persistence';
import { expect, it } from 'vitest';
import { newNumbering } from '../../src/events/numbering.ts';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { countAll } from '../statistics/count-all.ts';

const database = testDatabase();
const item = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 300, currency: 'EUR' } };
const OWNERS = ['a', 'b', 'c'];

it('owners are listed page by page with their events, orders and settings, and without those of a failed node', async () => {
  const domain = createDomain(postgresStore(database.current));
  for (const owner of OWNERS) {
    const { order } = (await domain.placeOrder(owner, { items: [item] }))._unsafeUnwrap();
    if (owner === 'a') (await domain.cancelOrder(owner, order.id, {}))._unsafeUnwrap();
    // The last event of `c` has no position yet, and its orders are not counted.
    if (owner !== 'c') await newNumbering(database.current).run(owner);
    if (owner !== 'c') await countAll(countStatistics(database.current), owner);
  }
  const by = { actor: 'command:ada', reason: null };
  const at = '2026-01-01T00:00:00.000Z';
  const limits = { read: 7, write: null, batch: null };
  const settings = postgresOwnerSettings(database.current);
  (await settings.change('b', { suspended: true, rate_limits: limits }, at, by))._unsafeUnwrap();
  (await settings.change('without events', { suspended: true }, at, by))._unsafeUnwrap();

  const directory = postgresOwners(database.current);
  const first = (await directory.list(null, 2))._unsafeUnwrap();
  const second = (await directory.list(first.next, 2))._unsafeUnwrap();
  expect([first.next, second.next, first.is_complete && second.is_complete]).toEqual(['b', null, true]);
  const found = [...first.owners, ...second.owners];
  const placed = { status: 'placed', orders: 1 };
  expect(
    found.map(({ owner, suspended_at, rate_limits, orders }) => [owner, suspended_at, rate_limits, orders]),
  ).toEqual([
    ['a', null, null, { since: null, by_status: [{ status: 'cancelled', orders: 1 }, placed] }],
    ['b', at, limits, { since: null, by_status: [placed] }],
    ['c', null, null, null],
  ]);
  const [a, b, c] = found;
  expect(a?.first_event_at?.localeCompare(a.last_event_at ?? '')).toBe(-1);
  for (const each of [b, c]) expect(each?.first_event_at).toBe(each?.last_event_at ?? 'none');
  const set = (await directory.listSet(null, 10))._unsafeUnwrap();
  expect(set.owners[0]).toEqual(b);
  expect(set.owners[1]).toMatchObject({ owner: 'without events', first_event_at: null, last_event_at: null });

  await execute(
    database.url,
    `create function failed() returns boolean language plpgsql as $$ begin
       raise exception 'connection to the remote node localhost:1 failed' using errcode = 'XX000'; end $$;
     alter table order_statistics enable row level security, force row level security;
     create policy failing on order_statistics using (owner_id <> 'b' or failed())`,
  );
  const { owners, is_complete } = (await directory.describe(OWNERS))._unsafeUnwrap();
  expect(is_complete).toBe(false);
  // Each further one may wait for the node.
  expect(owners).toEqual([
    a,
    ...[b, c].map((each) => ({ ...each, first_event_at: null, last_event_at: null, orders: null })),
  ]);
});
