import type { Clock, Order, Owner } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anEventOf, anOrder, type InMemoryStore, inMemoryStore } from '@orders/domain/testing';
import type { WebhookDelivery, WebhookEndpoint, WebhookQueue, WebhookSender } from '@orders/domain/webhooks';
import { startWebhookWorker, type WebhookWorker, type WebhookWorkerOptions } from '@orders/webhooks';
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

/** A message as a receiver gets it. */
interface ReceivedMessage {
  /** The id of the event. */
  readonly id: string;
  readonly resource: { readonly id: string; readonly version: number };
  readonly body: string;
}

/** Returns the status of the response to a message. */
type Behaviour = (message: ReceivedMessage) => number | Promise<number>;

/** Never responds. */
export const HANG = (): Promise<number> => new Promise(() => undefined);

/** A receiver of webhooks. */
interface Receiver {
  readonly url: string;
  readonly behaviour: Behaviour;
  /** All messages, in order of their arrival. */
  readonly messages: ReceivedMessage[];
  /** The messages that it accepted, in order of the responses. */
  readonly accepted: ReceivedMessage[];
}

/** A store in memory with endpoints, their receivers, and workers. */
export interface WorkerSystem {
  readonly store: InMemoryStore;
  readonly clock: Clock;
  /** Moves the clock of the store forward. */
  advance(ms: number): void;
  /** The lines that all workers have logged. */
  readonly log: LogLine[];
  /** Creates a receiver, which accepts everything by default. */
  receiver(behaviour?: Behaviour): Receiver;
  /** Returns the queue of the store with some methods replaced. */
  queueWith(methods: Partial<WebhookQueue>): WebhookQueue;
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
  start(options?: Partial<WebhookWorkerOptions>): WebhookWorker;
}

const ids = uuidv7Ids();

/** Creates an empty system. */
export function aWorkerSystem(): WorkerSystem {
  let ahead = 0;
  const clock: Clock = { now: () => new Date(Date.now() + ahead) };
  const now = () => clock.now().toISOString();
  const store = inMemoryStore({ clock });
  const queue = store.webhookQueue;
  const receivers = new Map<string, Receiver>();
  const send: WebhookSender['send'] = async (_, { url }, { id, body }, signal) => {
    const receiver = receivers.get(new URL(url).origin) ?? expect.fail(`nothing receives ${url}`);
    const message = { id, body, resource: resourceOf(body) };
    receiver.messages.push(message);
    const { promise: interrupted, resolve } = Promise.withResolvers<null>();
    signal?.addEventListener('abort', () => resolve(null));
    const status = await Promise.race([receiver.behaviour(message), interrupted]);
    if (status !== null && status < 300) receiver.accepted.push(message);
    const failure = status === null ? 'interrupted' : 'status_not_accepted';
    return { status, error: status !== null && status < 300 ? null : failure, duration_ms: 1, retryAfterMs: null };
  };
  const log: LogLine[] = [];
  const logAt = (level: LogLine['level']) => (details: object, message: string) =>
    void log.push({ level, message, details: { ...details } });
  return {
    store,
    clock,
    log,
    advance: (ms) => void (ahead += ms),
    receiver: (behaviour = () => 204) => {
      const receiver = { url: `https://receiver-${receivers.size}.example/`, behaviour, messages: [], accepted: [] };
      receivers.set(new URL(receiver.url).origin, receiver);
      return receiver;
    },
    queueWith: (methods) => ({
      findDue: (limit, after) => queue.findDue(limit, after),
      fanOut: (owner) => queue.fanOut(owner),
      claim: (owner, limit) => queue.claim(owner, limit),
      settle: (...settled) => queue.settle(...settled),
      ...methods,
    }),
    subscribe: async (owner, url, fields = {}) => {
      const endpoint: WebhookEndpoint = {
        id: ids.next(),
        url,
        types: null,
        include: [],
        description: null,
        status: 'enabled',
        disabled_reason: null,
        secrets: [{ serial: 1, key: 'key', expires_at: null }],
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
    start: (options = {}) => {
      const worker = startWebhookWorker({
        queue,
        sender: { send },
        endpoints: store.webhookEndpoints,
        ids,
        clock,
        present: (event) => event,
        log: { info: logAt('info'), warn: logAt('warn') },
        pollMs: 10,
        stopGraceMs: 50,
        ...options,
      });
      onTestFinished(() => worker.stop());
      return worker;
    },
  };
}

interface MessageBody {
  readonly data: { readonly resource: ReceivedMessage['resource'] };
}

function resourceOf(body: string): ReceivedMessage['resource'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workers present events as they are
  return (JSON.parse(body) as MessageBody).data.resource;
}
