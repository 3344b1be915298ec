import { distribute } from '@orders/persistence';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createClusterDatabase } from '../../../../packages/persistence/test/citus/cluster-database.ts';
import { startOwnCluster } from '../../../../packages/persistence/test/citus/own-cluster.ts';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { type ServerOnCluster, startServerOnCluster, storedRows } from './distributed-server.ts';
import { lostOrders, startSteadyLoad } from './steady-load.ts';
import { expectDelivered, subscribe, WEBHOOKS } from './subscribers.ts';

/** Owners with an endpoint: enough for every node to have some. */
const SUBSCRIBERS = 8;

/**
 * Runs `work` under load. Expects that no request fails, that every acknowledged change is stored once, and that its event
 * is delivered.
 */
async function expectUnnoticed(server: ServerOnCluster, url: string, work: () => Promise<unknown>): Promise<void> {
  const subscribers = await subscribe(server, server.owners.slice(0, SUBSCRIBERS));
  const before = await storedRows(url);
  const load = startSteadyLoad(server.url, server.owners);
  const someMore = async () => {
    const enough = load.responses() + 200;
    await expect.poll(load.responses, { timeout: 120_000 }).toBeGreaterThan(enough);
  };
  await someMore();
  await work();
  await someMore();
  const { failures, orders } = await load.stop();
  expect(failures).toEqual([]);
  const versions = [...orders.values()].reduce((sum, { version }) => sum + version, 0);
  const after = await storedRows(url);
  expect({
    orders: after.orders - before.orders,
    changes: after.changes - before.changes,
    idempotency: after.idempotency - before.idempotency,
  }).toEqual({ orders: orders.size, changes: versions, idempotency: versions });
  expect(await lostOrders(server.url, orders)).toEqual([]);
  await expectDelivered(url, subscribers);
}

it('requests and deliveries wait while tables with rows are distributed', async () => {
  const cluster = await createClusterDatabase(inject('citusUrl'));
  onTestFinished(cluster.drop);
  const server = await startServerOnCluster(cluster.url, WEBHOOKS);
  await expectUnnoticed(server, cluster.url, () => distribute(server.database));
  const nodes = await execute(cluster.url, 'select distinct nodename, nodeport from citus_shards');
  expect(nodes.length).toBeGreaterThanOrEqual(2);
});

it('requests and deliveries wait while shards move to a worker that has joined', async () => {
  const cluster = await startOwnCluster(inject('citusUrl'));
  onTestFinished(cluster.stop);
  const { url } = cluster.coordinator;
  const server = await startServerOnCluster(url, WEBHOOKS);
  await distribute(server.database);
  const joined = await cluster.startNode();
  await expectUnnoticed(server, url, async () => {
    await execute(url, `select citus_add_node('127.0.0.1', ${joined.port})`);
    await execute(url, 'select rebalance_table_shards()');
  });
  const moved = `select from citus_shards where nodeport = ${joined.port}`;
  expect((await execute(url, moved)).length).toBeGreaterThan(0);
});
