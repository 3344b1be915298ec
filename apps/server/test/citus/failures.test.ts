import { distribute } from '@orders/persistence';
import { expect, inject, it, onTestFinished } from 'vitest';
import { startOwnCluster } from '../../../../packages/persistence/test/citus/own-cluster.ts';
import { portsOfOwners, startServerOnCluster } from './distributed-server.ts';
import { lostOrders, startSteadyLoad, type SteadyLoad } from './steady-load.ts';

/** The number of responses in each phase of the test. */
const RESPONSES = 300;

async function responses(load: SteadyLoad): Promise<void> {
  const before = load.responses();
  await expect.poll(load.responses, { timeout: 120_000 }).toBeGreaterThan(before + RESPONSES);
}

it('a killed worker stops only its own owners, and nothing acknowledged is lost', async () => {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const { url } = cluster.coordinator;
  const server = await startServerOnCluster(url);
  await distribute(server.database);
  const ports = await portsOfOwners(url, server.owners);
  const [killed] = cluster.workers;
  if (!killed) throw new Error('the cluster has no workers');
  const isOfKilled = (owner: string) => ports.get(owner) === killed.port;
  const [others, own] = [
    server.owners.filter(({ owner }) => !isOfKilled(owner)),
    server.owners.filter(({ owner }) => isOfKilled(owner)),
  ];

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

it('a server starts and credentials are created while a worker is down', async () => {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const { url } = cluster.coordinator;
  const first = await startServerOnCluster(url);
  await distribute(first.database);
  const ports = await portsOfOwners(url, first.owners);
  await first.stop();
  const [killed, other] = cluster.workers;
  await killed?.kill();
  const server = await startServerOnCluster(url);
  const owners = server.owners.filter(({ owner }) => ports.get(owner) === other?.port);
  const load = startSteadyLoad(server.url, owners, 4);
  await responses(load);
  expect((await load.stop()).failures).toEqual([]);
});
