import { deepStrictEqual } from 'node:assert/strict';
import { createOrdersClient, type Timer } from '@orders/client';
import { createDomain } from '@orders/domain';
import type { SimulatedProcess, Simulation } from '@orders/domain/testing';
import { ordersHttp, ordersServerOptions } from '@orders/http-adapter';
import { fastify } from 'fastify';
import { TEA } from '../doors/doors.ts';

const OWNER = 'acme';
const SERVER = 'https://orders.test';
const TIMEOUT_MS = 10_000;

/** A write, which a shop resends until it knows the outcome. */
interface Task {
  readonly key: string;
  readonly write: 'place' | 'count' | 'cancel';
  /** The order that is changed. */
  readonly id: string;
  /** Whether an attempt may have taken effect. */
  isOpen: boolean;
  /** The id of the order that was written. */
  done: string | null;
}

/** A call of the client, whose attempts go through the network. */
interface Call {
  readonly task: Task;
  /** When the next attempt may be made, in milliseconds. */
  notBefore: number;
}

function aWorld({ store, clock }: Simulation) {
  let ids = 0;
  const next = () => `019b0000-0000-7000-8000-${(++ids).toString(16).padStart(12, '0')}`;
  const domain = createDomain({ ...store, clock, ids: { next } });
  const app = fastify(ordersServerOptions(() => SERVER));
  void app.register(ordersHttp, {
    domain,
    authentication: {
      authenticate: () => ({ owner: OWNER, scopes: ['orders:read', 'orders:write'] }),
      challenge: () => 'None',
      securitySchemes: {},
    },
    publicBaseUrl: SERVER,
    rateLimits: { read: 0, write: 0, anonymous: 0, public: 0 },
    now: () => clock.now(),
  });
  const tasks: Task[] = [];
  const taskOf = (key: string, write: Task['write'] = 'place', id = ''): Task => {
    const task = { key, write, id, isOpen: false, done: null };
    tasks.push(task);
    return task;
  };
  /** What no client does, in the words of the conditions. */
  const wrong: string[] = [];
  /** The keys of the writes that took effect. */
  const made = new Set<string>();
  return { app, domain, store, tasks, taskOf, counter: taskOf('counter'), wrong, made };
}

type World = ReturnType<typeof aWorld>;

const METHODS = ['GET', 'POST', 'PATCH'] as const;

/** Returns a `fetch` through a network that loses, delays and repeats, a balancer and a rate limit. */
function aNetwork({ effect, timer, random }: SimulatedProcess, { app, wrong, made }: World, current: () => Call) {
  const reach = async (request: Request, { key }: Task) => {
    const { statusCode, headers, body } = await app.inject({
      method: METHODS.find((method) => method === request.method) ?? 'DELETE',
      url: request.url.slice(SERVER.length),
      headers: Object.fromEntries(request.headers),
      ...(request.body ? { payload: await request.text() } : {}),
    });
    if (request.method !== 'GET' && statusCode < 300) made.add(key);
    const fields = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
    return new Response(body, { status: statusCode, headers: fields });
  };
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const call = current();
    const { task } = call;
    const since = timer.now();
    if (request.method !== 'GET' && request.headers.get('idempotency-key') !== `"${task.key}"`)
      wrong.push(`an attempt of ${task.key} has another key`);
    if (since < call.notBefore) wrong.push(`an attempt of ${task.key} comes before Retry-After`);
    const isAborted = () => init?.signal?.aborted === true;
    const tooMany = () => {
      const seconds = [0, 7, 30, 90][Math.floor(random() * 4)] ?? 0;
      // A client that no longer waits does not know of it.
      if (!isAborted()) call.notBefore = timer.now() + seconds * 1000;
      return Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'retry-after': String(seconds) } });
    };
    const isAllowed = await effect('limit', () => true).catch(() => false);
    const response = isAllowed
      ? await effect('request', () => reach(request.clone(), task), { repeats: true }).catch(() => null)
      : tooMany();
    if (timer.now() > since + TIMEOUT_MS && !isAborted()) wrong.push(`an attempt of ${task.key} has no time limit`);
    if (response) return response;
    const status = [502, 503, 504][Math.floor(random() * 6)];
    if (status === undefined) throw new TypeError('fetch failed');
    return new Response('<html>', { status });
  };
  return send;
}

/** Makes the operations of a shop, each until its outcome is known. */
async function shop(name: string, process: SimulatedProcess, world: World): Promise<void> {
  const { tasks, taskOf, counter, wrong, made } = world;
  const timer: Timer = process.timer;
  let current: Call;
  const fetchByNetwork = aNetwork(process, world, () => current);
  const orders = createOrdersClient({ baseUrl: SERVER, timeoutMs: TIMEOUT_MS, timer, fetch: fetchByNetwork });
  const send = ({ key: idempotencyKey, write, id }: Task) => {
    if (write === 'place') return orders.place({ items: [TEA] }, { idempotencyKey });
    if (write === 'cancel') return orders.cancel(id, {}, { idempotencyKey });
    const count = (text = '0') => String(Number(text) + 1);
    return orders.update(id, ({ metadata }) => ({ metadata: { count: count(metadata['count']) } }), { idempotencyKey });
  };
  const complete = async (task: Task): Promise<string> => {
    for (; ; await timer.pause(1000)) {
      current = { task, notBefore: 0 };
      const result = await send(task);
      if (result.isOk()) return (task.done = result.value.order.id);
      const { error } = result;
      // The change that was decided before took effect.
      if (error.type === 'idempotency_key_reused' && task.write === 'count' && task.isOpen)
        return (task.done = task.id);
      if ('outcome' in error && error.idempotencyKey === task.key) task.isOpen = true;
      else if (made.has(task.key) && !task.isOpen)
        wrong.push(`${task.key} took effect, and is reported as ${error.type}`);
      if (error.type === 'rate_limited') await timer.pause(error.retry_after_ms ?? 0);
      else if (!/^(unreachable|precondition_failed)$/.test(error.type)) throw new Error(`${task.key}: ${error.type}`);
    }
  };
  const mine = tasks.filter(({ key, done }) => key.startsWith(name) && done === null);
  // The other shop, or this one before it crashed, may have sent it.
  for (const task of [counter, ...mine]) task.isOpen = true;
  const id = await complete(counter);
  for (const task of mine) await complete(task);
  for (const number of process.operations()) {
    const key = `${name}-${number}`;
    if (process.random() < 0.5) {
      await complete(taskOf(key, 'count', id));
    } else {
      const sale = await complete(taskOf(key));
      if (process.random() < 0.5) await complete(taskOf(`${key}-cancelled`, 'cancel', sale));
    }
  }
}

/** What is simulated: two shops that write to one server, on a network that fails. */
export const SHOPS = {
  program: (simulation: Simulation) => {
    const world = aWorld(simulation);
    for (const name of ['east', 'west']) simulation.client(name, (process) => shop(name, process, world));
    return world;
  },
  invariants: {
    'the client keeps its promises': ({ wrong }: World) => {
      if (wrong[0] !== undefined) throw new Error(wrong[0]);
    },
    'no increment is lost or made twice': async (world: World) => {
      const [count, tasks] = [await countOf(world), world.tasks];
      const acknowledged = tasks.filter(({ done }) => done !== null);
      return count >= numberOf(acknowledged, 'count') && count <= numberOf(tasks, 'count');
    },
  },
  eventually: {
    'every write took effect once': async (world: World) => {
      const { tasks, store } = world;
      const events = store.events();
      const idsOf = (type: string) => events.filter((event) => event.type === type).map((event) => event.aggregate_id);
      const doneOf = (write: Task['write']) =>
        tasks.flatMap((task) => (task.write === write ? [task.done ?? 'open'] : []));
      deepStrictEqual(idsOf('order.placed').toSorted(), doneOf('place').toSorted());
      deepStrictEqual(idsOf('order.cancelled').toSorted(), doneOf('cancel').toSorted());
      deepStrictEqual(await countOf(world), numberOf(tasks, 'count'));
    },
  },
};

function numberOf(tasks: readonly Task[], write: Task['write']): number {
  return tasks.filter((task) => task.write === write).length;
}

async function countOf({ domain, counter }: World): Promise<number> {
  if (counter.done === null) return 0;
  const order = await domain.getOrder(OWNER, counter.done);
  return Number(order._unsafeUnwrap().metadata['count'] ?? '0');
}
