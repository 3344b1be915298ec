import { randomUUIDv7 } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection, quantile } from '@orders/system-under-test';
import { type Case, type CaseName, CASES, isExpected, rawRequest } from '../cases/cases.ts';

/** The requests that the load process sends. */
export interface LoadJob {
  readonly case: CaseName;
  readonly port: number;
  /** One API key for all requests, or one for each target. */
  readonly apiKeys: readonly string[];
  readonly targets?: readonly string[];
  /** The duration of the load in seconds. Default: unlimited. */
  readonly seconds?: number;
  /** The maximum number of requests. Default: unlimited. */
  readonly requests?: number;
  /** The pace of all connections together. Default: each sends its next request after a response. */
  readonly perSecond?: number;
  readonly connections: number;
}

/** The figures of a load. Times are in milliseconds. */
export interface LoadReport {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The first wrong response, with its request. */
  readonly wrong?: string;
}

/** The maximum length of a reported body in characters. */
const REPORTED_MAX = 500;

// The parent may end in the middle of a run.
process.on('disconnect', () => process.exit());

// Runs in a process of its own. Each connection waits for the response to a request before it sends the next one. With a
// pace, each request also has its time.
process.on('message', (job: LoadJob) => {
  void run(job).then((report) => process.send?.(report));
});

async function run(job: LoadJob): Promise<LoadReport> {
  const { case: name, port, apiKeys, targets = [], seconds = Infinity, requests = Infinity, connections } = job;
  const gapMs = job.perSecond === undefined ? 0 : 1000 / job.perSecond;
  const measured: Case = CASES[name];
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const next = targetsOf(measured, targets, requests);
  const latencies: number[] = [];
  let wrong: string | undefined;
  const started = performance.now();
  const deadline = started + seconds * 1000;
  const work = async (connection: (typeof open)[number]): Promise<void> => {
    // At least one request, however busy the machine is.
    do {
      const { target, place } = next();
      if (target === undefined) return;
      const waitMs = started + place * gapMs - performance.now();
      if (gapMs > 0 && waitMs > 0) await sleep(waitMs);
      const request = rawRequest(measured, target, apiKeys[place % apiKeys.length] ?? '');
      const sent = performance.now();
      const response = await connection.exchange(request);
      latencies.push(performance.now() - sent);
      if (!isExpected(measured, target, response))
        wrong ??= `${request}\n\nreturned\n\n${response.head}\n\n${response.body.slice(0, REPORTED_MAX)}`;
    } while (wrong === undefined && performance.now() < deadline);
  };
  await Promise.all(open.map(work)).catch((cause: unknown) => (wrong ??= String(cause)));
  const elapsed = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  return {
    requests: latencies.length,
    perSecond: latencies.length / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    ...(wrong !== undefined && { wrong }),
  };
}

/** Returns a function that returns the next target and its place. The target is `undefined` after the last one. */
function targetsOf({ targets: kind }: Case, targets: readonly string[], requests: number) {
  let used = 0;
  return (): { readonly target: string | undefined; readonly place: number } => {
    const place = used;
    used += 1;
    if (place >= requests) return { target: undefined, place };
    if (kind === 'generated') return { target: randomUUIDv7(), place };
    return { target: targets[kind === 'single-use' ? place : place % targets.length], place };
  };
}
