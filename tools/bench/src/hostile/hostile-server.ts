import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Connection,
  cpuTimeOfThreads,
  issueKeys,
  openConnection,
  type RawResponse,
  requestText,
} from '@orders/system-under-test';
import { z } from 'zod';
import { SINGLE_THREADED_GC } from '../against/checkout.ts';
import type { Bench, BenchPostgres } from '../bench.ts';
import { WrongResponse } from '../wrong-response.ts';
import { type Request, validRequest } from '../../../../packages/http-adapter/test/hostile/large-requests.ts';
import {
  DOCUMENT,
  NO_TARGETS,
  ONE_ITEM,
  type Route,
  routesOf,
  type Targets,
} from '../../../../packages/http-adapter/test/hostile/routes.ts';

/** A response and its cost. */
interface Measured {
  /** 0 without a response. */
  readonly status: number;
  /** The CPU time of the server in milliseconds. */
  readonly cpuMs: number;
  /** The units that it took from its rate limit, at least one. */
  readonly units: number;
}

/** A server that gets hostile requests, with resources of its own. */
export interface HostileServer {
  readonly routes: readonly Route[];
  readonly targets: (route: Route) => Targets;
  measure(request: Request): Promise<Measured>;
  /** Measures the largest valid request of a route. Throws unless it is a success. */
  measureValid(route: Route): Promise<Measured>;
  /** Measures the creation of an order of one item, with a key. */
  measureCreation(): Promise<Measured>;
}

/** No run exceeds it, and responses say what is left. */
const LIMIT = 1_000_000_000;
const UNLIMITED = Object.fromEntries(
  ['READ', 'WRITE', 'BATCH', 'ANONYMOUS', 'PUBLIC'].map((policy) => [`RATE_LIMIT_${policy}`, `${LIMIT}`]),
);

/** Operations that succeed once for each target, and the one of whose results an owner has few. */
const SPENDING = /^(cancel_.*|adjust_order|fulfill_items|return_items|delete_.*|erase_.*|create_webhook_endpoint)$/;

/** More bytes than any route accepts. */
const TOO_MANY_BYTES = 2 ** 21 + 1;

const Created = z.object({ id: z.string() });
const Order = z.object({ id: z.string(), items: z.array(Created), fulfillments: z.array(Created) });
const Endpoints = z.object({ data: z.array(Created) });

/** Starts a server, and creates what requests need. */
export async function startHostileServer(bench: Bench, { url }: BenchPostgres): Promise<HostileServer> {
  // What is written does not lengthen the lists that are read.
  const [reader = '', writer = ''] = await issueKeys(url, ['reader', 'writer']);
  const webhooks = {
    WEBHOOKS: 'api',
    WEBHOOK_SIGNING_KEYS: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
  };
  const env = { ...UNLIMITED, ...webhooks };
  const server = await bench.serve({ databaseUrl: url, flags: SINGLE_THREADED_GC, env });
  const send = sender(server.port);

  const bodyOf = async (route: Route, targets: Targets, apiKey: string): Promise<unknown> => {
    const response = await whileUnavailable(() => send(validRequest(route, targets), apiKey));
    if (response && response.status < 300) return JSON.parse(response.body || 'null');
    throw new WrongResponse(`${route.id} got ${response?.status ?? 'no response'}: ${response?.body ?? ''}`);
  };
  /** Returns a route with the limit of its bodies, which the server reports when it rejects one. */
  const withBodyLimit = async (route: Route): Promise<Route> => {
    if (!route.body) return route;
    const request = { ...validRequest(route, NO_TARGETS), body: ' '.repeat(TOO_MANY_BYTES) };
    const response = await whileUnavailable(() => send(request, writer));
    const [, bytes] = /at most (\d+) bytes/.exec(response?.body ?? '') ?? [];
    if (bytes === undefined) throw new WrongResponse(`${route.id} reports no limit: ${response?.body ?? ''}`);
    return { ...route, bodyLimit: Number(bytes) };
  };
  const routes: Route[] = [];
  for (const route of routesOf(await bodyOf(DOCUMENT, NO_TARGETS, ''))) routes.push(await withBodyLimit(route));
  const route = (id: string) => routes.find((each) => each.id === id) ?? DOCUMENT;

  /** Creates the largest resources of an owner, and deletes its webhook endpoints, of which it may have few. */
  const createTargets = async (apiKey: string): Promise<Targets> => {
    const create = async (id: string, targets: Targets) => Created.parse(await bodyOf(route(id), targets, apiKey)).id;
    const { data } = Endpoints.parse(await bodyOf(route('list_webhook_endpoints'), NO_TARGETS, apiKey));
    for (const { id } of data)
      await bodyOf(route('delete_webhook_endpoint'), { ...NO_TARGETS, webhook_endpoints: id }, apiKey);
    const buyer = await create('create_customer', NO_TARGETS);
    const place = route('place_order');
    // The order has room for as many adjustments as one request may have.
    const open: Route = { ...place, body: (targets) => ({ ...place.body?.(targets), adjustments: [] }) };
    const order = Order.parse(await bodyOf(open, { ...NO_TARGETS, buyer }, apiKey));
    const items = order.items.map(({ id }) => id);
    const fulfill: Route = {
      ...route('fulfill_items'),
      body: () => ({ items: items.map((item_id) => ({ item_id, quantity: 1 })) }),
    };
    const fulfilled = Order.parse(await bodyOf(fulfill, { ...NO_TARGETS, orders: order.id }, apiKey));
    return {
      buyer,
      customers: await create('create_customer', NO_TARGETS),
      orders: order.id,
      items,
      fulfillment_id: fulfilled.fulfillments[0]?.id ?? '',
      webhook_endpoints: await create('create_webhook_endpoint', NO_TARGETS),
    };
  };
  const read = await createTargets(reader);
  let written = await createTargets(writer);
  const targets = ({ method }: Route) => (method === 'GET' ? read : written);

  const left = new Map<string, number>();
  const unitsOf = ({ route: { method } }: Request, response: RawResponse | undefined): number => {
    const [, policy, rest] = /\r\nratelimit: "(\w+)";r=(\d+)/i.exec(response?.head ?? '') ?? [];
    if (policy === undefined) return 1;
    const key = `${method === 'GET'} ${policy}`;
    const [before = LIMIT, now] = [left.get(key), Number(rest)];
    left.set(key, now);
    // A window may have ended meanwhile.
    return Math.max(1, (now > before ? LIMIT : before) - now);
  };
  const measure = async (request: Request): Promise<Measured> => {
    const measured = await whileUnavailable(async () => {
      const before = await settledCpuTime(server.pid());
      const response = await send(request, request.route.method === 'GET' ? reader : writer);
      const after = await settledCpuTime(server.pid());
      return { status: response?.status ?? 0, cpuMs: (after - before) / 1000, units: unitsOf(request, response) };
    });
    if (SPENDING.test(request.route.id) && measured.status < 300) written = await createTargets(writer);
    return measured;
  };
  return {
    routes,
    targets,
    measure,
    measureCreation: () => {
      const creation = validRequest(route('place_order'), written, ONE_ITEM);
      return measure({ ...creation, headers: { ...creation.headers, 'idempotency-key': randomUUID() } });
    },
    measureValid: async (valid) => {
      const attempt = () => measure(validRequest(valid, targets(valid)));
      const first = await attempt();
      if (isSuccess(first, valid)) return first;
      // A hostile request may have changed what it needs.
      written = await createTargets(writer);
      const second = await attempt();
      if (isSuccess(second, valid)) return second;
      throw new WrongResponse(`the largest valid request of ${valid.id} got ${second.status}`);
    },
  };
}

function isSuccess({ status }: Measured, route: Route): boolean {
  return route.status === undefined ? status >= 200 && status < 400 : status === route.status;
}

/** The CPU time of a resting process in a millisecond, in microseconds. */
const RESTING_US = 100;

/** Waits until a process rests, and returns its CPU time in microseconds. */
async function settledCpuTime(pid: number): Promise<number> {
  let last = cpuTimeOfThreads(pid);
  for (;;) {
    await sleep(1);
    const now = cpuTimeOfThreads(pid);
    if (now - last < RESTING_US) return now;
    last = now;
  }
}

/** The time in which a response must arrive, in milliseconds. */
const RESPONSE_MS = 120_000;

/** Returns a function that sends a request on one connection, and returns the response; `undefined` without one. */
function sender(port: number): (request: Request, apiKey: string) => Promise<RawResponse | undefined> {
  let connection: Connection | undefined;
  const exchange = async (text: string): Promise<RawResponse> => {
    if (!connection || connection.isClosed()) connection = await openConnection(port);
    const response = await Promise.race([connection.exchange(text), sleep(RESPONSE_MS, undefined, { ref: false })]);
    if (!response) throw new Error('no response in time');
    if (/\r\nconnection: close/i.test(response.head)) connection.close();
    return response;
  };
  return async ({ route: { method }, path, headers, body }, apiKey) => {
    const text = requestText({
      method,
      path,
      body,
      headers: { accept: 'text/html, */*;q=0.9', 'x-api-key': apiKey, ...headers },
    });
    // A server that rejects a body before it has read it closes the connection, so that the response may be lost.
    const response = await exchange(text).catch(() => exchange(text).catch(() => undefined));
    if (!response) connection?.close();
    return response;
  };
}

/** How often a request is sent again that the server was too busy for, and the time before it, in milliseconds. */
const [RETRIES_MAX, RETRY_MS] = [20, 200];

/** Repeats a request while its response is 503: a busy machine may cause some, but not all. */
async function whileUnavailable<T extends { readonly status: number } | undefined>(
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; retries < RETRIES_MAX; retries += 1) {
    const result = await attempt();
    if (result?.status !== 503) return result;
    await sleep(RETRY_MS);
  }
  return attempt();
}
