import { distribute, openDatabase, purge } from '@orders/persistence';
import { expect, inject, it, onTestFinished } from 'vitest';
import {
  createClusterDatabase,
  twoPhaseCommits,
} from '../../../../packages/persistence/test/citus/cluster-database.ts';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { startServerOnCluster } from './distributed-server.ts';
import { type Subscriber, subscribe, WEBHOOKS } from './subscribers.ts';

/** Owners with an endpoint: enough for every node to have some. */
const OWNERS = 8;
const ORDERS = 3;

it('webhooks are delivered, repeated, disabled, enabled and purged, each in one phase', async () => {
  const cluster = await createClusterDatabase(inject('citusUrl'));
  onTestFinished(cluster.drop);
  const distributing = openDatabase({ url: cluster.url });
  await distributing.migrate();
  await distribute(distributing);
  await distributing.close();
  const before = await twoPhaseCommits(cluster);
  const server = await startServerOnCluster(cluster.url, WEBHOOKS);

  const subscribers = await subscribe(server, server.owners.slice(0, OWNERS));
  const ofEach = async (work: (subscriber: Subscriber) => Promise<unknown>) =>
    await Promise.all(subscribers.map((subscriber) => work(subscriber)));

  await ofEach(async ({ owner, receiver, send, place, receive, messages, endpoint }) => {
    await place(ORDERS);
    await receive(ORDERS);
    // Only what is recorded as delivered is delivered again.
    const pending = () =>
      execute(cluster.url, `select from orders.webhook_deliveries where owner_id = '${owner}' and status = 'pending'`);
    await expect.poll(pending, { timeout: 60_000 }).toEqual([]);
    await send('POST', `${endpoint}/deliveries`, { event_id: receiver.received[0]?.headers['webhook-id'] });
    await receive(ORDERS + 1);
    await send('PATCH', endpoint, { status: 'disabled' });
    await place(1);
    await send('PATCH', endpoint, { status: 'enabled' });
    await receive(ORDERS + 3);
    receiver.state.rejects = true;
    await place(1);
    await receive(ORDERS + 4);
    receiver.state.rejects = false;
    await receive(ORDERS + 5);
    const sentOf = (type: string) => messages().filter((text) => text.startsWith(`{"type":"${type}"`));
    expect(sentOf('order.placed')).toHaveLength(ORDERS + 4);
    expect(sentOf('webhook_endpoint.disabled')).toHaveLength(1);
  });
  const count = async () => {
    const [row] = await execute<{ count: number }>(
      cluster.url,
      'select count(*)::int as count from orders.webhook_deliveries',
    );
    return row?.count;
  };
  expect(await count()).toBe(OWNERS * (ORDERS + 3));
  const { stdout } = await server.stop();
  expect(stdout).not.toContain('the store of webhooks failed');
  // The purge of a database deletes from all of its nodes; what it does with webhooks is one owner at a time.
  expect(await twoPhaseCommits(cluster)).toBe(before);
  await purge(server.database)({ now: new Date().toISOString(), eventsBefore: new Date().toISOString() });
  expect(await count()).toBe(0);
});
