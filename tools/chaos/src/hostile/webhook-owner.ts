import { Agent } from 'node:http';
import { exchange, type Request } from '../load/exchange.ts';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';

const RESPONSE_MS = 30_000;

/** The settings of a server that sends webhooks to this machine. */
export const WEBHOOK_SETTINGS = {
  WEBHOOK_SIGNING_KEYS: Buffer.alloc(32, 'chaos').toString('base64'),
  WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
};

/** An owner with webhook endpoints. */
export interface WebhookOwner {
  /** Registers an endpoint, and returns its id. */
  register(url: string): Promise<string>;
  setStatus(endpointId: string, status: 'enabled' | 'disabled'): Promise<number>;
  /** Sends a test message; returns the status of the response. */
  test(endpointId: string): Promise<number>;
  /** Returns the events of the newest deliveries of an endpoint. */
  events(endpointId: string): Promise<readonly string[]>;
  redeliver(endpointId: string, eventId: string): Promise<number>;
}

/** Returns an owner whose requests go to a server, on connections of its own. */
export function webhookOwner(stage: Stage, url: string, apiKey: string): WebhookOwner {
  const agent = new Agent({ keepAlive: true });
  stage.atEnd(() => agent.destroy());
  const send = async (method: Request['method'], path: string, body?: object) => {
    const request = { method, path, headers: { 'x-api-key': apiKey }, body };
    const response = await exchange(agent, url, request, RESPONSE_MS);
    return 'status' in response ? response : { status: 0, body: undefined };
  };
  const pathOf = (id: string) => `/v1/webhook_endpoints/${id}`;
  return {
    register: async (target) => {
      const { status, body } = await send('POST', '/v1/webhook_endpoints', { url: target });
      const id = isRecord(body) ? body['id'] : undefined;
      if (typeof id !== 'string') throw new Error(`an endpoint cannot be registered: ${status}`);
      return id;
    },
    setStatus: async (id, status) => (await send('PATCH', pathOf(id), { status })).status,
    test: async (id) => (await send('POST', `${pathOf(id)}/tests`)).status,
    events: async (id) => {
      const { body } = await send('GET', `${pathOf(id)}/deliveries?limit=100`);
      const data: unknown = isRecord(body) ? body['data'] : undefined;
      const deliveries: readonly unknown[] = Array.isArray(data) ? data : [];
      return deliveries.flatMap((delivery) => (isRecord(delivery) ? [String(delivery['event_id'])] : []));
    },
    redeliver: async (id, eventId) => (await send('POST', `${pathOf(id)}/deliveries`, { event_id: eventId })).status,
  };
}
