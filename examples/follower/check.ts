// Kills the follower at random while orders are placed and paid, and starts it again. At the end the journal must have each
// version of each order once, at the positions 1, 2, 3, …
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDomain } from '@orders/domain/runtime';
import { apiKeys, authenticateBy, newApiKey, ordersHttp } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys, postgresEventFeed, postgresStore } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { fastify } from 'fastify';
import type { Result } from 'neverthrow';
import { positions } from './journal.ts';

const FOLLOWER_KILLS = 16;
/** The orders that are placed from one kill of the follower to the next. */
const ORDERS = 25;
/** Maximum time between an event and the kill, in milliseconds. */
const KILLED_AFTER_MS = 100;
/** A follower hangs when an event is not in the journal by then, in milliseconds. */
const HANGS_MS = 600_000;
const TEA = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 1, unit_price: { amount: 650, currency: 'EUR' } };

const folder = await mkdtemp(join(tmpdir(), 'orders-follower-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
const database = openDatabase({ url: postgres.url });
await database.migrate();
const domain = createDomain(postgresStore(database));
const keys = postgresApiKeys(database);
const { key, prefix, hash } = newApiKey();
const created_at = new Date().toISOString();
const apiKey = { keyHash: hash, prefix, owner: 'shop', scopes: ['events:read'], created_at, expires_at: null };
valueOf(await keys.insert(apiKey));

const app = fastify();
await app.register(ordersHttp, {
  domain,
  feed: postgresEventFeed(database),
  authentication: authenticateBy(apiKeys(keys)),
  publicBaseUrl: 'https://api.example.com',
  // The follower reads more often than 600 times a minute while orders are placed without a pause.
  rateLimits: { read: 0 },
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

/** The versions of the orders, as the journal has them. */
const versions = new Set<string>();
const journal = join(folder, 'journal');
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

for (let kill = 1; kill <= FOLLOWER_KILLS; kill += 1) {
  const next = (await written()).length + 1;
  const follower = startFollower();
  const placed = placeOrders(ORDERS);
  await followed(next);
  await killSoon(follower);
  await placed;
}
const follower = startFollower();
await followed(versions.size);
await killSoon(follower);

const seen = await written();
assert.deepEqual(
  seen,
  Array.from({ length: versions.size }, (_, index) => index + 1),
  'a gap, or an event twice',
);
const inJournal = (await readFile(journal, 'utf8')).matchAll(/^\d+ \S+ (\S+ \d+)$/gm);
assert.deepEqual(new Set(Array.from(inJournal, ([, version]) => version)), versions);
console.log(`${FOLLOWER_KILLS} kills of the follower: ${seen.length} events, each in the journal once`);

await app.close();
await database.close();
await postgres.stop();
await rm(folder, { recursive: true });

function startFollower(): ChildProcess {
  const env = { ...process.env, ORDERS_URL: url, ORDERS_API_KEY: key, FOLDER: folder };
  const child = fork(new URL('follow.ts', import.meta.url), { env });
  running.add(child);
  child.on('exit', () => running.delete(child));
  return child;
}

async function killSoon(child: ChildProcess): Promise<void> {
  await sleep(Math.random() * KILLED_AFTER_MS);
  const ended = once(child, 'exit');
  assert.ok(child.kill('SIGKILL'), 'a process ended by itself');
  await ended;
}

/** Places orders, and pays two thirds of them. */
async function placeOrders(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    const { order } = valueOf(await domain.placeOrder('shop', { items: [TEA] }));
    versions.add(`${order.id} 1`);
    if (number % 3 === 0) continue;
    valueOf(await domain.changeOrder('shop', order.id, { status: 'paid' }));
    versions.add(`${order.id} 2`);
  }
}

/** Returns the positions in the journal. */
async function written(): Promise<readonly number[]> {
  return positions(await readFile(journal, 'utf8').catch(() => ''));
}

/** Resolves when the journal has an event at a position, or after it. */
async function followed(position: number): Promise<void> {
  for (const deadline = Date.now() + HANGS_MS; ; await sleep(20)) {
    if (((await written()).at(-1) ?? 0) >= position) return;
    assert.ok(Date.now() < deadline, `the journal does not reach position ${position}`);
  }
}

function valueOf<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error('a use case failed', { cause: result.error });
  return result.value;
}
