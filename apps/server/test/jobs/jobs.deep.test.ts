import { expect, it, vi } from 'vitest';
import { placeOrder, run } from '../programs/running-server.ts';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

const ORDER = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;

it('a server purges by the retention times of its environment', async () => {
  const database = await aDatabase();
  const { execute } = database;
  const change = (id: string, version: number, type: string, days: number) =>
    execute(`insert into orders.changes values ('o', 'order', '${id}', ${version}, gen_random_uuid(), '${type}', '[]',
      now() - interval '${days} days', null, ${type === 'order.deleted' ? 'null' : `'{}'`}, 1, null)`);
  // One deletion on either side of the history, and a version on either side.
  for (const [n, days] of [5, 9].entries()) await change(ORDER(n), 1, 'order.deleted', days);
  for (const [version, days] of [20, 9, 5, 1].entries()) await change(ORDER(2), version + 1, 'order.updated', days);
  for (const [key, hours] of Object.entries({ over: -1, good: 1 })) {
    await execute(`insert into orders.idempotency values ('o', '${key}', 'f', 'order', gen_random_uuid(), 1,
      now() + interval '${hours} hours')`);
  }
  const remaining =
    'select right(aggregate_id::text, 1) as id, version from orders.changes order by aggregate_id, version';
  await startServerOn(database, { EVENT_RETENTION_DAYS: '6', HISTORY_RETENTION_DAYS: '8' });
  await vi.waitFor(async () => {
    expect(await execute('select key from orders.idempotency')).toEqual([{ key: 'good' }]);
    expect(await execute(remaining)).toEqual([
      { id: '0', version: 1 },
      { id: '2', version: 2 },
      { id: '2', version: 3 },
      { id: '2', version: 4 },
    ]);
  });
  await startServerOn(database, { EVENT_RETENTION_DAYS: '4' });
  await vi.waitFor(async () => {
    expect(await execute(remaining)).toEqual([2, 3, 4].map((version) => ({ id: '2', version })));
  });
});

it('a server gives positions to the events of an owner with many new ones', async () => {
  const database = await aDatabase();
  await database.execute(
    `insert into orders.changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select 'o', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]', now(), 1
     from generate_series(1, 1500)`,
  );
  await startServerOn(database);
  const last = 'select owner_id, max(position) as last from orders.changes group by owner_id';
  await expect.poll(() => database.execute(last)).toEqual([{ owner_id: 'o', last: '1500' }]);
});

it('a server records which keys were used, at the latest when it stops', async () => {
  const database = await aDatabase();
  const server = await startServerOn(database);
  await placeOrder(server);
  await server.stop();
  const used = 'select owner_id from orders.api_keys where last_used_at is not null';
  expect(await database.execute(used)).toEqual([{ owner_id: 'shop' }]);
});

it('a server counts the orders of all owners, and a command counts them again', async () => {
  const database = await aDatabase();
  const server = await startServerOn(database);
  await placeOrder(server);
  // Sums of a quarter, an hour and a day.
  const counted = 'select distinct status, orders from orders.order_statistics';
  await expect.poll(() => database.execute(counted)).toEqual([{ status: 'placed', orders: '1' }]);
  await database.execute('update orders.order_statistics set orders = 9');
  const rebuilt = await run('cli.ts', { DATABASE_URL: database.url }, ['statistics', 'rebuild']).finished;
  expect(rebuilt).toMatchObject({ code: 0, stdout: '1 owner was counted again.\n' });
  const { stdout } = await run('cli.ts', { ORDERS_URL: server.url, ORDERS_API_KEY: database.apiKey }, ['stats'])
    .finished;
  expect(stdout).toMatch(/^START +STATUS +ORDERS +TOTAL\n\S+T00:00:00Z +placed +1 +25\.98 EUR\n$/);
});

it('a server finishes the erasures that another one has left', async () => {
  const database = await aDatabase();
  const server = await startServerOn(database);
  await server.request('/v1/customers', { method: 'POST', body: '{"email":"ada@example.com"}' });
  await database.execute(
    `update orders.customers set email = null, email_key = null, erased_at = now(), erasure = 'pending', erasure_requested_at = now()`,
  );
  await expect.poll(() => database.execute('select erasure from orders.customers')).toEqual([{ erasure: 'done' }]);
});
