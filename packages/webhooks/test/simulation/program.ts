import { createDomain } from '@orders/domain';
import type { Simulation, SimulatedProcess } from '@orders/domain/testing';
import {
  createWebhooks,
  ENDPOINT_IN_FLIGHT_MAX,
  type WebhookEndpoint,
  type WebhookEndpointPatch,
} from '@orders/domain/webhooks';
import { startWebhookWorker, type WebhookWorker } from '@orders/webhooks';
import { ok, type ResultAsync } from 'neverthrow';
import { mannerOf, Receivers, RULES } from './receivers.ts';

const OWNERS = ['acme', 'globex'];
const MANNERS = ['steady', 'flaky', 'flaky', 'down', 'down', 'gone'];
/** All of them want what is placed and changed. */
const FILTERS: readonly WebhookEndpointPatch['types'][] = [
  null,
  ['order.placed', 'order.changed'],
  ['order.placed', 'order.changed', 'order.deleted', 'customer.changed'],
];
const INCLUDES: readonly WebhookEndpointPatch['include'][] = [null, ['resource']];
const ORDER = { items: [{ sku: 'RYE', name: 'Rye', quantity: 1, unit_price: { amount: 420, currency: 'EUR' } }] };
const STOP_GRACE_MS = 5000;
/** Time that a worker has beyond its grace. */
const RELEASE_MS = 2000;
const HOUR_MS = 3_600_000;

/** How much time passes, at most: between two writes, two queries and two workers of a server, and at the end. */
type Pace = Readonly<Record<'pauseMs' | 'pollMs' | 'uptimeMs' | 'settleMs', number>>;

/** Within minutes there is much at a time. Within days deliveries fail finally. */
const PACES: readonly (readonly [string, Pace])[] = [
  ['minutes', { pauseMs: 60_000, pollMs: 10_000, uptimeMs: 300_000, settleMs: 4 * HOUR_MS }],
  ['days', { pauseMs: 48 * HOUR_MS, pollMs: HOUR_MS, uptimeMs: 48 * HOUR_MS, settleMs: 72 * HOUR_MS }],
];

/** What is simulated: two owners that write, and two servers that deliver their events. */
export const simulations = PACES.map(([name, pace]) => {
  const invariants = RULES.map((rule) => [rule, ({ broken }: Receivers) => expectNone(broken.get(rule))] as const);
  const complete = { 'every endpoint has got all that it wants': (world: Receivers) => world.expectComplete(OWNERS) };
  const options = { invariants: Object.fromEntries(invariants), eventually: complete, settleMs: pace.settleMs };
  return [name, { program: (simulation: Simulation) => programAt(pace, simulation), ...options }] as const;
});

function expectNone(broken: string | undefined): void {
  if (broken !== undefined) throw new Error(broken);
}

function programAt({ pauseMs, pollMs, uptimeMs }: Pace, { client, service, store }: Simulation): Receivers {
  const receivers = new Receivers(store);
  const workers = new Map<string, WebhookWorker>();
  const unfinished = new Set(OWNERS);
  for (const server of ['server 1', 'server 2'])
    service(server, async (process) => {
      const { timer, signal, random } = process;
      while (!signal.aborted) {
        const worker = startWorker(process, receivers, pollMs);
        workers.set(server, worker);
        // Half of them are never replaced.
        await timer.pause((random() < 0.5 ? random() : 1000) * uptimeMs, signal);
        const began = timer.now();
        await worker.stop();
        const ms = Math.floor(timer.now() - began);
        receivers.expect(RULES[6], ms <= STOP_GRACE_MS + RELEASE_MS, () => `it stopped after ${ms} ms`);
      }
    });
  for (const owner of OWNERS) {
    const written: Written = { orders: [], customers: [] };
    client(owner, async (process) => {
      const { timer, random } = process;
      // What its process before a crash has sent may still arrive.
      await timer.pause(100);
      const { act, enableAll } = aUser(owner, process, receivers, written);
      for (const operation of process.operations()) {
        await act(operation);
        if (random() < 0.5) workers.get('server 1')?.wakeForEndpoint(owner);
        await timer.pause(random() ** 4 * pauseMs);
      }
      await enableAll();
      unfinished.delete(owner);
      receivers.areHealed = unfinished.size === 0;
    });
  }
  return receivers;
}

function startWorker(process: SimulatedProcess, receivers: Receivers, pollMs: number): WebhookWorker {
  return startWebhookWorker({
    ...process,
    queue: process.webhookQueue,
    endpoints: process.webhookEndpoints,
    sender: process.sender(receivers.sender(process)),
    present: (event) => event,
    log: { info: () => undefined, warn: () => undefined },
    pollMs,
    stopGraceMs: STOP_GRACE_MS,
    attemptsPerOwnerMax: ENDPOINT_IN_FLIGHT_MAX,
    // The default depends on the machine.
    attemptsPerOwnerPerSecond: 50,
  });
}

/** The ids of what an owner has written, also before crashes. */
type Written = Readonly<Record<'orders' | 'customers', string[]>>;

/** A process that writes for an owner. It tries again what was unavailable, so that what it has written is certain. */
function aUser(owner: string, process: SimulatedProcess, receivers: Receivers, { orders, customers }: Written) {
  const { timer, random } = process;
  const domain = createDomain(process);
  const webhooks = createWebhooks({
    ...process,
    endpoints: process.webhookEndpoints,
    deliveries: process.webhookDeliveries,
    secrets: { newestKey: () => 'key', derive: () => 'whsec_' },
    sender: process.sender(receivers.sender(process)),
    targets: { parse: (url) => ok(url) },
  });
  const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(random() * values.length)];

  /** Returns `null` for an expected failure. */
  const succeed = async <T>(call: () => ResultAsync<T, { readonly type: string }>): Promise<T | null> => {
    for (;;) {
      const result = await call();
      if (result.isOk()) return result.value;
      if (result.error.type !== 'unavailable') return null;
      await timer.pause(100);
    }
  };
  const endpointsNow = async (): Promise<readonly WebhookEndpoint[]> => {
    const began = timer.now();
    const endpoints = (await succeed(() => webhooks.listEndpoints(owner)))?.data ?? [];
    for (const endpoint of endpoints) {
      const { id, url, status, disabled_reason: reason } = endpoint;
      // No other process enables them.
      if (status === 'disabled') receivers.of(endpoint).close(began);
      receivers.expect(RULES[7], reason !== 'gone' || mannerOf(url) === 'gone', () => `${id} is gone, of ${url}`);
    }
    return endpoints;
  };
  const change = async (endpoint: WebhookEndpoint, patch: WebhookEndpointPatch): Promise<void> => {
    const receiver = receivers.of(endpoint);
    if (patch.types !== undefined) receiver.filters.push(patch.types);
    if (patch.status === 'enabled') receiver.closedAt = null;
    await succeed(() => webhooks.changeEndpoint(owner, endpoint.id, patch));
    if (patch.status === 'disabled') receiver.close(timer.now());
  };
  const redeliver = async (endpoint: WebhookEndpoint): Promise<void> => {
    const page = await succeed(() => webhooks.listDeliveries(owner, endpoint.id, { limit: 5 }));
    const event_id = pick(page?.data ?? [])?.event_id;
    if (event_id === undefined) return;
    receivers.of(endpoint).redelivered.add(event_id);
    await succeed(() => webhooks.redeliver(owner, endpoint.id, { event_id }));
  };
  const place = async (): Promise<void> => {
    const placed = await succeed(() => domain.placeOrder(owner, ORDER));
    if (placed) orders.push(placed.order.id);
  };
  const writeToCustomer = async (name: string): Promise<void> => {
    const id = pick(customers);
    const draw = random();
    if (id !== undefined && draw < 0.3) await succeed(() => domain.deleteCustomer(owner, id));
    else if (id !== undefined && draw < 0.6) await succeed(() => domain.changeCustomer(owner, id, { name }));
    else {
      const created = await succeed(() => domain.createCustomer(owner, { email: `${name}@example.com` }));
      if (created) customers.push(created.customer.id);
    }
  };

  return {
    act: async (operation: number): Promise<unknown> => {
      const endpoints = await endpointsNow();
      const [endpoint, order, types, include] = [pick(endpoints), pick(orders), pick(FILTERS), pick(INCLUDES)];
      const url = `https://${pick(MANNERS)}/${operation}`;
      const action = Math.floor(random() * 20);
      if (!endpoint || (action === 0 && endpoints.length < 3))
        return await succeed(() => webhooks.createEndpoint(owner, { url, types, include }));
      if (action === 1) {
        await succeed(() => webhooks.deleteEndpoint(owner, endpoint.id));
        return receivers.of(endpoint).close(timer.now());
      }
      if (action === 2) return await change(endpoint, { types, include });
      if (action === 3) return await change(endpoint, { url, status: 'enabled' });
      if (action <= 5) return await change(endpoint, { status: 'disabled' });
      if (action <= 7) return await change(endpoint, { status: 'enabled' });
      if (action === 8) return await redeliver(endpoint);
      // More than an endpoint has attempts at a time.
      if (action === 9) return await Promise.all(Array.from({ length: ENDPOINT_IN_FLIGHT_MAX + 2 }, place));
      if (action <= 12) return await writeToCustomer(`${operation}`);
      if (order !== undefined && action === 13) return await succeed(() => domain.deleteOrder(owner, order));
      if (order !== undefined && action <= 17)
        return await succeed(() => domain.changeOrder(owner, order, { note: `${operation}` }));
      return await place();
    },
    /** Enables all endpoints whose receivers accept something. */
    enableAll: async (): Promise<void> => {
      for (const endpoint of await endpointsNow())
        if (mannerOf(endpoint.url) !== 'gone') await change(endpoint, { status: 'enabled' });
    },
  };
}
