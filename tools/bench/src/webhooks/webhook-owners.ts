import { randomBytes } from 'node:crypto';
import { createOrdersClient } from '@orders/client';
import { issueKeys, type Server } from '@orders/system-under-test';
import type { Bench, BenchPostgres } from '../bench.ts';
import type { LoadJob } from '../load/load-worker.ts';
import { CONNECTIONS } from '../subject.ts';
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

/** Registers endpoints of an owner at the receiver. */
export async function registerEndpoints(
  { receiver, server }: WebhooksBench,
  apiKey: string,
  count: number,
): Promise<void> {
  const { webhooks } = createOrdersClient({ baseUrl: server.url, credentials: { apiKey } });
  for (let registered = 0; registered < count; registered += 1) {
    const url = receiver.newUrl();
    const { secret } = (await webhooks.create({ url: url.href }))._unsafeUnwrap();
    receiver.expect(url.pathname, secret);
  }
}

/** Creates owners with an endpoint each. Returns their API keys. */
export async function newReceivers(webhooks: WebhooksBench, count: number): Promise<readonly string[]> {
  const apiKeys = await newOwners(webhooks, count);
  for (const apiKey of apiKeys) await registerEndpoints(webhooks, apiKey, 1);
  return apiKeys;
}
