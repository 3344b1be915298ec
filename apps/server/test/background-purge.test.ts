import { expect, it, vi } from 'vitest';
import { aDatabase, startServerOn } from './server-on-database.ts';

it('a server deletes events older than OUTBOX_RETENTION_DAYS, and expired idempotency keys', async () => {
  const database = await aDatabase();
  const { execute } = database;
  for (const [n, days] of [1, 5, 9].entries()) {
    await execute(`insert into outbox values ('o', gen_random_uuid(), 'order.placed',
      '00000000-0000-7000-8000-00000000000${n}', 1, '[]', now() - interval '${days} days')`);
  }
  for (const [key, hours] of Object.entries({ over: -1, good: 1 })) {
    await execute(`insert into once values ('o', '${key}', 'f', gen_random_uuid(), '{"format":1,"aggregate":null}',
      now(), now() + interval '${hours} hours')`);
  }
  await startServerOn(database, { OUTBOX_RETENTION_DAYS: '6' });
  await vi.waitFor(async () => {
    expect(await execute('select aggregate_id from outbox order by occurred_at')).toEqual([
      { aggregate_id: '00000000-0000-7000-8000-000000000001' },
      { aggregate_id: '00000000-0000-7000-8000-000000000000' },
    ]);
    expect(await execute('select key from once')).toEqual([{ key: 'good' }]);
  }, 20_000);
});
