import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText, startProgram } from '@orders/system-under-test';
import { floodWay } from '../hostile/flood.ts';
import { type HostileClient, type Outcome, playBeside } from '../hostile/play-beside.ts';
import { type HostileScene, ORDER, setScene, type Tenant } from '../hostile/scene.ts';
import type { Scenario } from '../stage.ts';

const CLI = join(import.meta.dirname, '../../../../apps/server/src/cli.ts');

/** Orders of the file that is imported, exported and erased. */
const [ORDERS, ORDERS_FULL] = [5000, 50_000];

/** Batches of one owner, more than its limit of orders a minute allows. */
const BATCHES = 60;

/** The customers in the file. Every tenth order is of the first one. */
const CUSTOMERS = Array.from({ length: 100 }, () => randomUUID());

/** Statistics of one owner, more than its limit of reads a minute allows. */
const STATISTICS =
  '/v1/order_statistics?interval=month&from=1900-01-01T00:00:00Z&before=2099-12-31T00:00:00Z&time_zone=Asia/Kathmandu';
const READS = 400;

/** Maximum ratio of the time of an erasure beside those of another owner to that of one alone, and the least that counts as. */
const [ERASURE_RATIO, ERASURE_FLOOR_MS] = [3, 1000];

/** The interval between two looks at an erasure, in milliseconds. */
const LOOK_MS = 200;

export const hostileBulk: Scenario = {
  name: 'hostile-bulk',
  about: 'batches, imports, an export, erasures and statistics of one owner at full rate',
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
    const batches = 'batches and imports of 1,000 items, and batches of 2 MB that are invalid';
    const sent = { texts, connections: 24, count: texts.length };
    await playBeside(scene, floodWay(scene, sent, /^(207|422)$/, { name: batches }));

    const count = stage.full ? ORDERS_FULL : ORDERS;
    const file = join(stage.folder, 'orders.ndjson');
    const customers = CUSTOMERS.map((id) => JSON.stringify({ kind: 'customer', id, email: `${id}@example.com` }));
    const orderAt = (index: number) => {
      const customer_id = index % 10 === 0 ? CUSTOMERS[0] : null;
      return JSON.stringify({ kind: 'order', id: randomUUID(), customer_id, note: 'x', ...ORDER });
    };
    const lines = [...customers, ...Array.from({ length: count }, (_, index) => orderAt(index)), ''];
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
    ] as const)
      await playBeside(scene, {
        name: `${name} of ${count} orders`,
        start,
        finishes: true,
        fault: ({ failed = 0 }) => (failed > 0 ? 'it failed' : undefined),
      });

    const withBuyer = async (other: Tenant) => {
      await run(scene, ['import', file, '--owner', other.owner]).finished;
      return () => erase(other, CUSTOMERS.slice(0, 1));
    };
    const [eraseAlone, eraseBeside] = [await withBuyer(scene.tenant(4)), await withBuyer(scene.tenant(5))];
    const alone = Math.max(await eraseAlone(), ERASURE_FLOOR_MS);
    const start = () => {
      const { promise: pending, resolve } = Promise.withResolvers<void>();
      const all = erase(moving, CUSTOMERS, resolve);
      const finished = Promise.all([pending.then(eraseBeside), all]).then(([beside, own]) => ({ beside, own, alone }));
      return { finished, stop: () => finished };
    };
    const name = `erasures of 100 customers and ${count / 10} orders`;
    const fault = ({ beside = 0 }: Outcome) =>
      beside > ERASURE_RATIO * alone ? `one of another owner took ${beside} ms, and alone ${alone} ms` : undefined;
    await playBeside(scene, { name, start, finishes: true, fault });

    const headers = { 'x-api-key': moving.apiKey };
    const reads = [requestText({ method: 'GET', path: STATISTICS, headers, body: '' })];
    const statistics = { texts: reads, connections: 24, count: READS };
    await playBeside(scene, floodWay(scene, statistics, /^200$/, { name: 'statistics of 200 years' }));
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

/** Erases customers, calls `pending` while they wait for it, and returns the time until all are erased, in milliseconds. */
async function erase({ client: { customers } }: Tenant, ids: readonly string[], pending = () => {}): Promise<number> {
  const began = performance.now();
  for (const id of ids) (await customers.erase(id))._unsafeUnwrap();
  pending();
  const isDone = async (id: string) => (await customers.get(id))._unsafeUnwrap().erasure?.status === 'done';
  for (const id of ids) while (!(await isDone(id))) await sleep(LOOK_MS);
  return Math.round(performance.now() - began);
}
