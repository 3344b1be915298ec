// Kills the receiver and the server at random while orders are placed and changed, starts them again, and rotates the secret
// meanwhile. At the end the store of the receiver must have each version of each order once, in their order.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient } from '@orders/client';
import { createDomain } from '@orders/domain/runtime';
import { newApiKey } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys, postgresStore } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import type { Result } from 'neverthrow';
import { receivedVersions } from './event-store.ts';

const RECEIVER_KILLS = 12;
/** The server is killed beside each of these kills of the receiver. */
const SERVER_KILLED_EVERY = 4;
/** The secret is rotated before each of these kills of the receiver, which has the new one after it. */
const ROTATED_EVERY = 3;
/** The orders that are placed from one kill of the receiver to the next. */
const ORDERS = 10;
/** Maximum time between an event that is received and the kill, in milliseconds. */
const KILLED_AFTER_MS = 100;
/** A program that has not started by then hangs, or an event that was not received, in milliseconds. */
const HANGS_MS = 600_000;
const TEA = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity: 1, unit_price: { amount: 650, currency: 'EUR' } };

const folder = await mkdtemp(join(tmpdir(), 'orders-receiver-'));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
const database = openDatabase({ url: postgres.url });
await database.migrate();
const domain = createDomain(postgresStore(database));
const { key, prefix, hash } = newApiKey();
const created_at = new Date().toISOString();
const scopes = ['webhooks:read', 'webhooks:write', 'events:read'];
const apiKey = { keyHash: hash, prefix, owner: 'shop', scopes, created_at, expires_at: null };
valueOf(await postgresApiKeys(database).insert(apiKey));

const signingKey = randomBytes(32).toString('base64');
const store = join(folder, 'events.db');
/** The last version of each order that was written. */
const written = new Map<string, number>();
/** The results of the attempts of all servers. */
const results = new Set<unknown>();
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

let serverPort = 0;
let server = await startServer();
const receiverPort = await freePort();
const credentials = { apiKey: key };
const { webhooks } = createOrdersClient({ baseUrl: `http://127.0.0.1:${serverPort}`, credentials });
const created = valueOf(await webhooks.create({ url: `http://127.0.0.1:${receiverPort}/` }));
const { id } = created.endpoint;
let { secret } = created;
let receiver = await startReceiver();

for (let kill = 1; kill <= RECEIVER_KILLS; kill += 1) {
  const before = received();
  const placed = placeOrders(ORDERS);
  await eventually(() => received() > before);
  // The one before stays valid for an hour.
  if (kill % ROTATED_EVERY === 0) ({ secret } = valueOf(await webhooks.rotateSecret(id, { overlap_seconds: 3600 })));
  const isServerKilled = kill % SERVER_KILLED_EVERY === 0;
  await Promise.all([killSoon(receiver), isServerKilled && killSoon(server)]);
  if (isServerKilled) server = await startServer();
  receiver = await startReceiver();
  await placed;
  await redeliverRejected();
}
const count = [...written.values()].reduce((sum, versions) => sum + versions, 0);
await eventually(async () => {
  if (received() >= count) return true;
  await redeliverRejected();
  return false;
});
await killSoon(receiver);
await killSoon(server);

const expected = [...written].map(([id, last]) => [id, Array.from({ length: last }, (_, index) => index + 1)] as const);
assert.deepEqual(receivedVersions(store), new Map(expected), 'an event twice, missing or before an earlier one');
results.delete(null);
results.delete('connection_failed');
assert.deepEqual(results, new Set(), 'the receiver rejected a message, or responded too late');
const serverKills = Math.floor(RECEIVER_KILLS / SERVER_KILLED_EVERY);
const rotations = Math.floor(RECEIVER_KILLS / ROTATED_EVERY);
console.log(
  `${RECEIVER_KILLS} kills of the receiver, ${serverKills} of the server, ${rotations} rotations: ${count} events, each stored once and in order`,
);

await database.close();
await postgres.stop();
await rm(folder, { recursive: true });

/** Starts a program. Resolves with its first message. */
async function start(program: string, args: readonly string[], env: object = {}) {
  const child = fork(new URL(program, import.meta.url), args, { env: { ...process.env, ...env } });
  running.add(child);
  child.on('exit', () => running.delete(child));
  const message = await once(child, 'message', { signal: AbortSignal.timeout(HANGS_MS) });
  return { child, first: String(message[0]) };
}

/** Starts the server at the port that the first one had. */
async function startServer(): Promise<ChildProcess> {
  const { child, first } = await start('server.ts', [postgres.url, String(serverPort), signingKey]);
  serverPort = Number(new URL(first).port);
  child.on('message', ({ error }: { readonly error: unknown }) => results.add(error));
  return child;
}

/** Starts the receiver with the current secret. */
async function startReceiver(): Promise<ChildProcess> {
  const env = { WEBHOOK_SECRET: secret, FOLDER: folder, PORT: String(receiverPort) };
  return (await start('receive.ts', [], env)).child;
}

/** Returns a port that no program listens on. */
async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  assert.ok(typeof address === 'object' && address !== null);
  listener.close();
  await once(listener, 'close');
  return address.port;
}

async function killSoon(child: ChildProcess): Promise<void> {
  await sleep(Math.random() * KILLED_AFTER_MS);
  const ended = once(child, 'exit');
  assert.ok(child.kill('SIGKILL'), 'a process ended by itself');
  await ended;
}

/** Places orders, changes two thirds of them, and pays half of these. */
async function placeOrders(orders: number): Promise<void> {
  for (let number = 0; number < orders; number += 1) {
    const { order } = valueOf(await domain.placeOrder('shop', { items: [TEA] }));
    written.set(order.id, 1);
    if (number % 3 === 0) continue;
    valueOf(await domain.changeOrder('shop', order.id, { note: 'Soon, please' }));
    written.set(order.id, 2);
    if (number % 3 === 1) continue;
    valueOf(await domain.changeOrder('shop', order.id, { status: 'paid' }));
    written.set(order.id, 3);
  }
}

/**
 * Has the messages delivered now that the receiver has rejected. An operator requests this after an outage; otherwise they
 * come after 5 seconds, 5 minutes, 30 minutes and so on.
 */
async function redeliverRejected(): Promise<void> {
  for await (const { event_id, attempts } of webhooks.deliveries(id, { status: 'pending', limit: 100 }))
    if (attempts > 0) valueOf(await webhooks.redeliver(id, event_id));
}

/** Returns the number of stored events. */
function received(): number {
  return [...receivedVersions(store).values()].flat().length;
}

/** Resolves when a condition holds. */
async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + HANGS_MS; !(await holds()); await sleep(200))
    assert.ok(Date.now() < deadline, `the receiver has only ${received()} events`);
}

function valueOf<T>(result: Result<T, unknown>): T {
  if (result.isErr()) throw new Error('a use case failed', { cause: result.error });
  return result.value;
}
