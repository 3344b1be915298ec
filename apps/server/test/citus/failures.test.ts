import { distribute } from '@orders/persistence';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startOwnCluster } from '../../../../packages/persistence/test/citus/own-cluster.ts';
import { portsOfOwners, startServerOnCluster } from './distributed-server.ts';
import { lostOrders, startSteadyLoad, type SteadyLoad } from './steady-load.ts';
import { expectDelivered, subscribe, WEBHOOKS } from './subscribers.ts';

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

it('a killed worker stops the deliveries of its own owners alone, which follow when it is back', async () => {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const { url } = cluster.coordinator;
  const server = await startServerOnCluster(url, WEBHOOKS);
  await distribute(server.database);
  const ports = await portsOfOwners(url, server.owners);
  const [killed] = cluster.workers;
  if (!killed) throw new Error('the cluster has no workers');
  const isOfKilled = ({ owner }: { readonly owner: string }) => ports.get(owner) === killed.port;
  const own = await subscribe(server, server.owners.filter(isOfKilled).slice(0, 4));
  const others = await subscribe(server, server.owners.filter((owner) => !isOfKilled(owner)).slice(0, 4));
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
