// Kills the counter at random while the shop sells, and starts it again. At the end the turnover must be what the orders
// add up to.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '@orders/domain/events';
import { openDatabase, postgresCheckpoints, postgresEventFeed } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { ok } from 'neverthrow';
import { openShop, sell, valueOf } from './sales.ts';
import { CONSUMER, CREATE_TURNOVER, SHOP } from './turnover.ts';

const KILLS = 12;
/** The sales while the counter is started, runs and is killed. */
const SALES = 40;
/** Maximum time between the first event that is counted and the kill, in milliseconds. */
const KILLED_AFTER_MS = 250;
/** A counter that has not reached the end of the feed by then hangs, in milliseconds. */
const HANGS_MS = 600_000;

/** The turnover as the orders have it. */
const EXPECTED = `
  select (at at time zone 'UTC')::date::text as day, type, currency, count(*)::int as orders, sum(total_amount)::text as total
  from orders.orders, lateral (values
    ('order.placed', created_at), ('order.paid', paid_at), ('order.cancelled', cancelled_at)) as event (type, at)
  where at is not null group by 1, 2, 3 order by 1, 2, 3`;
const COUNTED = `
  select day::text, type, currency, orders, total::text from turnover order by turnover.day, type, currency`;

const folder = await mkdtemp(join(tmpdir(), 'orders-read-model-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder });
const database = openDatabase({ url: postgres.url });
await database.migrate();
await query(CREATE_TURNOVER);
const domain = openShop(database);

for (let kill = 0; kill < KILLS; kill += 1) {
  const [signal] = await Promise.all([killedCounter(), sellMuch()]);
  assert.equal(signal, 'SIGKILL');
}
const killedAt = await checkpoint();
const end = await endOfFeed();
const counter = startCounter();
for (const deadline = Date.now() + HANGS_MS; (await checkpoint()) < end; await sleep(20))
  assert.ok(Date.now() < deadline, 'the counter does not reach the end of the feed');
const ended = once(counter, 'exit');
counter.disconnect();
assert.deepEqual(await ended, [0, null]);

const counted = await query(COUNTED);
assert.ok(counted.length > 0);
assert.deepEqual(counted, await query(EXPECTED), 'an event was not counted once');
console.log(`${KILLS} kills: ${end} events, ${end - killedAt} of them after the last kill, each counted once`);

await database.close();
await postgres.stop();
await rm(folder, { recursive: true });

function startCounter(): ChildProcess {
  return fork(new URL('counter.ts', import.meta.url), [postgres.url]);
}

/** Kills a counter soon after the first event that it counts, and returns the signal that ended it. */
async function killedCounter(): Promise<NodeJS.Signals | null> {
  const counter = startCounter();
  const ended = once(counter, 'exit');
  counter.once('message', () => setTimeout(() => counter.kill('SIGKILL'), Math.random() * KILLED_AFTER_MS));
  await ended;
  return counter.signalCode;
}

async function sellMuch(): Promise<void> {
  for (let sale = 0; sale < SALES; sale += 1) await sell(domain);
}

/** Returns the position that the counter has saved. */
async function checkpoint(): Promise<number> {
  const saved = await postgresCheckpoints(database).load(SHOP, CONSUMER);
  return valueOf(saved)?.position ?? 0;
}

async function endOfFeed(): Promise<number> {
  const { next } = valueOf(await readEvents(postgresEventFeed(database), SHOP, { start: 'latest' }));
  return next.position;
}

async function query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await database.transaction(async ({ client }) => ok(await client.query(text)));
  if (result.isErr()) throw result.error;
  return result.value.rows;
}
