import { randomUUID } from 'node:crypto';
import { AN_ORDER } from '../programs/running-server.ts';

/** An owner of orders under load. */
export interface LoadOwner {
  readonly owner: string;
  readonly apiKey: string;
}

/** The changes of orders that a server has acknowledged, and every other response. */
export interface LoadReport {
  /** The last acknowledged version of each order, by id. */
  readonly orders: ReadonlyMap<string, AcknowledgedOrder>;
  /** Responses that are no success, and requests without a response. */
  readonly failures: readonly LoadFailure[];
}

interface AcknowledgedOrder extends LoadOwner {
  readonly version: number;
}

interface LoadFailure {
  readonly owner: string;
  readonly request: string;
  readonly status: number;
  readonly body: string;
}

/** Clients that place, read, change and cancel orders until they are stopped. */
export interface SteadyLoad {
  /** The number of responses so far. */
  readonly responses: () => number;
  readonly stop: () => Promise<LoadReport>;
}

/** Starts clients that send one request at a time, each for all owners in turn. */
export function startSteadyLoad(url: string, owners: readonly LoadOwner[], clients = 8): SteadyLoad {
  const orders = new Map<string, AcknowledgedOrder>();
  const failures: LoadFailure[] = [];
  let requests = 0;
  let isStopped = false;

  /** Sends a request, and returns the order of the response if it was acknowledged. */
  const send = async (of: LoadOwner, method: string, path: string, body?: string): Promise<string | undefined> => {
    const response = await respond(url + path, of, method, body);
    requests += 1;
    const { status, text } = response;
    if (status < 200 || status > 299) {
      failures.push({ owner: of.owner, request: `${method} ${path}`, status, body: text });
      return undefined;
    }
    const order: unknown = JSON.parse(text);
    if (!isOrder(order)) throw new Error(`not an order: ${text}`);
    orders.set(order.id, { ...of, version: order.version });
    return order.id;
  };

  const work = async (client: number): Promise<void> => {
    for (let turn = client; !isStopped; turn += clients) {
      const of = owners[turn % owners.length];
      if (!of) throw new Error('no owners');
      const id = await send(of, 'POST', '/v1/orders', AN_ORDER);
      if (id === undefined) continue;
      await send(of, 'PATCH', `/v1/orders/${id}`, `{"note":"${randomUUID()}"}`);
      await send(of, 'GET', `/v1/orders/${id}`);
      if (turn % 2 === 0) await send(of, 'POST', `/v1/orders/${id}/cancel`, '{"reason":"no"}');
    }
  };
  const working = Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return {
    responses: () => requests,
    stop: async () => {
      isStopped = true;
      await working;
      return { orders, failures };
    },
  };
}

/** Places orders at a steady rate, whatever the responses are, until it is stopped. Returns the statuses of the responses. */
export function startPacedOrders(url: string, owners: readonly LoadOwner[], perSecond: number) {
  const statuses: number[] = [];
  const sent: Promise<unknown>[] = [];
  const timer = setInterval(() => {
    const of = owners[sent.length % owners.length];
    if (!of) throw new Error('no owners');
    sent.push(respond(`${url}/v1/orders`, of, 'POST', AN_ORDER).then(({ status }) => statuses.push(status)));
  }, 1000 / perSecond);
  return {
    stop: async (): Promise<readonly number[]> => {
      clearInterval(timer);
      await Promise.all(sent);
      return statuses;
    },
  };
}

async function respond(url: string, { apiKey }: LoadOwner, method: string, body: string | undefined) {
  const headers = {
    'x-api-key': apiKey,
    ...(body !== undefined && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
  };
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    return { status: 0, text: String(cause) };
  }
}

function isOrder(value: unknown): value is { readonly id: string; readonly version: number } {
  return typeof value === 'object' && value !== null && 'id' in value && 'version' in value;
}

/** Returns the acknowledged orders that a server does not return with at least the acknowledged version. */
export async function lostOrders(url: string, orders: LoadReport['orders']): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [id, { apiKey, version }] of orders) {
    const response = await fetch(`${url}/v1/orders/${id}`, { headers: { 'x-api-key': apiKey } });
    const order: unknown = await response.json();
    if (response.status !== 200 || !isOrder(order) || order.version < version) lost.push(id);
  }
  return lost;
}
