import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, issueKeys, UNLIMITED } from '@orders/system-under-test';
import { type Bench, type BenchPostgres, startBenchPostgres } from './bench.ts';
import { BATCH_SIZE } from './cases/cases.ts';
import { describeRun } from './describe-run.ts';
import { placeOrders } from './load/place-orders.ts';
import { figure, formatReport, median, ratioRow, type Section } from './report.ts';
import { both, measure } from './subject.ts';
import { byRound, inTurns } from './turns.ts';
import { startReceiver } from './webhooks/receiver.ts';
import { newReceivers, SENDING } from './webhooks/webhook-owners.ts';

const PLANS = { full: { rounds: 3, orders: 2000 }, quick: { rounds: 1, orders: 800 } };

/** The limit of the cost of an order in a batch as a share of that of an order with a key. */
const AT_MOST = 0.4;

/** The tables that grow with orders: what has a row, what deletes it, and its `kind` in `orders_purged_rows_total`. */
const TABLES = [
  ['orders', 'an order', 'a client deletes it', ''],
  ['changes', 'a version', '`HISTORY_RETENTION_DAYS`; with 0, as its order', '`changes`'],
  ['idempotency', 'a write with a key', '`IDEMPOTENCY_TTL_HOURS`', '`idempotency_keys`'],
  ['webhook_deliveries', 'an event for an endpoint', '`EVENT_RETENTION_DAYS`', '`deliveries`'],
] as const;

/** Measures what an order costs the server and PostgreSQL, alone and in a batch, and how much room it takes. */
export async function measureCapacity(bench: Bench): Promise<string> {
  const { rounds, orders } = PLANS[bench.length];
  const postgres = await startBenchPostgres(bench);
  const sections = [await costSection(bench, postgres, rounds, orders), await roomSection(bench, postgres, orders)];
  return formatReport(`${await describeRun(postgres.client)}\n- ${orders} orders a turn, ${rounds} rounds`, sections);
}

async function costSection(
  bench: Bench,
  { url, pid }: BenchPostgres,
  rounds: number,
  orders: number,
): Promise<Section> {
  const apiKeys = await issueKeys(url, ['writer']);
  // What counts orders later costs the same for each, and would fall into another turn.
  const server = await bench.serve({ databaseUrl: url, env: { ...UNLIMITED, STATISTICS: 'off' } });
  const costOf = (name: 'create' | 'batch', requests: number) => () =>
    measure(bench, { server, postgres: pid }, { case: name, apiKeys, requests });
  const turns = new Map([
    ['alone', costOf('create', orders)],
    ['together', costOf('batch', orders / BATCH_SIZE)],
  ]);
  await inTurns(1, turns);
  const costs = await inTurns(rounds, turns, () => bench.progress.step('orders, alone and in batches'));
  await server.stop();
  const alone = byRound(costs('alone'), both);
  const together = byRound(costs('together'), (cost) => both(cost) / BATCH_SIZE);
  const perSecond = [alone, together].map((cost) => figure(1_000_000 / median(cost)));
  return {
    title: '### An order with a key, by server and PostgreSQL together',
    header: ['', 'in a request', `in a batch of ${BATCH_SIZE}`, 'ratio', 'at most', ''],
    rows: [ratioRow('CPU µs', alone, together, AT_MOST), ['orders a second of a core', ...perSecond, '', '', '']],
  };
}

/** Measures tables after orders were placed and cancelled with keys, and both events were delivered. */
async function roomSection(bench: Bench, { url, pid }: BenchPostgres, orders: number): Promise<Section> {
  const databaseUrl = await createDatabase(url, 'room');
  const client = await bench.connect(databaseUrl);
  const receiver = await startReceiver(bench);
  const server = await bench.serve({ databaseUrl, env: { ...UNLIMITED, ...SENDING } });
  const webhooks = { bench, postgres: { url: databaseUrl, pid, client }, receiver, server };
  const apiKeys = await newReceivers(webhooks, 1);
  bench.progress.step('the room of orders');
  const targets = await placeOrders(server.port, apiKeys, orders);
  await measure(bench, { server, postgres: null }, { case: 'cancel', apiKeys, targets, requests: orders });
  const delivered = `select from orders.webhook_deliveries where status = 'delivered'`;
  while ((await client.query(delivered)).rows.length < 2 * orders) await sleep(100);
  await server.stop();
  const bytesOf = async (table: string) => {
    const size = `select pg_total_relation_size('orders.${table}')::float8 / count(*) as bytes from orders.${table}`;
    return figure((await client.query<{ readonly bytes: number }>(size)).rows[0]?.bytes ?? Number.NaN);
  };
  const rows: (readonly string[])[] = [];
  for (const [table, what, deletedAfter, kind] of TABLES) {
    const written = await bytesOf(table);
    await client.query(`vacuum full orders.${table}`);
    rows.push([`\`${table}\``, what, await bytesOf(table), written, deletedAfter, kind]);
  }
  const header = ['table', 'a row is', 'bytes', 'with what was replaced', 'deleted after', 'purged as'];
  return { title: '### Bytes of a row with its indexes', header, rows };
}
