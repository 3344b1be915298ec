import { setTimeout as sleep } from 'node:timers/promises';
import { createOrdersClient, type OrdersClient } from '@orders/client';

/** The interval between two requests of all quiet owners together, in milliseconds. */
const PACE_MS = 12;

/** Maximum duration of a quiet request before it counts as lost, in milliseconds. */
const RESPONSE_MS = 10_000;

const ORDER = { items: [{ sku: 'MUG-330', name: 'Mug', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }] };

/** Requests of the quiet owners within one span of time. */
interface QuietRun {
  /** Duration of every request, in milliseconds. */
  readonly tookMs: readonly number[];
  /** Requests without the expected response, each with what came back instead. */
  readonly failures: readonly string[];
}

/** Owners who keep well within their limits and send requests at a fixed pace. */
export interface QuietOwners {
  /** Sends requests for at least `minMs` and until `until` settles, and waits for all their responses. */
  run(minMs: number, until?: Promise<unknown>): Promise<QuietRun>;
}

interface QuietOwner {
  readonly client: OrdersClient;
  /** Has a new connection for each request. */
  readonly fresh: OrdersClient;
  /** Orders that the owner may still cancel. */
  readonly pending: string[];
  /** An order that is never cancelled. */
  readonly kept: string;
  turn: number;
}

type Outcome = { readonly value: unknown } | { readonly error: { readonly type: string } };

const OPERATIONS = {
  get: async ({ client, kept }) => await client.get(kept),
  list: async ({ fresh }) => await fresh.list({ limit: 20 }).page(),
  create: async ({ client, pending }) => await client.place(ORDER).map(({ order }) => pending.push(order.id)),
  // The latest place, which gives positions to all events of the owner.
  events: async ({ client }) => await client.events.page({ start: 'latest' }),
  cancel: async ({ client, kept, pending }) => {
    const id = pending.shift();
    return id === undefined ? await client.get(kept) : await client.cancel(id);
  },
} as const satisfies Readonly<Record<string, (owner: QuietOwner) => Promise<Outcome>>>;

/** The operations of each owner, in turn. A quarter of them are writes. */
const MIX = ['get', 'list', 'create', 'events', 'list', 'events', 'cancel', 'get'] as const;

const fetchByNewConnection: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('connection', 'close');
  return fetch(input, { ...init, headers });
};

/** Creates an order for each owner to read, and returns the owners. */
export async function quietOwners(url: string, apiKeys: readonly string[]): Promise<QuietOwners> {
  const owners = await Promise.all(
    apiKeys.map(async (apiKey, turn): Promise<QuietOwner> => {
      const once = { baseUrl: url, credentials: { apiKey }, retries: 0, timeoutMs: RESPONSE_MS };
      const client = createOrdersClient(once);
      const { order } = (await client.place(ORDER))._unsafeUnwrap();
      const fresh = createOrdersClient({ ...once, fetch: fetchByNewConnection });
      return { client, fresh, pending: [], kept: order.id, turn };
    }),
  );

  const step = async (owner: QuietOwner, tookMs: number[], failures: string[]): Promise<void> => {
    const operation = MIX[owner.turn % MIX.length] ?? 'get';
    owner.turn += 1;
    const begun = performance.now();
    const outcome: Outcome = await OPERATIONS[operation](owner);
    const took = performance.now() - begun;
    tookMs.push(took);
    if ('error' in outcome) failures.push(`${operation}: ${outcome.error.type} after ${took.toFixed(0)} ms`);
  };

  return {
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
  };
}
