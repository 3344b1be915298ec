// Runs a server with its console and four made-up shops that trade: a past of two weeks, receivers of webhooks of which one
// fails, and from then on an order every few seconds and a burst every minute.
//   pnpm demo    on the data of its own in DATA_DIR, by default .data/demo; --once ends when the past is there
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient, type OrdersClient } from '@orders/client';
import { ORDERS } from '@orders/domain';
import { newApiKey, SCOPES } from '@orders/http-adapter/settings';
import { readConfig } from '../src/config/config.ts';
import { openStore, type Store } from '../src/database/store.ts';
import { domainOf } from '../src/domain.ts';
import { findServer } from '../src/serving/running-server.ts';

const HOUR = 3_600_000;
const DAYS = 14;
/** How many orders each shop has had on a day. */
const ORDERS_A_DAY = 12;
const [BETWEEN_ORDERS_MS, BETWEEN_BURSTS_MS, BURST] = [4000, 60_000, 40];

type Item = readonly [sku: string, name: string, amount: number];
interface Shop {
  readonly owner: string;
  readonly currency: string;
  readonly country: string;
  readonly city: string;
  readonly items: readonly Item[];
  readonly prefix: string;
}

const SHOPS: readonly Shop[] = [
  {
    owner: 'shop-berlin',
    currency: 'EUR',
    country: 'DE',
    city: 'Berlin',
    prefix: 'PO-',
    items: [
      ['TEA-100', 'Green tea, 100 g', 650],
      ['POT-12', 'Teapot, cast iron', 8900],
      ['CUP-W', 'Cup, white', 900],
      ['SIEVE-2', 'Tea strainer', 1250],
    ],
  },
  {
    owner: 'atelier-lyon',
    currency: 'EUR',
    country: 'FR',
    city: 'Lyon',
    prefix: 'AL-2026-',
    items: [
      ['VASE-B', 'Vase, blue', 12_000],
      ['BOWL-3', 'Bowl, set of 3', 7400],
      ['PLATE-6', 'Plate, set of 6', 15_900],
    ],
  },
  {
    owner: 'lamps-oslo',
    currency: 'NOK',
    country: 'NO',
    city: 'Oslo',
    prefix: 'W-',
    items: [
      ['LAMP-OAK', 'Lamp, oak', 189_000],
      ['BULB-4', 'Bulb, warm white, 4 pieces', 24_900],
    ],
  },
  {
    owner: 'books-kyoto',
    currency: 'JPY',
    country: 'JP',
    city: 'Kyoto',
    prefix: 'K',
    items: [
      ['BOOK-771', 'Gardens of Kyoto', 4200],
      ['MAP-2', 'Map of the old town', 980],
      ['PRINT-9', 'Woodblock print', 18_500],
    ],
  },
];

/** Enough people that each has a few orders, as that of a shop. */
const FIRST_NAMES = ['Mira', 'Jonas', 'Claire', 'Ingrid', 'Ken', 'Lea', 'Noah', 'Maya', 'Sofia', 'Emil', 'Hana', 'Ada'];
const LAST_NAMES = ['Adler', 'Weiss', 'Fontaine', 'Berg', 'Lake', 'Brandt', 'Petit', 'Sato', 'Holm', 'Costa', 'Novak'];

/** A sequence of numbers below 1 that is the same in each run, so that the pictures of the documentation are. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
const next = sequence(20_260_401);
const below = (most: number) => Math.floor(next() * most);

function pick<T>(list: readonly T[]): T {
  const picked = list[below(list.length)];
  if (picked === undefined) throw new Error('the list is empty');
  return picked;
}

function newOrder(shop: Shop, number: number) {
  const { currency, country, city, items, prefix } = shop;
  const lines = items.filter((_, index) => index === number % items.length || next() < 0.3);
  const name = `${pick(FIRST_NAMES)} ${pick(LAST_NAMES)}`;
  const address = {
    name,
    line1: `Long Street ${1 + below(90)}`,
    postal_code: String(10_000 + below(80_000)),
    city,
    country,
  };
  const shipping = Math.round((currency === 'NOK' ? 9900 : currency === 'JPY' ? 600 : 490) * (1 + below(2) / 2));
  return {
    reference: `${prefix}${4000 + number}`,
    items: lines.map(([sku, text, amount]) => ({
      sku,
      name: text,
      quantity: 1 + below(3),
      unit_price: { amount, currency },
    })),
    adjustments: [{ type: 'shipping' as const, name: 'Shipping', amount: { amount: shipping, currency } }],
    buyer: { name, email: `${name.toLowerCase().replace(' ', '.')}@example.com` },
    shipping_address: address,
    billing_address: address,
    external_ids: { stripe: [`pi_${number.toString(36).padStart(4, '0')}${below(1e6).toString(36)}`] },
  };
}

/** Listens for webhooks, all of which get `status`. Returns the URL. On a port that another program has taken, nothing listens. */
async function receiver(status: number, port = 0): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.writeHead(status).end());
  }).listen(port, '127.0.0.1');
  server.unref();
  await once(server, 'listening').catch(() => undefined);
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const DATA_DIR = process.env['DATA_DIR'] ?? '.data/demo';
// The link to the console stays in sight: no line for each request.
const LOG_LEVEL = process.env['LOG_LEVEL'] ?? 'error';
const env = { ...process.env, DATA_DIR, LOG_LEVEL, WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32', npm_lifecycle_event: 'start' };
const [node, main] = [process.execPath, join(import.meta.dirname, '../src/main.ts')];
const server = spawn(node, ['--conditions=source', main], { env, stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill('SIGTERM'));
process.on('exit', () => server.kill('SIGTERM'));
server.once('exit', (code) => process.exit(code ?? 1));

const url = await untilDefined(() => findServer(DATA_DIR));
const store = await openStore(readConfig({ DATA_DIR }), {
  definition: ORDERS,
  sharing: 'shared',
  warn: () => undefined,
  log: () => undefined,
  prepare: (database) => database.ping(),
});
const trades = await Promise.all(SHOPS.map((shop) => open(shop, store, url)));
const isNew = trades.every(({ count }) => count === 0);
await endpoints(trades, isNew);
if (isNew) {
  for (const trade of trades) await writePast(trade, store);
}
await store.close();
process.stdout.write(`  ${SHOPS.length} shops trade. Ctrl-C stops them and the server.\n\n`);
if (process.argv.includes('--once')) server.kill('SIGTERM');
else await Promise.all([...trades.map(trade), burst(trades)]);

interface Trade {
  readonly shop: Shop;
  readonly orders: OrdersClient;
  readonly actors: Readonly<Record<'web' | 'payments' | 'warehouse', string>>;
  count: number;
}

/** Issues the keys of a shop, and looks whether it has a past. */
async function open(shop: Shop, { apiKeys }: Store, baseUrl: string): Promise<Trade> {
  const issue = async (name: string) => {
    const { key, prefix, hash } = newApiKey('ord');
    const created_at = new Date(Date.now() - DAYS * 24 * HOUR).toISOString();
    const row = { keyHash: hash, prefix, owner: shop.owner, scopes: SCOPES, name, created_at, expires_at: null };
    (await apiKeys.insert(row))._unsafeUnwrap();
    return { key, actor: `api_key:${prefix}` };
  };
  const [web, payments, warehouse] = [await issue('web shop'), await issue('payments'), await issue('warehouse')];
  const orders = createOrdersClient({ baseUrl, credentials: { apiKey: web.key } });
  let hasPast = false;
  for await (const _ of orders.list({ reference: `${shop.prefix}4001` })) hasPast = true;
  const actors = { web: web.actor, payments: payments.actor, warehouse: warehouse.actor };
  // A later run continues with references of its own.
  return { shop, orders, actors, count: hasPast ? Math.floor(Date.now() / 1000) % 1e8 : 0 };
}

/** Places orders with a clock of the past, and does with each what shops do. */
async function writePast(past: Trade, { database }: Store): Promise<void> {
  const { shop, actors } = past;
  let time = Date.now() - DAYS * 24 * HOUR;
  const domain = domainOf(readConfig({ DATA_DIR }), database, () => new Date(time));
  const { owner, currency } = shop;
  const wait = (from: number, to: number) => (time += (from + next() * (to - from)) * HOUR);
  for (let number = 1; number <= DAYS * ORDERS_A_DAY; number += 1) {
    const day = Math.floor((number - 1) / ORDERS_A_DAY);
    // By day more than at night.
    const began = Date.now() - (DAYS - day) * 24 * HOUR + (4 + 20 * Math.sqrt(next())) * HOUR - HOUR;
    time = began;
    const placing = { actor: actors.web, externalUserId: `u-${1000 + below(500)}` };
    const { order } = (await domain.placeOrder(owner, newOrder(shop, number), placing))._unsafeUnwrap();
    const { id } = order;
    const quantities = (list: readonly { id: string; quantity: number }[]) =>
      list.map((item) => ({ item_id: item.id, quantity: item.quantity }));
    const now = () => time < Date.now() - 60_000;
    const steps: (() => unknown)[] = [];
    const step = (from: number, to: number, work: () => unknown) =>
      steps.push(() => (wait(from, to), now() ? work() : undefined));
    const fate = number % 9;
    step(0.01, 0.05, () => domain.changeOrder(owner, id, { status: 'paid' }, { actor: actors.payments }));
    if (fate === 4)
      step(0.2, 9, () => domain.cancelOrder(owner, id, { reason: 'Buyer changed their mind' }, { actor: actors.web }));
    else if (fate !== 8) {
      const [first = order.items[0], ...others] = order.items;
      const tracking = { carrier: 'DHL', number: `003404341234${String(number).padStart(6, '0')}` };
      const part = fate === 2 && first && others.length > 0 ? { items: quantities([first]), tracking } : { tracking };
      step(5, 30, () =>
        domain.changeOrder(
          owner,
          id,
          { metadata: { picker: `cart ${1 + (number % 7)}` } },
          { actor: actors.warehouse },
        ),
      );
      step(0.01, 0.1, () =>
        domain.changeOrder(owner, id, { metadata: { shelf: `A${number % 40}` } }, { actor: actors.warehouse }),
      );
      step(1, 4, () => domain.fulfillItems(owner, id, part, { actor: actors.warehouse }));
      if (!('items' in part))
        step(0.01, 0.02, () => domain.changeOrder(owner, id, { status: 'shipped' }, { actor: actors.warehouse }));
      if (fate === 5 && first) {
        const refund = {
          type: 'refund' as const,
          name: 'Torn packet',
          amount: { amount: -Math.min(first.unit_price.amount, 650), currency },
        };
        const returned = { items: [{ item_id: first.id, quantity: 1 }], reason: 'Torn packet', adjustments: [refund] };
        step(70, 130, () => domain.returnItems(owner, id, returned, { actor: actors.warehouse }));
      } else if (fate < 4)
        step(24, 60, () => domain.changeOrder(owner, id, { status: 'delivered' }, { actor: actors.warehouse }));
    }
    for (const each of steps) await each();
    past.count = number;
  }
}

/** Registers receivers: one that accepts, and one that always fails. In a later run they listen where they are registered. */
async function endpoints(all: readonly Trade[], areNew: boolean): Promise<void> {
  if (!areNew) {
    const ports = new Map<number, number>();
    for (const { orders } of all)
      for await (const { url } of orders.webhooks.list())
        ports.set(Number(new URL(url).port), url.endsWith('/billing') ? 204 : 503);
    await Promise.all([...ports].map(([port, status]) => receiver(status, port)));
    return;
  }
  const [accepts, fails] = [await receiver(204), await receiver(503)];
  for (const [index, { orders }] of all.entries()) {
    (await orders.webhooks.create({ url: `${accepts}/billing` }))._unsafeUnwrap();
    if (index === 0)
      (await orders.webhooks.create({ url: `${fails}/warehouse`, types: ['order.items_returned'] }))._unsafeUnwrap();
  }
}

async function place(on: Trade): Promise<void> {
  on.count += 1;
  const placed = await on.orders.place(newOrder(on.shop, on.count));
  if (placed.isErr()) return;
  const { id } = placed.value.order;
  await sleep(1000);
  await on.orders.change(id, { status: 'paid' });
  if (next() < 0.6) await on.orders.fulfill(id, {});
}

async function trade(on: Trade): Promise<never> {
  for (;;) {
    await sleep(BETWEEN_ORDERS_MS * (0.5 + Math.random()));
    await place(on);
  }
}

/** One shop is on television for a moment, again and again. */
async function burst(all: readonly Trade[]): Promise<never> {
  for (;;) {
    await sleep(BETWEEN_BURSTS_MS);
    const [loud] = all;
    if (loud) await Promise.all(Array.from({ length: BURST }, () => place(loud)));
  }
}

async function untilDefined<T>(find: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(200);
  }
}
