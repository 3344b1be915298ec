import { openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, vi } from 'vitest';
import { aDataDir, startServer } from './running-server.ts';

it('a server removes the events that are older than OUTBOX_RETENTION_DAYS, and the keys that are over', async () => {
  const postgres = await startEmbeddedPostgres({ dataDir: await aDataDir() });
  const database = openDatabase({ url: postgres.url });
  const execute = (statement: string) => database.orm.em.fork().execute(statement);
  const left = async () => [
    await execute('select aggregate_id from outbox order by occurred_at'),
    await execute('select key from once'),
  ];
  try {
    for (const [n, days] of [1, 5, 9].entries()) {
      await execute(`insert into outbox values ('o', gen_random_uuid(), 'order.placed',
        '00000000-0000-7000-8000-00000000000${n}', 1, '[]', now() - interval '${days} days')`);
    }
    for (const [key, hours] of [
      ['over', -1],
      ['good', 1],
    ] as const) {
      await execute(`insert into once values ('o', '${key}', 'f', gen_random_uuid(), '{"format":1,"aggregate":null}',
        now(), now() + interval '${hours} hours')`);
    }
    const server = await startServer({ DATABASE_URL: postgres.url, OUTBOX_RETENTION_DAYS: '6' });
    await vi.waitFor(async () => {
      expect(await left()).toEqual([
        [
          { aggregate_id: '00000000-0000-7000-8000-000000000001' },
          { aggregate_id: '00000000-0000-7000-8000-000000000000' },
        ],
        [{ key: 'good' }],
      ]);
    }, 20_000);
    expect((await server.stop()).code).toBe(0);
  } finally {
    await database.close();
    await postgres.stop();
  }
});
