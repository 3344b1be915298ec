import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { WrongResponse } from '../cases/wrong-response.ts';
import { startSubject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import type { BenchDatabase } from '../database/bench-database.ts';
import { type Connection, openConnection, type RawResponse } from '../load/connection.ts';
import { cpuTimeOfThreads } from '../machine/cpu-time.ts';
import { SINGLE_THREADED_GC } from '../revisions/revision.ts';
import type { AcceptedDefinition } from './accepted-definition.ts';
import { NO_TARGETS, type Request, validRequest } from './hostile-requests.ts';
import { type Route, routesOf, type Targets } from './routes.ts';

/** A response and its cost. */
export interface Measured {
  /** 0 without a response. */
  readonly status: number;
  /** The CPU time of the server in milliseconds. */
  readonly cpuMs: number;
  readonly bytes: number;
}

/** A server that gets hostile requests, with resources of its own. */
export interface Site {
  readonly title: string;
  readonly routes: readonly Route[];
  readonly targets: (route: Route) => Targets;
  measure(request: Request): Promise<Measured>;
  /** Measures the largest valid request of a route, with a body of at least `bytes`. Throws unless it is a success. */
  measureValid(route: Route, bytes?: number): Promise<Measured>;
  stop(): Promise<void>;
}

const UNLIMITED = { RATE_LIMIT_READ: '0', RATE_LIMIT_WRITE: '0', RATE_LIMIT_ANONYMOUS: '0', RATE_LIMIT_PUBLIC: '0' };

/** The time in which a response must arrive, in milliseconds. */
const RESPONSE_MS = 120_000;

/** How often a request is sent again that the server was too busy for, and the time before it, in milliseconds. */
const RETRIES_MAX = 20;
const RETRY_MS = 200;

/** Operations that succeed once for each target, and create-operations of which an owner has few. */
const SPENDING = [
  'cancel_order',
  'delete_order',
  'delete_customer',
  'delete_webhook_endpoint',
  'create_webhook_endpoint',
];

/** Starts a server, by default with the default definition, and creates what requests need. */
export async function startSite(
  postgres: BenchDatabase,
  environment: Readonly<Record<string, string>>,
  definition?: AcceptedDefinition,
): Promise<Site> {
  const title = definition?.title ?? 'the default definition';
  const keys = {
    reader: await postgres.issueKey(`reader of ${title}`),
    writer: await postgres.issueKey(`writer of ${title}`),
  };
  const subject = await startSubject(
    {
      ...SUBJECTS.orders,
      flags: SINGLE_THREADED_GC,
      environment: { ...UNLIMITED, ...environment, ...(definition && { ORDERS_DEFINITION: definition.path }) },
    },
    postgres.url,
    { path: '/v1/orders', apiKey: keys.reader },
  );
  const { port, pid } = subject;
  let connection: Connection | undefined;
  const exchange = async (text: string): Promise<RawResponse> => {
    if (!connection || connection.isClosed()) connection = await openConnection(port);
    const response = await Promise.race([connection.exchange(text), sleep(RESPONSE_MS, undefined, { ref: false })]);
    if (!response) throw new Error('no response in time');
    if (/\r\nconnection: close/i.test(response.head)) connection.close();
    return response;
  };
  // On a busy machine, a server rejects requests for a while. It must not reject one again and again.
  const accepted = async <T extends { readonly status: number }>(attempt: () => Promise<T>): Promise<T> => {
    for (let retries = 0; retries < RETRIES_MAX; retries += 1) {
      const result = await attempt();
      if (result.status !== 503) return result;
      await sleep(RETRY_MS);
    }
    return attempt();
  };
  const send = (request: Request, apiKey: string) => accepted(() => exchange(write(request, apiKey)));
  const keyOf = ({ method }: Route) => (method === 'GET' ? keys.reader : keys.writer);
  const write = ({ route, path, headers, body }: Request, apiKey: string): string => {
    const own = {
      host: `127.0.0.1:${port}`,
      accept: 'text/html, */*;q=0.9',
      ...(headers['authorization'] === undefined && { 'x-api-key': apiKey }),
      ...headers,
    };
    const fields = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body === undefined ? '' : `content-length: ${body.length}\r\n`;
    return `${route.method} ${path} HTTP/1.1\r\n${fields.join('')}${length}\r\n${body ?? ''}`;
  };
  const document: unknown = JSON.parse(
    (await exchange(`GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`)).body,
  );
  const routes = routesOf(document);
  const routeOf = (id: string): Route => {
    const route = routes.find((each) => each.id === id);
    if (!route) throw new Error(`the document has no ${id}`);
    return route;
  };
  const create = async (id: string, targets: Targets, apiKey: string): Promise<string> => {
    const response = await send(validRequest(routeOf(id), targets, definition?.largest), apiKey);
    if (response.status !== 201) throw new WrongResponse(`${id} got ${response.status}: ${response.body}`);
    return z.object({ id: z.string() }).parse(JSON.parse(response.body)).id;
  };
  const deleteEndpoints = async (apiKey: string): Promise<void> => {
    const { body } = await send(validRequest(routeOf('list_webhook_endpoints'), NO_TARGETS), apiKey);
    for (const { id } of z.object({ data: z.array(z.object({ id: z.string() })) }).parse(JSON.parse(body)).data)
      await send(validRequest(routeOf('delete_webhook_endpoint'), { ...NO_TARGETS, webhook_endpoints: id }), apiKey);
  };
  const createTargets = async (apiKey: string): Promise<Targets> => {
    await deleteEndpoints(apiKey);
    const webhook_endpoints = await create('create_webhook_endpoint', NO_TARGETS, apiKey);
    const customers = await create('create_customer', NO_TARGETS, apiKey);
    const buyer = await create('create_customer', NO_TARGETS, apiKey);
    const orders = await create('place_order', { ...NO_TARGETS, buyer }, apiKey);
    return { orders, customers, buyer, webhook_endpoints };
  };
  const targets = { reader: await createTargets(keys.reader), writer: await createTargets(keys.writer) };
  const targetsOf = ({ method }: Route) => (method === 'GET' ? targets.reader : targets.writer);
  const renew = async () => {
    targets.writer = await createTargets(keys.writer);
  };
  const measureOnce = async ({ text, request }: { readonly text: string; readonly request: Request }) => {
    const before = await settledCpuTime(pid);
    // A server that rejects a body before it has read it closes the connection, so that the response may be lost.
    const response = await exchange(text).catch(() => exchange(text).catch(() => connection?.close()));
    const cpuMs = ((await settledCpuTime(pid)) - before) / 1000;
    return { status: response?.status ?? 0, cpuMs, bytes: request.body?.length ?? text.length };
  };
  const measure = async (request: Request): Promise<Measured> => {
    const text = write(request, keyOf(request.route));
    const measured = await accepted(() => measureOnce({ text, request }));
    if (SPENDING.includes(request.route.id) && measured.status < 300) await renew();
    return measured;
  };
  return {
    title,
    routes,
    targets: targetsOf,
    measure,
    measureValid: async (route, bytes) => {
      const attempt = () => measure(validRequest(route, targetsOf(route), definition?.largest, bytes));
      const first = await attempt();
      if (isSuccess(first, route)) return first;
      // A hostile request may have changed what it needs.
      await renew();
      const second = await attempt();
      if (!isSuccess(second, route))
        throw new WrongResponse(`the largest valid request of ${route.id} got ${second.status}`);
      return second;
    },
    stop: async () => {
      connection?.close();
      await subject.stop();
    },
  };
}

function isSuccess({ status }: Measured, route: Route): boolean {
  return route.status === undefined ? status >= 200 && status < 400 : status === route.status;
}

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

/** The CPU time of a resting process in a millisecond. */
const RESTING_US = 100;
