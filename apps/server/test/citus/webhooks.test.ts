import { distribute, purge } from '@orders/persistence';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import {
  createClusterDatabase,
  twoPhaseCommits,
} from '../../../../packages/persistence/test/citus/cluster-database.ts';
import { execute } from '../../../../packages/persistence/test/execute.ts';
import { aReceiver } from '../a-receiver.ts';
import { AN_ORDER } from '../running-server.ts';
import { startServerOnCluster } from './distributed-server.ts';

/** Owners with an endpoint: enough for every node to have some. */
const OWNERS = 8;
const ORDERS = 3;
const TIMEOUT_MS = 120_000;

const WEBHOOKS = {
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'citus').toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
};

it('webhooks are delivered, repeated, disabled, enabled and purged, each in one phase', async () => {
  const cluster = await createClusterDatabase(inject('citusUrl'));
  onTestFinished(cluster.drop);
  const server = await startServerOnCluster(cluster.url, WEBHOOKS);
  await distribute(server.database);
  // Until then, queries of the worker may have waited too long for tables that were distributed.
  const { length: logged } = server.output();
  const before = await twoPhaseCommits(cluster);

  const subscribers = await Promise.all(
    server.owners.slice(0, OWNERS).map(async ({ owner, apiKey }) => {
      const receiver = await aReceiver();
      const send = async (method: string, path: string, body: object | string) => {
        const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
        const response = await fetch(`${server.url}/v1${path}`, {
          method,
          headers,
          body: typeof body === 'string' ? body : JSON.stringify(body),
        });
        const text = await response.text();
        expect({ owner, path, isOk: response.ok, text }).toMatchObject({ isOk: true });
        return text;
      };
      const created = await send('POST', '/webhook_endpoints', { url: receiver.url });
      const [, id = ''] = /"id":"([^"]+)"/.exec(created) ?? [];
      const [, secret = ''] = /"secret":"(whsec_[^"]+)"/.exec(created) ?? [];
      const place = async (count: number) => {
        for (let number = 0; number < count; number += 1) await send('POST', '/orders', AN_ORDER);
      };
      return { owner, receiver, secret, send, place, endpoint: `/webhook_endpoints/${id}` };
    }),
  );
  type Subscriber = (typeof subscribers)[number];
  const ofEach = async (work: (subscriber: Subscriber) => Promise<unknown>) =>
    await Promise.all(subscribers.map((subscriber) => work(subscriber)));
  const receive = async ({ owner, receiver }: Subscriber, count: number) =>
    await vi.waitFor(() => expect([owner, receiver.received.length]).toEqual([owner, count]), {
      timeout: TIMEOUT_MS,
      interval: 100,
    });

  await ofEach(async (subscriber) => {
    const { receiver, secret, send, place, endpoint } = subscriber;
    await place(ORDERS);
    await receive(subscriber, ORDERS);
    await send('POST', `${endpoint}/deliveries`, { event_id: receiver.received[0]?.headers['webhook-id'] });
    await receive(subscriber, ORDERS + 1);
    await send('PATCH', endpoint, { status: 'disabled' });
    await place(1);
    await send('PATCH', endpoint, { status: 'enabled' });
    await receive(subscriber, ORDERS + 3);
    receiver.state.rejects = true;
    await place(1);
    await receive(subscriber, ORDERS + 4);
    receiver.state.rejects = false;
    await receive(subscriber, ORDERS + 5);
    const sent = receiver.received.map((request) => JSON.stringify(receiver.verify(secret, request)));
    const sentOf = (type: string) => sent.filter((text) => text.startsWith(`{"type":"${type}"`));
    expect(sentOf('order.placed')).toHaveLength(ORDERS + 4);
    expect(sentOf('webhook_endpoint.disabled')).toHaveLength(1);
  });
  const count = async () => {
    const [row] = await execute<{ count: number }>(
      cluster.url,
      'select count(*)::int as count from webhook_deliveries',
    );
    return row?.count;
  };
  expect(await count()).toBe(OWNERS * (ORDERS + 3));
  const { stdout } = await server.stop();
  expect(stdout.slice(logged)).not.toContain('the store of webhooks failed');
  // The purge of a database deletes from all of its nodes; what it does with webhooks is one owner at a time.
  expect(await twoPhaseCommits(cluster)).toBe(before);
  await purge(server.database)({ now: new Date().toISOString(), eventsBefore: new Date().toISOString() });
  expect(await count()).toBe(0);
});
