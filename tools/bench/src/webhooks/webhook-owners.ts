import { randomBytes } from 'node:crypto';
import { issueKeys, type Server } from '@orders/system-under-test';
import { z } from 'zod';
import type { Bench, BenchPostgres } from '../bench.ts';
import type { LoadJob } from '../load/load-worker.ts';
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

/** What a server needs to send to the receivers. */
export const SENDING = {
  WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
};

let owners = 0;

/** Creates API keys of owners that did not exist before. */
export async function newOwners({ postgres }: WebhooksBench, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, index) => `owner-${owners + index}`);
  owners += count;
  return await issueKeys(postgres.url, names);
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

/** Registers endpoints of an owner at the receiver. Returns their ids. */
export async function registerEndpoints(
  { receiver, server }: WebhooksBench,
  apiKey: string,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const url = receiver.newUrl();
    const body = { url: url.href };
    const { id, secret } = Created.parse(await send(server, apiKey, 'POST', '/v1/webhook_endpoints', body));
    receiver.expect({ path: url.pathname, secret });
    ids.push(id);
  }
  return ids;
}

/** Creates owners with an endpoint each. Returns their API keys. */
export async function newReceivers(webhooks: WebhooksBench, count: number): Promise<readonly string[]> {
  const apiKeys = await newOwners(webhooks, count);
  for (const apiKey of apiKeys) await registerEndpoints(webhooks, apiKey, 1);
  return apiKeys;
}

/** Deletes endpoints of an owner. */
export async function deleteEndpoints({ server }: WebhooksBench, apiKey: string, ids: readonly string[]) {
  for (const id of ids) await send(server, apiKey, 'DELETE', `/v1/webhook_endpoints/${id}`);
}

/** Sends a request, and returns the response as JSON. */
async function send({ url }: Server, apiKey: string, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new WrongResponse(`${method} ${path} returned ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
