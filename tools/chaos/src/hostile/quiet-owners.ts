import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpResponse, type Broken, exchange, type Request } from '../load/exchange.ts';
import { isRecord } from '../load/resource.ts';

/** The interval between two requests of all quiet owners together, in milliseconds. */
const PACE_MS = 12;

/** Maximum duration of a quiet request before it counts as lost, in milliseconds. */
const RESPONSE_MS = 10_000;

type Operation = 'get' | 'list' | 'create' | 'cancel' | 'events';

/** The operations of each owner, in turn. A quarter of them are writes; each list has a new connection. */
const MIX: readonly Operation[] = ['get', 'list', 'create', 'events', 'list', 'events', 'cancel', 'get'];

const ORDER = { items: [{ sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }] };

/** Requests of the quiet owners within one span of time. */
interface QuietRun {
  /** Duration of every request, in milliseconds. */
  readonly tookMs: readonly number[];
  /** Requests without the expected response, each with what came back instead. */
  readonly failures: readonly string[];
}

/** Owners who keep well within their limits and send requests at a fixed pace, each on connections of its own. */
export interface QuietOwners {
  /** Sends requests for at least `minMs` and until `until` settles, and waits for all their responses. */
  run(minMs: number, until?: Promise<unknown>): Promise<QuietRun>;
  readonly apiKeys: readonly string[];
  close(): void;
}

interface QuietOwner {
  readonly apiKey: string;
  readonly agent: Agent;
  /** Orders that the owner may still cancel. */
  readonly pending: string[];
  /** An order that is never cancelled. */
  kept: string;
  turn: number;
}

/** Creates an order for each owner to read, and returns the owners. */
export async function quietOwners(url: string, apiKeys: readonly string[]): Promise<QuietOwners> {
  const owners = apiKeys.map((apiKey): QuietOwner => {
    return { apiKey, agent: new Agent({ keepAlive: true }), pending: [], kept: '', turn: 0 };
  });
  const fresh = new Agent({ keepAlive: false });
  const send = async ({ apiKey, agent }: QuietOwner, request: Request) => {
    const via = request.path === LIST.path ? fresh : agent;
    return await exchange(via, url, { ...request, headers: { 'x-api-key': apiKey } }, RESPONSE_MS);
  };

  for (const [index, owner] of owners.entries()) {
    owner.turn = index;
    const created = await send(owner, CREATE);
    const id = idOf(created);
    if (id === undefined) throw new Error(`a quiet owner cannot create an order: ${described(created)}`);
    owner.kept = id;
  }

  const step = async (owner: QuietOwner, tookMs: number[], failures: string[]): Promise<void> => {
    const { request, expected } = nextRequest(owner);
    const exchanged = await send(owner, request);
    tookMs.push(exchanged.tookMs);
    if ('status' in exchanged && exchanged.status === expected) {
      const id = expected === 201 ? idOf(exchanged) : undefined;
      if (id !== undefined) owner.pending.push(id);
      return;
    }
    const after = `after ${exchanged.tookMs.toFixed(0)} ms`;
    failures.push(
      `${request.method} ${request.path.replace(/[0-9a-f-]{36}/, '{id}')}: ${described(exchanged)} ${after}`,
    );
  };

  return {
    apiKeys,
    run: async (minMs, until = Promise.resolve()) => {
      const tookMs: number[] = [];
      const failures: string[] = [];
      const steps: Promise<void>[] = [];
      const settled = new AbortController();
      const settle = () => settled.abort();
      until.then(settle, settle);
      const begun = performance.now();
      for (let sent = 0; performance.now() - begun < minMs || !settled.signal.aborted; sent += 1) {
        const owner = owners[sent % owners.length];
        if (owner) steps.push(step(owner, tookMs, failures));
        // The pace follows the clock, even when this process is late.
        await sleep(Math.max(0, begun + (sent + 1) * PACE_MS - performance.now()));
      }
      await Promise.all(steps);
      return { tookMs, failures };
    },
    close: () => {
      for (const { agent } of owners) agent.destroy();
    },
  };
}

const CREATE: Request = { method: 'POST', path: '/v1/orders', body: ORDER };
const LIST: Request = { method: 'GET', path: '/v1/orders?limit=20' };

/** The latest place, which gives positions to all events of the owner. */
const EVENTS: Request = { method: 'GET', path: '/v1/events?start=latest' };

function nextRequest(owner: QuietOwner): { readonly request: Request; readonly expected: number } {
  const operation = MIX[owner.turn % MIX.length];
  owner.turn += 1;
  if (operation === 'create') return { request: CREATE, expected: 201 };
  if (operation === 'list') return { request: LIST, expected: 200 };
  if (operation === 'events') return { request: EVENTS, expected: 200 };
  const cancelled = operation === 'cancel' ? owner.pending.shift() : undefined;
  if (cancelled === undefined) return { request: { method: 'GET', path: `/v1/orders/${owner.kept}` }, expected: 200 };
  return { request: { method: 'POST', path: `/v1/orders/${cancelled}/cancel` }, expected: 200 };
}

function idOf(exchanged: HttpResponse | Broken): string | undefined {
  const id = 'body' in exchanged && isRecord(exchanged.body) ? exchanged.body['id'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

function described(exchanged: HttpResponse | Broken): string {
  if ('broken' in exchanged) return exchanged.broken;
  const code = isRecord(exchanged.body) ? exchanged.body['code'] : undefined;
  return `${exchanged.status} ${typeof code === 'string' ? code : ''}`.trim();
}
