import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKeys, type Server } from '@orders/system-under-test';
import { z } from 'zod';
import type { Bench, BenchPostgres } from '../bench.ts';
import type { LoadJob } from '../load/load-worker.ts';
import { placeOrders } from '../load/place-orders.ts';
import { CONNECTIONS } from '../subject.ts';
import { WrongResponse } from '../wrong-response.ts';
import type { Receiver } from './receiver.ts';

/** What all measurements of webhooks share: a server that writes, and receivers. */
export interface WebhooksBench {
  readonly bench: Bench;
  readonly postgres: BenchPostgres;
  readonly receiver: Receiver;
  readonly server: Server;
}

/** An owner and its API key. */
export interface Tenant {
  readonly owner: string;
  readonly apiKey: string;
}

/** What a server needs to send to the receivers. */
export const SENDING = {
  WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
};

let owners = 0;

/** Creates API keys of owners that did not exist before. */
export async function newOwners({ postgres }: WebhooksBench, count: number): Promise<readonly Tenant[]> {
  const names = Array.from({ length: count }, (_, index) => `owner-${owners + index}`);
  owners += count;
  const keys = await issueKeys(postgres.url, names);
  return names.map((owner, index) => ({ owner, apiKey: keys[index] ?? '' }));
}

/** Places orders without a key, in turns with each API key. */
export async function writeOrders(
  { bench, server }: WebhooksBench,
  apiKeys: readonly string[],
  extent: Pick<LoadJob, 'requests' | 'seconds' | 'perSecond'>,
): Promise<number> {
  const job = { case: 'place', port: server.port, apiKeys, connections: CONNECTIONS, ...extent } as const;
  return (await bench.load.run(job)).requests;
}

const Created = z.object({ id: z.string(), secret: z.string() });

/** An endpoint to register. */
export interface NewEndpoint {
  /** Default: a new path of the receiver. */
  readonly url?: string;
  /** Default: `accepts`. */
  readonly behaviour?: 'accepts' | 'hangs';
  /** Whether the receiver reports its deliveries. Default: `true`. */
  readonly reported?: boolean;
}

/** Registers endpoints of an owner, and gives their secrets to the receiver. Returns their ids. */
export async function registerEndpoints(
  { receiver, server }: WebhooksBench,
  apiKey: string,
  endpoints: readonly NewEndpoint[],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { url, behaviour = 'accepts', reported = true } of endpoints) {
    const target = url === undefined ? receiver.newUrl() : new URL(url);
    const body = { url: target.href };
    const { id, secret } = Created.parse(await send(server, apiKey, 'POST', '/v1/webhook_endpoints', body));
    receiver.expect({ path: target.pathname, secret, behaviour, reported });
    ids.push(id);
  }
  return ids;
}

/** Creates owners with an endpoint each. Returns their API keys. */
export async function newReceivers(webhooks: WebhooksBench, count: number): Promise<readonly string[]> {
  const apiKeys = (await newOwners(webhooks, count)).map(({ apiKey }) => apiKey);
  for (const apiKey of apiKeys) await registerEndpoints(webhooks, apiKey, [{}]);
  return apiKeys;
}

/** Deletes endpoints of an owner. */
export async function deleteEndpoints({ server }: WebhooksBench, apiKey: string, ids: readonly string[]) {
  for (const id of ids) await send(server, apiKey, 'DELETE', `/v1/webhook_endpoints/${id}`);
}

/** Sends a request, and returns the response as JSON. */
async function send({ url }: Server, apiKey: string, method: string, path: string, body?: object): Promise<unknown> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': type }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new WrongResponse(`${method} ${path} returned ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/**
 * Gives an owner an endpoint with so many due deliveries, each of another order, as after a time without a worker. Returns
 * a function that enables or disables it; it is disabled at first.
 */
export async function dueDeliveries(
  webhooks: WebhooksBench,
  { owner, apiKey }: Tenant,
  count: number,
): Promise<(status: 'enabled' | 'disabled') => Promise<void>> {
  const { client } = webhooks.postgres;
  const [id = ''] = await registerEndpoints(webhooks, apiKey, [{ reported: false }]);
  await placeOrders(webhooks.server.port, [apiKey], 1);
  // The worker makes the queue of the endpoint with its first delivery.
  const delivered = `select from orders.webhook_deliveries where owner_id = $1 and status = 'delivered'`;
  while ((await client.query(delivered, [owner])).rows.length === 0) await sleep(20);
  const set = async (status: 'enabled' | 'disabled') => {
    await send(webhooks.server, apiKey, 'PATCH', `/v1/webhook_endpoints/${id}`, { status });
  };
  await set('disabled');
  const { rows } = await client.query<{ last: string }>(
    'select max(position) as last from orders.changes where owner_id = $1',
    [owner],
  );
  const last = rows[0]?.last;
  await client.query(
    `insert into orders.changes
       (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
     select $1, 'order', uuidv7(), 1, uuidv7(), 'order.placed', '[]', now(), 1, $3::bigint + n
     from generate_series(1, $2::int) n`,
    [owner, count, last],
  );
  await client.query(
    `insert into orders.webhook_deliveries (owner_id, endpoint_id, position, event_id, type, aggregate, aggregate_id, version,
       status, attempts, fresh, redelivery, due_at, fence)
     select $1, $2, c.position, c.event_id, c.type, c.aggregate, c.aggregate_id, c.version,
       'pending', 0, true, false, now(), 0
     from orders.changes as c where c.owner_id = $1 and c.position > $3`,
    [owner, id, last],
  );
  await client.query('update orders.webhook_queues set position = position + $2 where owner_id = $1', [owner, count]);
  return set;
}
