import type { AggregateStore, Clock, Order, Owner } from '@orders/domain';
import { uuidv7Ids } from '@orders/domain/runtime';
import { anEventOf, anEventOfEndpoint, anOrder, aWebhookEndpoint, inMemoryStore } from '@orders/domain/testing';
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
export type WorkerSystem = ReturnType<typeof aWorkerSystem>;

const ids = uuidv7Ids();

/** Creates an empty system. */
export function aWorkerSystem() {
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
  /** Stores a new aggregate with its event. */
  const create = async <A, E>(to: AggregateStore<A, E, unknown>, owner: Owner, after: A, event: E): Promise<A> => {
    await succeeds(to.commit(owner, { kind: 'create', after, event, key: undefined }));
    return after;
  };
  /** Creates a receiver, which accepts everything by default. */
  const receiver = (behaviour: Behaviour = () => 204): Receiver => {
    const created = { url: `https://receiver-${receivers.size}.example/`, behaviour, messages: [], accepted: [] };
    receivers.set(new URL(created.url).origin, created);
    return created;
  };
  /** Creates an endpoint. */
  const subscribe = (owner: Owner, url: string, fields: Partial<WebhookEndpoint> = {}): Promise<WebhookEndpoint> => {
    const endpoint = aWebhookEndpoint({ url, created_at: now(), ...fields });
    return create(store.webhookEndpoints, owner, endpoint, anEventOfEndpoint(owner, endpoint));
  };
  return {
    store,
    clock,
    /** The lines that all workers have logged. */
    log,
    /** Moves the clock of the store forward. */
    advance: (ms: number) => void (ahead += ms),
    receiver,
    subscribe,
    /** Creates a receiver with an endpoint of an owner. */
    subscribed: async (owner: Owner, behaviour?: Behaviour, fields?: Partial<WebhookEndpoint>) => {
      const created = receiver(behaviour);
      return { receiver: created, id: (await subscribe(owner, created.url, fields)).id };
    },
    /** Returns the queue of the store with some methods replaced. */
    queueWith: (methods: Partial<WebhookQueue>): WebhookQueue => {
      const given = new Map<PropertyKey, unknown>(Object.entries(methods));
      return new Proxy(queue, { get: (target, name): unknown => given.get(name) ?? Reflect.get(target, name) });
    },
    /** Places an order, without waking a worker. */
    place: (owner: Owner): Promise<Order> => {
      const order = anOrder({ created_at: now() });
      return create(store.orders, owner, order, anEventOf(owner, order));
    },
    /** Changes an order, without waking a worker. */
    change: async (owner: Owner, id: string): Promise<void> => {
      const before = await loaded(store.orders, owner, id);
      const after = { ...before.aggregate, version: before.aggregate.version + 1, updated_at: now() };
      const event = anEventOf(owner, after, { changed: ['note'] });
      await succeeds(store.orders.commit(owner, { kind: 'change', before, after, event, key: undefined }));
    },
    endpoint: async (owner: Owner, id: string): Promise<WebhookEndpoint> =>
      (await loaded(store.webhookEndpoints, owner, id)).aggregate,
    /** Returns the newest deliveries of an endpoint, newest first. */
    deliveries: async (owner: Owner, id: string): Promise<readonly WebhookDelivery[]> =>
      (await succeeds(store.webhookDeliveries.list(owner, id, { limit: 100, before: null, status: null }))).data,
    /** Starts a worker that polls often, and stops it at the end of the test. */
    start: (options: Partial<WebhookWorkerOptions> = {}): WebhookWorker => {
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

/** Returns an aggregate as its store has it. */
async function loaded<A>(store: Pick<AggregateStore<A, never, never>, 'load'>, owner: Owner, id: string) {
  return (await succeeds(store.load(owner, id))) ?? expect.fail('the store has no such aggregate');
}

interface MessageBody {
  readonly data: { readonly resource: ReceivedMessage['resource'] };
}

function resourceOf(body: string): ReceivedMessage['resource'] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- workers present events as they are
  return (JSON.parse(body) as MessageBody).data.resource;
}
