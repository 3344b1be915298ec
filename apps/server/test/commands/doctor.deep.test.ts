import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase, LOCK_ORDERS } from '../programs/server-on-database.ts';

it('the doctor names who holds a lock that others wait for, and exits with 1 until it is gone', async () => {
  const { url, execute, lock, waitingForLocks } = await aDatabase();
  const examine = async () => await run('cli.ts', { DATABASE_URL: url }, ['doctor']).finished;
  const release = await lock(LOCK_ORDERS);
  const waiting = execute('select count(*) from orders.orders');
  while ((await waitingForLocks()) === 0);
  // A wait counts after a second.
  let blocked = await examine();
  while (!blocked.stdout.includes('fail  locks')) blocked = await examine();
  expect(blocked.code).toBe(1);
  const [, pid] =
    /^fail {2}locks.* for orders\.orders, which process (\d+) \(orders, idle in transaction, for /m.exec(
      blocked.stdout,
    ) ?? [];
  expect(blocked.stdout).toContain(`end it: select pg_terminate_backend(${pid})`);
  await release();
  await waiting;
  const [free, { stdout: json }] = await Promise.all([
    examine(),
    run('cli.ts', { DATABASE_URL: url }, ['doctor', '--json']).finished,
  ]);
  expect(free).toMatchObject({ code: 0, stderr: '' });
  expect(free.stdout).toMatch(/^ok {4}locks +nothing waits for one$/m);
  expect(free.stdout).toMatch(/^ok {4}erasures +no person waits to be erased$/m);
  expect(JSON.parse(json)).toContainEqual({ state: 'ok', subject: 'locks', text: 'nothing waits for one' });

  // A person who has waited for an hour.
  await execute(`insert into orders.customers select 'shop', gen_random_uuid(), null, null, null, '{}', 2, t, t, t, 'repeated',
    now() - interval '50 min' - n * interval '20 min' from (values (0), (1)) as v (n), now() as t`);
  const late = await examine();
  expect(late.code).toBe(1);
  expect(late.stdout).toMatch(
    /^fail {2}erasures +2 persons are not erased yet, the first requested 42\d\d s ago\n +start/m,
  );
  await execute(`delete from orders.customers`);

  // What a role may not see or do is a finding, too.
  await execute('revoke insert on orders.orders from orders; revoke select on orders.schema_migrations from orders');
  const { code, stdout } = await examine();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^fail {2}schema +cannot be read: permission denied/m);
  expect(stdout).toMatch(
    /^fail {2}rights +the role may not read and write orders, schema_migrations$|^fail {2}rights +the role may not read and write schema_migrations, orders$/m,
  );
  expect(stdout).toContain('grant pg_read_all_stats to the role');
});
