import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { expect, it } from 'vitest';
import { run } from '../programs/running-server.ts';
import { aDatabase } from '../programs/server-on-database.ts';

it('pnpm orders lists the deliveries of all owners, and sends those again that failed', async () => {
  const { url, execute } = await aDatabase();
  const orders = (...args: readonly string[]) => run('cli.ts', { DATABASE_URL: url }, args).finished;
  expect((await orders('deliveries')).stdout).toBe('No deliveries match.\n');
  expect((await orders('jobs')).stdout).toBe('There are no jobs.\n');
  const id = randomUUID();
  const events = `generate_series(1, 3) as n, (values ('shop'), ('other')) as o (owner)`;
  await execute(
    `insert into orders.webhook_endpoints
     select owner, '${id}', 'https://example.com/a', null, '[]', null, 'enabled', null, '[]', 0, 1, 1, now(), now()
     from (values ('shop'), ('other')) as o (owner);
     insert into orders.feeds select owner, 0, null from (values ('shop'), ('other')) as o (owner);
     insert into orders.changes (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
     select owner, 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]', timestamptz '2026-01-01Z' + n * interval '1 hour', 1, n
     from ${events};
     insert into orders.webhook_deliveries
     select owner_id, '${id}', position, event_id, type, aggregate, aggregate_id, 1, 'failed', 8, false, false, null, null, 8, occurred_at, 500, null, 1
     from orders.changes`,
  );
  const listed = await orders(
    'deliveries',
    '--owner',
    'shop',
    '--status',
    'failed',
    '--from',
    '2026-01-01T02:00:00Z',
    '--json',
  );
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { owner: 'shop', position: 3 },
    { owner: 'shop', position: 2 },
  ]);
  const limited = await orders('deliveries', '--limit', '2');
  expect(limited.stdout).toMatch(
    /^OWNER +OCCURRED +STATUS +TRIES +LAST +TYPE +ENDPOINT +EVENT\nother +2026-01-01T03:00:00\.000Z +failed +8 +500 /,
  );
  expect(limited.stderr).toContain('looked at 1 of 2 owners');
  const hours = ['--from', '2026-01-01T01:30:00Z', '--before', '2026-01-01T03:30:00+01:00'];
  expect((await orders('redeliver', ...hours, '--dry-run')).stdout).toBe('2 deliveries match.\n');
  expect((await orders('redeliver', ...hours)).stderr).toContain('--yes: is required');
  const faulty = await orders('redeliver', '--status', 'delivered', '--endpoint', '1', '--yes');
  expect(faulty.stderr).toMatch(/--endpoint: must be a UUID\n.*--from: is required.*\n.*--before: is required/);
  const sent = await orders('redeliver', ...hours, '--yes', '--reason', 'an outage');
  expect(sent.stdout).toMatch(/^2 of 2 deliveries are sent again by the job [0-9a-f-]{36}\n$/);
  const pending = await execute(
    `select owner_id, position from orders.webhook_deliveries where status = 'pending' order by 1`,
  );
  expect(pending).toMatchObject([{ owner_id: 'other' }, { owner_id: 'shop' }]);
  const { stdout } = await orders('jobs', '--json');
  expect(JSON.parse(stdout)).toMatchObject([
    { status: 'done', taken: 2, actor: `command:${userInfo().username}`, reason: 'an outage' },
    { status: 'counted', matched: 2 },
  ]);
  const counted = [...stdout.matchAll(/^    "id": "([^"]+)"/gm)][1]?.[1] ?? '';
  expect((await orders('jobs', 'cancel', counted)).stdout).toBe('the job is cancelled\n');
  expect((await orders('jobs', 'start', randomUUID())).stderr).toContain('no job has the id');
});
