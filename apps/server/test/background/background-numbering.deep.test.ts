import { expect, it, vi } from 'vitest';
import { aDatabase, startServerOn } from '../programs/server-on-database.ts';

it('a server gives positions to the events of an owner with many new ones', async () => {
  const database = await aDatabase();
  const { execute } = database;
  await execute(
    `insert into orders.changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format)
     select 'o', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]', now(), 1
     from generate_series(1, 1500)`,
  );
  await startServerOn(database, {});
  await vi.waitFor(async () => {
    expect(await execute('select owner_id, max(position) as last from orders.changes group by owner_id')).toEqual([
      { owner_id: 'o', last: '1500' },
    ]);
  });
});
