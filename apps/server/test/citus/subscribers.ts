import { expect, vi } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { aReceiver } from '../programs/a-receiver.ts';
import { AN_ORDER } from '../programs/running-server.ts';
import type { ServerOnCluster } from './distributed-server.ts';
import type { LoadOwner } from './steady-load.ts';

/** Variables of a server that delivers to receivers on this machine. */
export const WEBHOOKS = {
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'citus').toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1',
};

/** Time in which everything is delivered, with attempts that a killed node has lost. */
const TIMEOUT_MS = 180_000;

/** An owner with an endpoint. */
export interface Subscriber extends LoadOwner {
  readonly receiver: Awaited<ReturnType<typeof aReceiver>>;
  /** The path of the endpoint. */
  readonly endpoint: string;
  /** Sends a request, and returns the body of its successful response. */
  readonly send: (method: string, path: string, body: object | string) => Promise<string>;
  readonly place: (count: number) => Promise<void>;
  /** Returns the received messages, as texts of JSON. Each must have a valid signature. */
  readonly messages: () => readonly string[];
  /** Waits until the endpoint has received `count` requests. */
  readonly receive: (count: number) => Promise<void>;
}

/** Creates an endpoint for each of the owners, which wants everything. */
export async function subscribe(server: ServerOnCluster, owners: readonly LoadOwner[]): Promise<readonly Subscriber[]> {
  return await Promise.all(owners.map((owner) => subscribeOwner(server, owner)));
}

async function subscribeOwner(server: ServerOnCluster, { owner, apiKey }: LoadOwner): Promise<Subscriber> {
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
  return {
    owner,
    apiKey,
    receiver,
    send,
    endpoint: `/webhook_endpoints/${id}`,
    place: async (count) => {
      for (let number = 0; number < count; number += 1) await send('POST', '/orders', AN_ORDER);
    },
    messages: () => receiver.received.map((request) => JSON.stringify(receiver.verify(secret, request))),
    receive: async (count) =>
      await vi.waitFor(() => expect([owner, receiver.received.length]).toEqual([owner, count]), {
        timeout: TIMEOUT_MS,
        interval: 100,
      }),
  };
}

/** Waits until every event of the subscribers is delivered. Expects that the versions of each order came in their order. */
export async function expectDelivered(url: string, subscribers: readonly Subscriber[]): Promise<void> {
  for (const { owner, receiver, messages } of subscribers) {
    const events = await vi.waitFor(
      async () => {
        const rows = await execute<{ id: string; status: string | null }>(
          url,
          `select c.event_id as id, d.status from orders.changes as c
           left join orders.webhook_deliveries as d on d.owner_id = c.owner_id and d.event_id = c.event_id
           where c.owner_id = '${owner}' and c.type is not null`,
        );
        expect([owner, rows.filter(({ status }) => status !== 'delivered')]).toEqual([owner, []]);
        return rows.map(({ id }) => id);
      },
      { timeout: TIMEOUT_MS, interval: 500 },
    );
    const received = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(received)).toEqual(new Set(events));
    const versions = new Map<string, number>();
    for (const message of messages()) {
      const [, id = '', version = ''] =
        /"resource":\{"type":"order","id":"([^"]+)","version":(\d+)/.exec(message) ?? [];
      expect(id).not.toBe('');
      // A message whose result was lost comes once more, before the next version.
      expect(Number(version) - (versions.get(id) ?? 0)).toBeOneOf([0, 1]);
      versions.set(id, Number(version));
    }
  }
}
