import { setTimeout as sleep } from 'node:timers/promises';
import { WrongResponse } from '../cases/wrong-response.ts';
import { startSubject } from '../comparison/start-subject.ts';
import { SUBJECTS } from '../comparison/subjects.ts';
import type { BenchDatabase } from '../database/bench-database.ts';
import { cpuTimeOfThreads } from '../machine/cpu-time.ts';
import { SINGLE_THREADED_GC } from '../revisions/revision.ts';
import type { AcceptedDefinition } from './accepted-definition.ts';
import { createTargets, readRoutes, withBodyLimits } from './create-targets.ts';
import { hostileClient, whileUnavailable } from './hostile-client.ts';
import { type Request, validRequest } from './hostile-requests.ts';
import type { Route, Targets } from './routes.ts';

/** A response and its cost. */
interface Measured {
  /** 0 without a response. */
  readonly status: number;
  /** The CPU time of the server in milliseconds. */
  readonly cpuMs: number;
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

/** Operations that succeed once for each target, and the one of whose results an owner has few. */
const SPENDING = /^(cancel_order|delete_.*|create_webhook_endpoint)$/;

/** Starts a server, by default with the default definition, and creates what requests need. */
export async function startSite(
  postgres: BenchDatabase,
  variables: Readonly<Record<string, string>>,
  definition?: AcceptedDefinition,
): Promise<Site> {
  const title = definition?.title ?? 'the default definition';
  // What is written does not lengthen the lists that are read.
  const reader = await postgres.issueKey(`reader of ${title}`);
  const writer = await postgres.issueKey(`writer of ${title}`);
  const environment = { ...UNLIMITED, ...variables, ...(definition && { ORDERS_DEFINITION: definition.path }) };
  const subject = await startSubject({ ...SUBJECTS.orders, flags: SINGLE_THREADED_GC, environment }, postgres.url, {
    path: '/v1/orders',
    apiKey: reader,
  });
  const client = hostileClient(subject.port);
  const routes = await withBodyLimits(client, await readRoutes(client), writer);
  const create = (apiKey: string) => createTargets(client, routes, apiKey, definition?.largest);
  const read = await create(reader);
  let written = await create(writer);
  const renew = async () => {
    written = await create(writer);
  };
  const targets = ({ method }: Route) => (method === 'GET' ? read : written);
  const measureOnce = async (request: Request): Promise<Measured> => {
    const before = await settledCpuTime(subject.pid);
    const response = await client.send(request, request.route.method === 'GET' ? reader : writer);
    const after = await settledCpuTime(subject.pid);
    return { status: response?.status ?? 0, cpuMs: (after - before) / 1000 };
  };
  const measure = async (request: Request): Promise<Measured> => {
    const measured = await whileUnavailable(() => measureOnce(request));
    if (SPENDING.test(request.route.id) && measured.status < 300) await renew();
    return measured;
  };
  const measureValid = async (route: Route, bytes?: number): Promise<Measured> => {
    const attempt = () => measure(validRequest(route, targets(route), definition?.largest, bytes));
    const first = await attempt();
    if (isSuccess(first, route)) return first;
    // A hostile request may have changed what it needs.
    await renew();
    const second = await attempt();
    if (isSuccess(second, route)) return second;
    throw new WrongResponse(`the largest valid request of ${route.id} got ${second.status}`);
  };
  return {
    title,
    routes,
    targets,
    measure,
    measureValid,
    stop: async () => {
      client.close();
      await subject.stop();
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
