import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aReceiver, subscribe } from '../programs/a-receiver.ts';
import { AN_ORDER, aDataDir, placeOrder, run, type RunningServer } from '../programs/running-server.ts';
import {
  aDatabase,
  FULL_DISK,
  LET_SUPERUSER_IN,
  startServerOn,
  superuserOf,
  type TestDatabase,
} from '../programs/server-on-database.ts';

const GUIDE = await readFile(join(import.meta.dirname, '../../../../docs/guides/troubleshoot.md'), 'utf8');

/** The commands of each section of the guide, by its heading. */
const COMMANDS = new Map(
  GUIDE.split(/^## /m)
    .map((section): [string, readonly string[]] => [
      section.split('\n')[0] ?? '',
      [...section.matchAll(/`pnpm orders ([^`]+)`/g)].map(([, command = '']) => command.replaceAll(/\s+/g, ' ')),
    ])
    .filter(([, commands]) => commands.length > 0),
);

const WEBHOOKS = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'runbook').toString('base64'),
};

/** A wait for what commands print, each of which takes a process. */
const EVERY_SECOND = { timeout: 90_000, interval: 1000 };

type Environment = Readonly<Record<string, string>>;

/** Runs the commands of the section of a drill as printed, with the values of its words in capitals, and returns their output. */
async function follow(heading: string, { url, apiKey }: TestDatabase, server: RunningServer, words: Environment = {}) {
  const outputs: string[] = [];
  for (const command of new Set(COMMANDS.get(heading))) {
    const environment = { DATABASE_URL: url, ORDERS_URL: server.url, ORDERS_API_KEY: apiKey };
    const args = command.split(' ').map((word) => words[word] ?? word);
    outputs.push((await run('cli.ts', environment, args).finished).stdout);
  }
  return outputs.join('');
}

/** The statement that the doctor advises, of those that begin with `select`. */
const adviceIn = (printed: string) => /(select pg_\w+\([^)]*\))/.exec(printed)?.[1] ?? '';

const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
const patch = async (server: RunningServer, id: string, note: string) => {
  const change = { method: 'PATCH', headers: MERGE_PATCH, body: `{"note":"${note}"}` };
  return (await server.request(`/v1/orders/${id}`, change)).status;
};
const place = async (server: RunningServer) =>
  (await server.request('/v1/orders', { method: 'POST', body: AN_ORDER })).status;

/** What each section is about, until what the section says has ended it. */
const DRILLS: Readonly<Record<string, (heading: string) => Promise<void>>> = {
  'The disk of the database is full': async (heading) => {
    const dataDir = await aDataDir();
    await appendFile(join(dataDir, 'pg_hba.conf'), LET_SUPERUSER_IN);
    const database = await aDatabase(dataDir);
    const server = await startServerOn(database);
    const id = await placeOrder(server);
    expect(await patch(server, id, 'second version')).toBe(200);
    await database.execute(`insert into orders.idempotency select 'o', n::text, 'f', 'order', gen_random_uuid(), 1,
      now() + interval '1 day' from generate_series(1, 10000) as n`);
    await database.execute('analyze orders.idempotency');
    const superuser = superuserOf(database.url);
    onTestFinished(() => superuser.close());
    const em = (await superuser.orm.load()).mikroOrm.em.fork();
    await em.execute(`select pg_create_physical_replication_slot('of_a_replica', true)`);
    await database.execute(FULL_DISK);
    expect([await place(server), (await server.request('/v1/orders')).status]).toEqual([503, 200]);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);

    const printed = await follow(heading, database, server);
    expect(printed).toMatch(/size +idempotency: \d+ MiB, \d+ rows, purged after IDEMPOTENCY_TTL_HOURS$/m);
    expect(printed).toContain('the slot of_a_replica has no reader');
    await em.execute(adviceIn(printed));
    expect(await follow(heading, database, server)).not.toContain('of_a_replica');
    await database.execute('drop trigger full_disk on orders.orders');
    expect(await place(server)).toBe(201);

    await server.stop();
    await database.execute(`update orders.changes set occurred_at = now() - interval '2 days'`);
    await startServerOn(database, { EVENT_RETENTION_DAYS: '1', HISTORY_RETENTION_DAYS: '1' });
    const rows = async () => (await database.execute('select from orders.changes')).length;
    await vi.waitUntil(async () => (await rows()) < 3);
  },

  'Requests fail with 5xx, or are slow': async (heading) => {
    const database = await aDatabase();
    const server = await startServerOn(database, { METRICS_PORT: '0' });
    await database.execute(FULL_DISK);
    expect(await place(server)).toBe(503);
    const { value } = await scrape(server);
    expect(value('orders_use_case_duration_seconds_count', { use_case: 'placeOrder', outcome: 'unavailable' })).toBe(1);
    expect(value('orders_database_failures_total', { reason: 'disk_full' })).toBe(1);
    expect(await follow(heading, database, server)).toContain('ok    schema');
  },

  'Webhooks are late, or not delivered': async (heading) => {
    const [database, receiver] = [await aDatabase(), await aReceiver()];
    const server = await startServerOn(database, WEBHOOKS);
    const { id: ID, path } = await subscribe(server, receiver);
    receiver.state.rejects = true;
    await vi.waitFor(async () => {
      // An endpoint that fails gets few at a time, and the others wait for it.
      await placeOrder(server);
      const printed = await follow(heading, database, server, { ID });
      expect(printed).toMatch(/ok +webhooks +0 deliveries wait for a worker, .*; [1-9]\d* for their endpoints$/m);
      expect(printed).toMatch(/ order\.placed +pending +\d+ +500 /);
    }, EVERY_SECOND);

    await server.stop();
    receiver.state.rejects = false;
    const api = await startServerOn(database, { ...WEBHOOKS, WEBHOOKS: 'api' });
    await api.request(path, { method: 'PATCH', headers: MERGE_PATCH, body: '{"status":"enabled"}' });
    // Ten minutes later.
    await database.execute(`update orders.webhook_deliveries set due_at = due_at - interval '10 min';
      update orders.webhook_queues set fresh_claimed_to = fresh_claimed_to - interval '10 min',
        retries_claimed_to = retries_claimed_to - interval '10 min'`);
    const printed = await follow(heading, database, api, { ID });
    const [, command = ''] =
      /fail +webhooks +\d+ deliveries wait for a worker.*\n.* or: orders (\w+)$/m.exec(printed) ?? [];
    const worker = run('cli.ts', { ...WEBHOOKS, DATABASE_URL: database.url }, [command]);
    await vi.waitFor(async () => {
      const after = await follow(heading, database, api, { ID });
      expect(after).toMatch(/ok +webhooks +0 deliveries wait for a worker/);
      expect(after).not.toContain(' pending ');
    }, EVERY_SECOND);
    worker.process.kill('SIGTERM');
    await worker.finished;
  },

  'Owners are passed over': async (heading) => {
    const database = await aDatabase();
    const server = await startServerOn(database);
    const body = '{"email":"ada@example.com"}';
    const customer = await (await server.request('/v1/customers', { method: 'POST', body })).text();
    const [, customerId = ''] = /"id":"([^"]+)"/.exec(customer) ?? [];
    const order = JSON.stringify({ ...JSON.parse(AN_ORDER), customer_id: customerId, note: 'Ada' });
    await server.request('/v1/orders', { method: 'POST', body: order });
    const unlock = await database.lock('select from orders.orders for update');
    const erasure = `/v1/customers/${customerId}`;
    await server.request(`${erasure}/erasures`, { method: 'POST' });
    await server.says(/"step":"erase","owner":"shop".*"msg":"an owner was passed over/);
    // The doctor sees it while the step waits for its lock, and when it has been open for a minute.
    let printed = '';
    await vi.waitUntil(async () => adviceIn((printed = await follow(heading, database, server))) !== '', EVERY_SECOND);
    await database.execute(adviceIn(printed));
    await vi.waitUntil(async () => (await (await server.request(erasure)).text()).includes('"status":"done"'));
    await unlock().catch(() => undefined);
  },

  'One owner gets 503 and the others do not': async (heading) => {
    const database = await aDatabase();
    const server = await startServerOn(database);
    const id = await placeOrder(server);
    const unlock = await database.lock('select from orders.orders for update');
    expect(await patch(server, id, 'refused')).toBe(503);
    expect(server.output()).toContain('55P03');
    expect((await server.request('/v1/orders')).status).toBe(200);
    let printed = '';
    while (!printed.includes('end it: ')) {
      const waiting = patch(server, id, 'refused');
      printed = await follow(heading, database, server);
      await waiting;
    }
    await database.execute(adviceIn(printed));
    expect(await patch(server, id, 'accepted')).toBe(200);
    await unlock().catch(() => undefined);
  },

  'A key has leaked': async (heading) => {
    const database = await aDatabase();
    const server = await startServerOn(database);
    const id = await placeOrder(server);
    const [key] = await database.execute('select prefix from orders.api_keys');
    const PREFIX = String(key?.['prefix']);
    await follow(heading, database, server, { PREFIX });
    await vi.waitUntil(async () => (await server.request('/v1/orders')).status === 401);
    const [, column, actor] = /`(\w+)` is\s+`(\S+)`/.exec(GUIDE.split(`## ${heading}`)[1] ?? '') ?? [];
    const changes = `select aggregate_id from orders.changes where ${column} = '${actor?.replace('PREFIX', PREFIX)}'`;
    expect(await database.execute(changes)).toEqual([{ aggregate_id: id }]);
  },
};

it.each([...COMMANDS.keys()])('the runbook ends what its section is about: %s', async (heading) => {
  expect(DRILLS).toHaveProperty([heading]);
  await DRILLS[heading]?.(heading);
});
