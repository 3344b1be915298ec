import { randomBytes } from 'node:crypto';
import type { Clock, Order, Owner } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anEventOf, anOrder, type InMemoryStore, inMemoryStore } from '@orders/domain/testing';
import type { WebhookDelivery, WebhookEndpoint } from '@orders/domain/webhooks';
import {
  startWebhookWorker,
  webhookSecrets,
  webhookSender,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from '@orders/webhooks';
import type { ResultAsync } from 'neverthrow';
import { expect, onTestFinished, vi } from 'vitest';

/** Returns the value of a successful result; fails the test for an error. */
async function succeeds<T, E>(result: ResultAsync<T, E>): Promise<T> {
  return await result.match(
    (value) => value,
    (error) => expect.fail(`unexpected error: ${JSON.stringify(error)}`),
  );
}

/** Repeats assertions until they hold. */
export async function eventually(assertions: () => unknown): Promise<void> {
  await vi.waitFor(assertions, { timeout: 60_000, interval: 5 });
}

/** A line of the log. */
interface LogLine {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A store in memory with endpoints and workers. */
export interface WorkerSystem {
  readonly store: InMemoryStore;
  readonly clock: Clock;
  /** Moves the clock of the store forward. */
  advance(ms: number): void;
  /** The lines that all workers have logged. */
  readonly log: LogLine[];
  /** Creates an endpoint. */
  subscribe(owner: Owner, url: string, fields?: Partial<WebhookEndpoint>): Promise<WebhookEndpoint>;
  /** Places an order, without waking a worker. */
  place(owner: Owner): Promise<Order>;
  /** Changes an order, without waking a worker. */
  change(owner: Owner, id: string): Promise<void>;
  endpoint(owner: Owner, id: string): Promise<WebhookEndpoint>;
  /** Returns the newest deliveries of an endpoint, newest first. */
  deliveries(owner: Owner, id: string): Promise<readonly WebhookDelivery[]>;
  /** Starts a worker that polls often, and stops it at the end of the test. */
  start(options?: Partial<WebhookWorkerOptions> & { readonly timeoutMs?: number }): WebhookWorker;
}

const ids = uuidv7Ids();

/** Creates an empty system. Its clock runs `speed` times as fast as that of the machine. */
export function aWorkerSystem({ speed = 1 }: { readonly speed?: number } = {}): WorkerSystem {
  const began = Date.now();
  let ahead = 0;
  const clock: Clock = { now: () => new Date(began + (Date.now() - began) * speed + ahead) };
  const now = () => clock.now().toISOString();
  const store = inMemoryStore({ clock });
  const secrets = webhookSecrets([randomBytes(32).toString('base64')]);
  const log: LogLine[] = [];
  const logAt = (level: LogLine['level']) => (details: object, message: string) =>
    void log.push({ level, message, details: { ...details } });
  return {
    store,
    clock,
    log,
    advance: (ms) => void (ahead += ms),
    subscribe: async (owner, url, fields = {}) => {
      const endpoint: WebhookEndpoint = {
        id: ids.next(),
        url,
        types: null,
        include: [],
        description: null,
        status: 'enabled',
        disabled_reason: null,
        secrets: [{ serial: 1, key: secrets.newestKey(), expires_at: null }],
        start: 0,
        version: 1,
        created_at: now(),
        updated_at: now(),
        ...fields,
      };
      const { id, version, updated_at: occurred_at } = endpoint;
      const event = {
        id: ids.next(),
        type: 'webhook_endpoint.created',
        owner,
        aggregate_id: id,
        version,
        occurred_at,
        changed: [],
        actor: null,
      } as const;
      await succeeds(store.webhookEndpoints.commit(owner, { kind: 'create', after: endpoint, event, key: undefined }));
      return endpoint;
    },
    place: async (owner) => {
      const order = anOrder({ created_at: now() });
      const event = anEventOf(owner, order);
      await succeeds(store.orders.commit(owner, { kind: 'create', after: order, event, key: undefined }));
      return order;
    },
    change: async (owner, id) => {
      const before = await succeeds(store.orders.load(owner, id));
      if (!before) throw new Error('the order is missing');
      const after = { ...before.aggregate, version: before.aggregate.version + 1, updated_at: now() };
      const event = anEventOf(owner, after, { changed: ['note'] });
      await succeeds(store.orders.commit(owner, { kind: 'change', before, after, event, key: undefined }));
    },
    endpoint: async (owner, id) => {
      const found = await succeeds(store.webhookEndpoints.load(owner, id));
      if (!found) throw new Error('the endpoint is missing');
      return found.aggregate;
    },
    deliveries: async (owner, id) =>
      (await succeeds(store.webhookDeliveries.list(owner, id, { limit: 100, before: null, status: null }))).data,
    start: ({ timeoutMs, ...options } = {}) => {
      const sender = webhookSender({ secrets, clock, rules: { allow: ['127.0.0.1/32'] }, timeoutMs, isolated: false });
      const worker = startWebhookWorker({
        queue: store.webhookQueue,
        sender,
        endpoints: store.webhookEndpoints,
        ids,
        clock,
        present: (event) => event,
        log: { info: logAt('info'), warn: logAt('warn') },
        pollMs: 10,
        stopGraceMs: 50,
        ...options,
      });
      onTestFinished(async () => {
        await worker.stop();
        sender.close();
      });
      return worker;
    },
  };
}
