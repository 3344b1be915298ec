import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '@orders/property-runs/random';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { families, type Request, validRequest } from '../../../../packages/http-adapter/test/hostile/large-requests.ts';
import {
  DOCUMENT,
  NO_TARGETS,
  ONE_ITEM,
  type Route,
  routesOf,
  type Targets,
} from '../../../../packages/http-adapter/test/hostile/routes.ts';
import { composeServer, type ComposedServer } from './composed-server.ts';

/** The CPU time of a unit of a request, at most, by that of a keyed creation of an order of one item. */
const RATIO_MAX = 8;

const [SEED, REQUESTS] = [1, 1500];

/** Measurements before a request is dear: the engine compiles what is new, and one may collect the garbage of others. */
const TURNS = 21;

/** No run exceeds it, and responses say what is left. */
const LIMIT = 1_000_000_000;
const UNLIMITED = Object.fromEntries(
  ['READ', 'WRITE', 'BATCH', 'ANONYMOUS', 'PUBLIC'].map((policy) => [`RATE_LIMIT_${policy}`, `${LIMIT}`]),
);

/** More bytes than any route accepts. */
const TOO_MANY_BYTES = 2 ** 21 + 1;

/** Operations that succeed once for each target, and the one of whose results an owner has few. */
const SPENDING = /^(cancel_.*|adjust_order|fulfill_items|return_items|delete_.*|erase_.*|create_webhook_endpoint)$/;

const Created = z.object({ id: z.string() });
const Order = z.object({ id: z.string(), items: z.array(Created), fulfillments: z.array(Created) });
const Endpoints = z.object({ data: z.array(Created) });

let server: ComposedServer;
beforeAll(async () => (server = await composeServer({ ...UNLIMITED, WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32' })));
afterAll(() => server.close());

type Response = Awaited<ReturnType<FastifyInstance['inject']>>;

/** Sends a request, again while the server is too busy for it. */
async function send({ route: { method }, path, headers, body }: Request, apiKey: string): Promise<Response> {
  const known = (['GET', 'POST', 'PATCH', 'DELETE'] as const).find((each) => each === method);
  const payload = body === undefined ? {} : { payload: Buffer.from(body, 'latin1') };
  const sent = { method: known ?? 'GET', url: path, headers: { 'x-api-key': apiKey, ...headers }, ...payload };
  for (let attempts = 1; ; attempts += 1) {
    const response = await server.app.inject(sent);
    if (response.statusCode !== 503 || attempts === TURNS) return response;
    await sleep(100);
  }
}

/** Creates the largest resources of an owner, and deletes its webhook endpoints, of which it may have few. */
async function createTargets(route: (id: string) => Route, apiKey: string): Promise<Targets> {
  const bodyOf = async (of: Route, targets: Targets): Promise<unknown> => {
    const response = await send(validRequest(of, targets), apiKey);
    expect(`${of.id} ${response.statusCode}`).toMatch(/ 20\d$/);
    return JSON.parse(response.body || 'null');
  };
  const create = async (id: string) => Created.parse(await bodyOf(route(id), NO_TARGETS)).id;
  for (const { id } of Endpoints.parse(await bodyOf(route('list_webhook_endpoints'), NO_TARGETS)).data)
    await bodyOf(route('delete_webhook_endpoint'), { ...NO_TARGETS, webhook_endpoints: id });
  const buyer = await create('create_customer');
  const place = route('place_order');
  // The order has room for as many adjustments as one request may have.
  const open = { ...place, body: (targets: Targets) => ({ ...place.body?.(targets), adjustments: [] }) };
  const order = Order.parse(await bodyOf(open, { ...NO_TARGETS, buyer }));
  const items = order.items.map(({ id }) => id);
  const one = { items: items.map((item_id) => ({ item_id, quantity: 1 })) };
  const fulfilled = await bodyOf({ ...route('fulfill_items'), body: () => one }, { ...NO_TARGETS, orders: order.id });
  return {
    buyer,
    customers: await create('create_customer'),
    orders: order.id,
    items,
    fulfillment_id: Order.parse(fulfilled).fulfillments[0]?.id ?? '',
    webhook_endpoints: await create('create_webhook_endpoint'),
  };
}

/** Returns a function that returns the units that a response took from its rate limit, at least one. */
function unitsTaken() {
  const left = new Map<string, number>();
  return ({ method }: Route, { headers }: Response): number => {
    const [, policy, rest] = /"(\w+)";r=(\d+)/.exec(String(headers['ratelimit'])) ?? [];
    const key = `${method === 'GET'} ${policy}`;
    const [before = LIMIT, now] = [left.get(key), Number(rest ?? LIMIT)];
    left.set(key, now);
    // A window may have ended meanwhile.
    return Math.max(1, (now > before ? LIMIT : before) - now);
  };
}

it('no hostile request costs much more for each unit than the creation of an order, and each has a response', async () => {
  const [reader, writer] = [await server.issueKey('reader'), await server.issueKey('writer')];
  const document = await send(validRequest(DOCUMENT, NO_TARGETS), reader);
  const routes: Route[] = [];
  for (const each of routesOf(document.json())) {
    const tooMany = { ...validRequest(each, NO_TARGETS), body: ' '.repeat(TOO_MANY_BYTES) };
    const [, bytes] = each.body ? (/at most (\d+) bytes/.exec((await send(tooMany, writer)).body) ?? []) : ['', '0'];
    routes.push({ ...each, bodyLimit: Number(bytes) });
  }
  const route = (id: string) => routes.find((each) => each.id === id) ?? DOCUMENT;
  const read = await createTargets(route, reader);
  let written = await createTargets(route, writer);
  const targets = ({ method }: Route) => (method === 'GET' ? read : written);
  const taken = unitsTaken();

  /** Returns the status of a request, and the CPU time of a unit in milliseconds. */
  const measure = async (request: Request) => {
    const before = process.cpuUsage();
    const response = await send(request, request.route.method === 'GET' ? reader : writer);
    const { user, system } = process.cpuUsage(before);
    const units = Math.max(taken(request.route, response), request.route.elements / 10);
    if (SPENDING.test(request.route.id) && response.statusCode < 300) written = await createTargets(route, writer);
    return { status: response.statusCode, ms: (user + system) / 1000 / units };
  };
  const costs: number[] = [];
  const creation = async () => {
    const valid = validRequest({ ...route('place_order'), elements: 1 }, written, ONE_ITEM);
    costs.push((await measure({ ...valid, headers: { ...valid.headers, 'idempotency-key': randomUUID() } })).ms);
    return costs.toSorted((left, right) => left - right)[Math.floor(costs.length / 2)] ?? NaN;
  };
  for (let warm = 0; warm < 200; warm += 1) await creation();
  costs.length = 0;

  const all = random(SEED).shuffled(families(routes));
  const failures: string[] = [];
  for (const [number, family] of all.slice(0, REQUESTS).entries()) {
    const most = RATIO_MAX * (await creation());
    let least = Infinity;
    for (let turns = 0; turns < TURNS && least > most; turns += 1) {
      const request = family.generate(random(SEED, number), targets);
      const { status, ms } = await measure(request);
      least = Math.min(least, ms);
      if (status >= 500) failures.push(`${number} ${family.name} of ${request.route.id}: ${status}`);
    }
    if (least > most)
      failures.push(`${number} ${family.name}: ${least.toFixed(1)} ms, creations ${(most / RATIO_MAX).toFixed(1)} ms`);
  }
  expect(failures).toEqual([]);
}, 600_000);
