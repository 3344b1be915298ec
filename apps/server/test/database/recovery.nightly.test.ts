import { execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { AN_ORDER, aDataDir, aFolder, run, type RunningServer, startServer } from '../programs/running-server.ts';
import { issueKey } from '../programs/server-on-database.ts';

const WEBHOOKS = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'key').toString('base64'),
};
const Placed = z.object({ id: z.string() });
const Feed = z.object({ page: z.object({ next_cursor: z.string() }) });

function superuserOf(url: string) {
  return openDatabase({ url: Object.assign(new URL(url), { username: 'postgres', pathname: '/postgres' }).href });
}

/** Copies the files of a running PostgreSQL, as pg_basebackup does, and prepares them to replay the archived log. */
async function backUp(url: string, dataDir: string, archive: string): Promise<string> {
  const copy = join(await aFolder(), 'data');
  const admin = superuserOf(url);
  const session = (await admin.orm.load()).mikroOrm.em.fork();
  await session.begin();
  await session.execute('set local idle_in_transaction_session_timeout = 0');
  await session.execute(`select pg_backup_start('drill', true)`);
  execFileSync('cp', ['-a', dataDir, copy]);
  const [label] = await session.execute<{ labelfile: string }[]>('select labelfile from pg_backup_stop()');
  await session.commit();
  await admin.close();
  const { uid, gid } = await stat(copy);
  for (const [name, content] of Object.entries({ backup_label: label?.labelfile ?? '', 'recovery.signal': '' })) {
    await writeFile(join(copy, name), content);
    await chown(join(copy, name), uid, gid);
  }
  await appendFile(join(copy, 'postgresql.conf'), `\nrestore_command = 'cp ${archive}/%f %p'\n`);
  for (const file of ['postmaster.pid', 'server.lock']) await rm(join(copy, file), { force: true });
  return copy;
}

it('a recovery to the end of the archive loses the newest writes alone, and sends nothing', async () => {
  const [archive, dataDir, receiver] = [await aFolder(), await aDataDir(), await aReceiver()];
  // PostgreSQL may run as another account.
  await chmod(archive, 0o777);
  await appendFile(join(dataDir, 'pg_hba.conf'), 'host all postgres 127.0.0.1/32 trust\n');
  const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
  const original = await startEmbeddedPostgres({ dataDir, settings });
  const database = openDatabase({ url: original.url });
  const apiKey = await issueKey(postgresApiKeys(database), 'shop');
  const server = await startServer({ ...WEBHOOKS, DATABASE_URL: original.url }, apiKey);
  const { path } = await subscribe(server, receiver);
  const place = async (on: RunningServer, key: string) => {
    const headers = { 'Idempotency-Key': key };
    const response = await on.request('/v1/orders', { method: 'POST', body: AN_ORDER, headers });
    return Placed.parse(await response.json()).id;
  };
  const ids = [await place(server, 'before-the-backup')];
  const copy = await backUp(original.url, dataDir, archive);
  ids.push(await place(server, 'archived'));
  const superuser = superuserOf(original.url);
  const em = (await superuser.orm.load()).mikroOrm.em.fork();
  const [segment] = await em.execute<{ wal: string }[]>('select pg_walfile_name(pg_switch_wal()) as wal');
  await vi.waitUntil(async () => {
    const [archiver] = await em.execute<{ wal: string | null }[]>(
      'select last_archived_wal as wal from pg_stat_archiver',
    );
    return (archiver?.wal ?? '') >= (segment?.wal ?? '');
  });
  await superuser.close();
  ids.push(await place(server, 'lost'));
  const feed = Feed.parse(await (await server.request('/v1/events')).json());
  await vi.waitUntil(() => receiver.received.length === 3);
  await database.close();
  const postmaster = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(postmaster, 'SIGKILL');
  await original.ended.catch(() => undefined);
  await server.kill();
  receiver.received.length = 0;

  const restored = await startEmbeddedPostgres({ dataDir: copy });
  onTestFinished(() => restored.stop());
  const environment = { ...WEBHOOKS, DATABASE_URL: restored.url };
  expect((await run('cli.ts', environment, ['quiet']).finished).code).toBe(0);
  const again = await startServer({ ...environment, METRICS_PORT: '0' }, apiKey);
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  const found = await Promise.all(ids.map(async (id) => (await again.request(`/v1/orders/${id}`)).status));
  expect(found).toEqual([200, 200, 404]);
  // A client that retries what was kept gets it again; what was lost is a new order.
  expect(await place(again, 'archived')).toBe(ids[1]);
  expect(ids).not.toContain(await place(again, 'lost'));
  const after = await again.request(`/v1/events?after=${encodeURIComponent(feed.page.next_cursor)}`);
  expect([after.status, await after.text()]).toEqual([410, expect.stringContaining('feed_reset')]);
  // A delivery of the new order waits, and is not sent.
  await vi.waitUntil(async () => {
    const pending = await (await again.request(`${path}/deliveries?status=pending`)).text();
    return pending.includes('event_id') && (await scrape(again)).value('orders_webhook_quiet') === 1;
  });
  expect(receiver.received).toEqual([]);
});
