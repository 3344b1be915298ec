import { setTimeout as sleep } from 'node:timers/promises';
import { distribute } from '@orders/persistence';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { idOf, insertKey } from '../../../../packages/persistence/test/fixtures/change-rows.ts';
import { startOwnCluster } from '../../../../packages/persistence/test/citus/own-cluster.ts';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { insertVersions } from '../../../../packages/persistence/test/fixtures/delivery-rows.ts';
import { portsOfOwners, startServerOnCluster } from './distributed-server.ts';
import { lostOrders, startPacedOrders, startSteadyLoad, type SteadyLoad } from './steady-load.ts';
import { expectDelivered, subscribe, WEBHOOKS } from './subscribers.ts';

/** The number of responses in each phase of the test. */
const RESPONSES = 300;

/** How often the rates before and during a failure are measured at least, and at most while they differ too much. */
const TURNS = { least: 3, most: 8 };

async function responses(load: SteadyLoad): Promise<void> {
  const before = load.responses();
  await expect.poll(load.responses, { timeout: 120_000 }).toBeGreaterThan(before + RESPONSES);
}

/** Returns the responses a second of a load, in the next seconds. */
async function rate(load: SteadyLoad): Promise<number> {
  const [before, begun] = [load.responses(), performance.now()];
  await sleep(3000);
  return ((load.responses() - before) * 1000) / (performance.now() - begun);
}

/** Starts a cluster and a server, with a worker to kill, its own owners and those of other nodes. */
async function startDistributed(env: Readonly<Record<string, string>> = {}) {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const { url } = cluster.coordinator;
  const server = await startServerOnCluster(url, env);
  await distribute(server.database);
  const ports = await portsOfOwners(url, server.owners);
  const [killed] = cluster.workers;
  if (!killed) throw new Error('the cluster has no workers');
  const isOfKilled = ({ owner }: { readonly owner: string }) => ports.get(owner) === killed.port;
  const own = server.owners.filter(isOfKilled);
  const others = server.owners.filter((owner) => !isOfKilled(owner));
  return { url, server, killed, own, others, isOfKilled };
}

it('a killed worker stops only its own owners, and nothing acknowledged is lost', async () => {
  const { server, killed, own, others } = await startDistributed();
  const loads = [startSteadyLoad(server.url, others, 4), startSteadyLoad(server.url, own, 4)] as const;
  for (const load of loads) await responses(load);
  await killed.kill();
  for (const load of loads) await responses(load);
  const [served, failed] = await Promise.all(loads.map((load) => load.stop()));
  if (!served || !failed) throw new Error('a load has no report');

  expect(served.failures).toEqual([]);
  expect(await lostOrders(server.url, served.orders)).toEqual([]);
  expect(failed.failures.length).toBeGreaterThan(100);
  expect(new Set(failed.failures.map(({ status }) => status))).toEqual(new Set([503]));

  await killed.restart();
  const recovered = startSteadyLoad(server.url, own, 4);
  await responses(recovered);
  await recovered.stop();
  expect(await lostOrders(server.url, failed.orders)).toEqual([]);
});

it('a killed worker stops the deliveries of its own owners alone, which follow when it is back', async () => {
  const distributed = await startDistributed(WEBHOOKS);
  const { url, server, killed } = distributed;
  const own = await subscribe(server, distributed.own.slice(0, 4));
  const others = await subscribe(server, distributed.others.slice(0, 4));
  const all = [...own, ...others];
  await Promise.all(all.map(({ place }) => place(2)));
  await expectDelivered(url, all);

  // Their results can be recorded only after the node is back.
  for (const { receiver } of own) receiver.state.hangs = true;
  await Promise.all(own.map(({ place }) => place(2)));
  await Promise.all(own.map(({ receive }) => receive(4)));
  await killed.kill();
  for (const { receiver } of own) {
    receiver.state.hangs = false;
    for (const response of receiver.kept) response.writeHead(200).end();
  }
  await Promise.all(others.map(({ place }) => place(4)));
  await Promise.all(others.map(({ receive }) => receive(6)));

  await killed.restart();
  await Promise.all(all.map(({ place }) => vi.waitFor(() => place(1), { timeout: 120_000, interval: 500 })));
  await expectDelivered(url, all);
  for (const { receiver } of others) expect(receiver.received).toHaveLength(7);
});

it.each(['is killed', 'hangs'])('a worker that %s slows down no owner of another node', async (failure) => {
  const { server, killed, own, others } = await startDistributed();
  const load = startSteadyLoad(server.url, others, 4);
  const statuses = new Set<number>();
  let [before, during] = [0, 0];
  // In turns, because other programs use the machine, too.
  for (let turn = 0; turn < TURNS.least || (turn < TURNS.most && during <= 0.8 * before); turn += 1) {
    await responses(load);
    before += await rate(load);
    const resume = failure === 'hangs' && (await killed.hang());
    if (resume) onTestFinished(resume);
    else await killed.kill();
    const failing = startPacedOrders(server.url, own, 30);
    await responses(load);
    during += await rate(load);
    for (const status of await failing.stop()) statuses.add(status);
    if (resume) resume();
    else await killed.restart();
  }
  expect(during / before).toBeGreaterThan(0.8);
  expect((await load.stop()).failures).toEqual([]);
  expect(statuses).toEqual(new Set([503]));
});

it('a server starts while a worker is down, and delivers, numbers and purges what it finds of owners of other nodes', async () => {
  const { url, server, killed, isOfKilled, ...distributed } = await startDistributed(WEBHOOKS);
  const own = await subscribe(server, distributed.own.slice(0, 2));
  const others = await subscribe(server, distributed.others.slice(0, 4));
  await server.stop();
  // No server notices these events, so that the search for due deliveries finds them.
  const insert = (owner: string) => insertVersions(url, owner, 1, [1, 1], new Date().toISOString());
  for (const { owner } of own) await insert(owner);
  const [, , , , neighbor = ''] = distributed.others.map(({ owner }) => owner);
  await insertVersions(url, neighbor, 1, [1, 1200], new Date().toISOString());
  await insertKey(url, neighbor, 'key', { id: idOf(1), version: 1 }, '2026-01-01');
  await killed.kill();

  const started = await startServerOnCluster(url, WEBHOOKS);
  expect(started.output()).toContain('not checked for the owners of a node that is down');
  const load = startSteadyLoad(started.url, started.owners.filter((owner) => !isOfKilled(owner)).slice(5), 4);
  await responses(load);
  expect((await load.stop()).failures).toEqual([]);
  for (const { owner } of others) await insert(owner);
  await Promise.all(others.map(({ receive }) => receive(1)));
  for (const left of ['changes where position is null and', `idempotency where key = 'key' and`]) {
    const rows = () => execute(url, `select from ${left} owner_id = '${neighbor}'`);
    await expect.poll(rows, { timeout: 60_000 }).toEqual([]);
  }

  await killed.restart();
  await Promise.all(own.map(({ receive }) => receive(1)));
});
