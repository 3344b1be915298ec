// Kills the shop at random while it sells, and starts it again. Sales without a reply are sent again, as a client would.
// At the end each sale must have one order and one pick-up.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { ok } from 'neverthrow';
import { CREATE_PICK_UPS } from './pick-up.ts';

const KILLS = 20;
/** A transaction without an owner may use a third of the ten connections, rounded up. */
const WORKERS = 4;
/** Maximum time between the first reply and the kill, in milliseconds. */
const KILLED_AFTER_MS = 250;

const folder = await mkdtemp(join(tmpdir(), 'orders-own-table-'));
const postgres = await startEmbeddedPostgres({ dataDir: folder });
const database = openDatabase({ url: postgres.url });
await database.migrate();
await query(CREATE_PICK_UPS);

/** The sales without a reply, in the order in which they are sent. */
const open = new Set<number>();
let sales = 0;
let resent = 0;

for (let kill = 0; kill < KILLS; kill += 1) {
  const { signalCode } = await runShop((shop) => {
    setTimeout(() => shop.kill('SIGKILL'), Math.random() * KILLED_AFTER_MS);
    return true;
  });
  assert.equal(signalCode, 'SIGKILL');
  resent += open.size;
}
const { exitCode } = await runShop(() => false);
assert.equal(exitCode, 0);

const orders = await query(`select id, metadata->>'sale' as sale from orders.orders order by 2, 1`);
const pickUps = await query('select order_id as id, sale::text as sale from pick_ups order by 2, 1');
assert.deepEqual(pickUps, orders, 'one without the other');
assert.equal(orders.length, sales, 'a sale was stored twice');
assert.deepEqual(new Set(orders.map(({ sale }) => Number(sale))), new Set(Array.from({ length: sales }, (_, n) => n)));
console.log(`${KILLS} kills: ${sales} sales, ${resent} of them sent again, each with one order and one pick-up`);

await database.close();
await postgres.stop();
await rm(folder, { recursive: true });

/**
 * Runs the shop until it exits. Calls `replied` at the first reply: if that returns true, sends new sales as well as those
 * without a reply.
 */
async function runShop(replied: (shop: ChildProcess) => boolean): Promise<ChildProcess> {
  const shop = fork(new URL('shop.ts', import.meta.url), [postgres.url]);
  let isSelling: boolean | undefined;
  const send = (sale: number) => {
    open.add(sale);
    // A shop that has been killed receives nothing; then the sale stays open.
    shop.send(sale, () => undefined);
  };
  const sendNew = () => {
    send(sales);
    sales += 1;
  };
  shop.on('message', (sale) => {
    open.delete(Number(sale));
    isSelling ??= replied(shop);
    if (isSelling) sendNew();
    else if (open.size === 0) shop.disconnect();
  });
  for (const sale of open) send(sale);
  while (open.size < WORKERS) sendNew();
  await once(shop, 'exit');
  return shop;
}

async function query(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const result = await database.transaction(async ({ client }) => ok(await client.query(text)));
  if (result.isErr()) throw result.error;
  return result.value.rows;
}
