// Kills the publisher, the receiver and RabbitMQ at random while the shop sells. At the end the turnover in the database of
// the receiver must be that of the orders. Needs the command rabbitmq-server.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { orThrow } from '@orders/domain';
import { createDomain } from '@orders/domain/runtime';
import { openDatabase, postgresStore } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import { connect } from './exchange.ts';
import { rabbitMqIn } from './rabbitmq.ts';

/** What is killed in each round. RabbitMQ takes some seconds to start. */
const VICTIMS = ['publish', 'receive', 'publish', 'receive', 'rabbitmq'] as const;
const ROUNDS = 2;
/** The orders that are placed from one kill to the next. */
const ORDERS = 30;
/** Maximum time between the first event that a process handles and its kill, in milliseconds. */
const KILLED_AFTER_MS = 150;
/** When RabbitMQ has not started by then, or the turnover is not complete, something is lost, in milliseconds. */
const LOST_MS = 600_000;

const folder = await mkdtemp(join(tmpdir(), 'orders-broker-'));
// The embedded PostgreSQL runs as another account when we are root.
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
const database = openDatabase({ url: postgres.url });
await database.migrate();
const domain = createDomain(postgresStore(database));

const receiving = new Client({ connectionString: postgres.url });
await receiving.connect();
await receiving.query('create database receiver');
const receiverUrl = Object.assign(new URL(postgres.url), { pathname: '/receiver' }).href;
const received = new Client({ connectionString: receiverUrl });
await received.connect();
await received.query(`
  create table received (event_id uuid primary key);
  create table turnover (orders integer not null, total bigint not null);
  insert into turnover values (0, 0)`);

const rabbitMq = await rabbitMqIn(folder);
rabbitMq.start();
const rabbit = connect(rabbitMq.url);
await rabbit.onConnect(LOST_MS);

const children = { publish: start('publish'), receive: start('receive') };
const expected = { orders: 0, total: 0 };
for (let round = 0; round < ROUNDS; round += 1)
  for (const victim of VICTIMS) await Promise.all([sell(), victim === 'rabbitmq' ? restartBroker() : replace(victim)]);
for (const deadline = Date.now() + LOST_MS; (await turnover()).orders < expected.orders; await sleep(50))
  assert.ok(Date.now() < deadline, 'an event was lost');
assert.deepEqual(await turnover(), expected, 'an event was counted twice');
console.log(`${ROUNDS * VICTIMS.length} kills: ${expected.orders} orders, each counted once`);

for (const child of Object.values(children)) {
  const ended = once(child, 'exit');
  child.disconnect();
  assert.deepEqual(await ended, [0, null]);
}
await rabbit.close();
await rabbitMq.stop();
await received.end();
await receiving.end();
await database.close();
await postgres.stop();
await rm(folder, { recursive: true });

function start(name: 'publish' | 'receive'): ChildProcess {
  const url = name === 'publish' ? postgres.url : receiverUrl;
  return fork(new URL(`${name}.ts`, import.meta.url), [url, rabbitMq.url]);
}

/** Kills a process soon after an event that it handles, and starts another. */
async function replace(name: 'publish' | 'receive'): Promise<void> {
  const child = children[name];
  await once(child, 'message');
  await sleep(Math.random() * KILLED_AFTER_MS);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  children[name] = start(name);
}

async function restartBroker(): Promise<void> {
  await once(children.publish, 'message');
  await sleep(Math.random() * KILLED_AFTER_MS);
  await rabbitMq.kill();
  rabbitMq.start();
}

async function sell(): Promise<void> {
  for (let sale = 0; sale < ORDERS; sale += 1) {
    const quantity = 1 + Math.floor(Math.random() * 9);
    const item = { sku: 'TEA-100', name: 'Green tea, 100 g', quantity, unit_price: { amount: 650, currency: 'EUR' } };
    const { order } = await orThrow(domain.placeOrder('shop', { items: [item] }));
    expected.orders += 1;
    expected.total += order.total.amount;
  }
}

async function turnover(): Promise<{ readonly orders: number; readonly total: number }> {
  const { rows } = await received.query<{ orders: number; total: number }>(
    'select orders, total::int as total from turnover',
  );
  return rows[0] ?? assert.fail('there is no turnover');
}
