import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText, startProgram } from '@orders/system-under-test';
import { ORDER } from '../hostile/create-resource.ts';
import { floodWay } from '../hostile/flood.ts';
import { type HostileClient, type Outcome, playBeside } from '../hostile/play-beside.ts';
import { type HostileScene, setScene, type Tenant } from '../hostile/scene.ts';
import { exchange } from '../load/exchange.ts';
import { isRecord } from '../load/resource.ts';
import type { Scenario } from '../stage.ts';

const CLI = join(import.meta.dirname, '../../../../apps/server/src/cli.ts');

/** Orders of the file that is imported, exported and erased. */
const [ORDERS, ORDERS_FULL] = [5000, 50_000];

/** Batches of one owner, more than its limit of orders a minute allows. */
const BATCHES = 60;

/** The customer of every tenth order in the file. */
const CUSTOMER = randomUUID();

/** The interval between two looks at an erasure, in milliseconds. */
const LOOK_MS = 200;

export const hostileBulk: Scenario = {
  name: 'hostile-bulk',
  about: 'batches, imports, an export and an erasure of one owner at full rate',
  run: async (stage) => {
    const scene = await setScene(stage);
    const [batching, importing, invalid, moving] = [0, 1, 2, 3].map((number) => scene.tenant(number));
    if (!batching || !importing || !invalid || !moving) return;
    const items = Array.from({ length: 10 }, () => ORDER.items[0]);
    const keyed = () => ({ idempotency_key: randomUUID(), order: { items } });
    const old = () => ({ order: { id: randomUUID(), items } });
    const wrong = () => ({ idempotency_key: 'x', order: { items: [], note: 'x'.repeat(20_000) } });
    const textOf = ({ apiKey }: Tenant, order: () => object) => {
      const body = JSON.stringify({ import: order === old, orders: Array.from({ length: 100 }, order) });
      const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
      return requestText({ method: 'POST', path: '/v1/order_batches', headers, body });
    };
    const texts = Array.from({ length: BATCHES }, () => [
      textOf(batching, keyed),
      textOf(importing, old),
      textOf(invalid, wrong),
    ]).flat();
    const name = 'batches and imports of 1,000 items, and batches of 2 MB that are invalid';
    const sent = { texts, connections: 24, count: texts.length };
    await playBeside(scene, floodWay(scene, sent, /^(207|422)$/, { name }));

    const count = stage.full ? ORDERS_FULL : ORDERS;
    const file = join(stage.folder, 'orders.ndjson');
    const customer = { kind: 'customer', id: CUSTOMER, email: 'ada@example.com' };
    const orderAt = (index: number) => {
      const customer_id = index % 10 === 0 ? CUSTOMER : null;
      return JSON.stringify({ kind: 'order', id: randomUUID(), customer_id, note: 'x', ...ORDER });
    };
    const lines = [JSON.stringify(customer), ...Array.from({ length: count }, (_, index) => orderAt(index)), ''];
    await writeFile(file, lines.join('\n'));
    const { owner } = moving;
    const [imported, exported] = [
      () => run(scene, ['import', file, '--owner', owner]),
      () =>
        run(scene, ['export', '--owner', owner, '--include', 'versions', '--out', join(stage.folder, 'copy.ndjson')]),
    ];
    for (const [name, start] of [
      ['import', imported],
      ['export', exported],
      ['erasure', () => erase(scene, moving)],
    ] as const)
      await playBeside(scene, {
        name: `${name} of ${name === 'erasure' ? count / 10 : count} orders`,
        start,
        finishes: true,
        fault: ({ failed = 0 }) => (failed > 0 ? 'it failed' : undefined),
      });
  },
};

/** Runs a command to its end. */
function run({ stage, postgres }: HostileScene, args: readonly string[]): HostileClient {
  const work = async (): Promise<Outcome> => {
    const env = { NODE_ENV: 'production', DATABASE_URL: postgres.url };
    const logFile = join(stage.folder, 'command.log');
    const program = await startProgram(process.execPath, ['--conditions=source', CLI, ...args], { env, logFile });
    return /\b0\b/.test(await program.ended) ? { done: 1 } : { failed: 1 };
  };
  const finished = work();
  return { finished, stop: () => finished };
}

/** Erases the customer of the imported orders, and waits until all of them are erased. */
function erase({ server: { url } }: HostileScene, { apiKey }: Tenant): HostileClient {
  const work = async (): Promise<Outcome> => {
    const agent = new Agent();
    const send = async (method: 'GET' | 'POST', path: string) =>
      await exchange(agent, url, { method, path, headers: { 'x-api-key': apiKey } }, 10_000);
    const path = `/v1/customers/${CUSTOMER}`;
    let looks = 0;
    for (let seen = await send('POST', `${path}/erasures`); ; seen = await send('GET', path)) {
      if (!('status' in seen) || seen.status !== 200 || !isRecord(seen.body)) return { failed: 1 };
      const { erasure } = seen.body;
      if (isRecord(erasure) && erasure['status'] === 'done') return { done: 1, looks };
      looks += 1;
      await sleep(LOOK_MS);
    }
  };
  const finished = work();
  return { finished, stop: () => finished };
}
