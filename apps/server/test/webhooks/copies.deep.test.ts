import { openDatabase } from '@orders/persistence';
import { expect, it, onTestFinished, vi } from 'vitest';
import { scrape } from '../instrumentation/scraped-metrics.ts';
import { aReceiver, type Receiver, subscribe } from '../programs/a-receiver.ts';
import { placeOrder, run, type RunningServer } from '../programs/running-server.ts';
import { aDatabase, startServerOn, type TestDatabase } from '../programs/server-on-database.ts';

const ENVIRONMENT = {
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'key').toString('base64'),
  METRICS_PORT: '0',
};

async function orders({ url }: TestDatabase, ...args: readonly string[]): Promise<string> {
  const { METRICS_PORT: _port, ...environment } = ENVIRONMENT;
  const { code, stdout, stderr } = await run('cli.ts', { ...environment, DATABASE_URL: url }, args).finished;
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

/** Returns a copy of a database without servers: the rows of a dump that is restored beside it. */
async function copyOf(database: TestDatabase, name: string): Promise<TestDatabase> {
  const admin = openDatabase({ url: Object.assign(new URL(database.url), { pathname: '/postgres' }).href });
  onTestFinished(() => admin.close());
  const em = (await admin.orm.load()).mikroOrm.em.fork();
  await em.execute(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'orders'`);
  await em.execute(`create database ${name} template orders`);
  return { ...database, url: Object.assign(new URL(database.url), { pathname: `/${name}` }).href };
}

/** Returns a database that has sent a webhook, with two more that are due once the receiver is there again. */
async function aShop() {
  const [receiver, database] = [await aReceiver(), await aDatabase()];
  const server = await startServerOn(database, ENVIRONMENT);
  const { path } = await subscribe(server, receiver);
  const sent = await placeOrder(server);
  await vi.waitUntil(() => receiver.received.length === 1);
  receiver.state.hangs = true;
  const due = [await placeOrder(server), await placeOrder(server)];
  await vi.waitUntil(() => receiver.received.length === 3);
  await server.stop();
  for (const response of receiver.kept) response.destroy();
  receiver.state.hangs = false;
  receiver.received.length = 0;
  return { receiver, database, path, sent, due };
}

const idsIn = ({ received }: Receiver) =>
  received.map(({ body }) => /"type":"order","id":"([^"]+)"/.exec(body)?.[1] ?? body);

/** Makes every retry due, for which no test waits. */
const MAKE_DUE = `update orders.webhook_deliveries set due_at = now(), leased_until = null where due_at is not null`;
const CLEAR_FAILURES = `update orders.webhook_queues set failing = 0, fresh_after = null, in_flight = null, full_until = null`;

async function quiet(server: Pick<RunningServer, 'says'>): Promise<number | undefined> {
  return (await scrape(server)).value('orders_webhook_quiet');
}

it('a restored copy sends nothing until it is adopted, and then nothing from before a time', async () => {
  const { receiver, database, path, due } = await aShop();
  await database.execute(MAKE_DUE);
  await database.execute(CLEAR_FAILURES);
  const restored = await copyOf(database, 'restored');
  const copy = await startServerOn(restored, ENVIRONMENT);
  const worker = run('cli.ts', { ...ENVIRONMENT, DATABASE_URL: restored.url }, ['webhooks']);
  for (const program of [copy, worker]) await vi.waitUntil(async () => (await quiet(program)) === 1);
  const before = new Date().toISOString();
  const added = await placeOrder(copy);
  const tested = await copy.request(`${path}/tests`, { method: 'POST' });
  expect(await tested.json()).toMatchObject({ status: null, error: 'interrupted' });
  const idsOf = async (status: string) => {
    const page = await (await copy.request(`${path}/deliveries?status=${status}`)).text();
    return [...page.matchAll(/"event_id":"([^"]+)"/g)].map(([, id]) => id);
  };
  // Those of the dump, and that of the order, whose event is turned into one.
  await vi.waitUntil(async () => (await idsOf('pending')).length === 3);
  const body = JSON.stringify({ event_id: (await idsOf('delivered'))[0] });
  expect((await copy.request(`${path}/deliveries`, { method: 'POST', body })).status).toBe(202);
  expect((await fetch(`${copy.url}/readyz`)).status).toBe(200);
  expect(copy.output().split('this database is a copy').length).toBe(2);

  // The original sends at once what is due, and so would the copy.
  const original = await startServerOn(database, ENVIRONMENT);
  await vi.waitUntil(() => receiver.received.length >= 2);
  expect(idsIn(receiver).toSorted()).toEqual(due.toSorted());
  expect(await quiet(original)).toBe(0);
  receiver.received.length = 0;

  expect(await orders(restored, 'adopt', '--discard-before', before)).toContain('3 deliveries were discarded');
  await vi.waitUntil(() => receiver.received.length > 0);
  for (const program of [copy, worker]) await vi.waitUntil(async () => (await quiet(program)) === 0);
  expect(idsIn(receiver)).toEqual([added]);
  worker.process.kill('SIGTERM');
  await worker.finished;
});

it('a planned move sends at once, and a database that was made quiet does not', async () => {
  const { receiver, database, due } = await aShop();
  await database.execute(MAKE_DUE);
  await database.execute(CLEAR_FAILURES);
  await orders(database, 'adopt', '--next');
  const moved = await startServerOn(await copyOf(database, 'moved'), ENVIRONMENT);
  await vi.waitUntil(() => receiver.received.length >= 2);
  expect(idsIn(receiver).toSorted()).toEqual(due.toSorted());
  expect(await quiet(moved)).toBe(0);

  await orders(database, 'quiet');
  const second = await startServerOn(await copyOf(database, 'second'), ENVIRONMENT);
  await vi.waitUntil(async () => (await quiet(second)) === 1);
  const original = await startServerOn(database, ENVIRONMENT);
  await vi.waitUntil(async () => (await quiet(original)) === 1);
  expect(receiver.received).toHaveLength(2);
});
