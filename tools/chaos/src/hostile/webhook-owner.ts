import { Agent } from 'node:http';
import { exchange, type Request } from '../load/exchange.ts';
import { isRecord } from '../load/resource.ts';
import type { Stage } from '../stage.ts';

const RESPONSE_MS = 30_000;

/** An owner with webhook endpoints. */
export interface WebhookOwner {
  /** Registers an endpoint, and returns its id. */
  register(url: string): Promise<string>;
  setStatus(endpointId: string, status: 'enabled' | 'disabled'): Promise<number>;
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
  };
}
