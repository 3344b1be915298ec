import { quantile, random } from '@orders/system-under-test';
import { type Bench, startBenchPostgres } from '../bench.ts';
import { figure, formatReport } from '../report.ts';
import { families } from './hostile-requests.ts';
import { type HostileServer, startHostileServer } from './hostile-server.ts';
import { FLOOR_MS, isDecided, RATIO_MAX, remeasured, type Sent, suspects, type Turn } from './ranking.ts';

/** The parameters that determine the requests of a run. */
export interface HostilePlan {
  readonly seed: number;
  /** Default: 5,000, or 1,500 in a quick run. */
  readonly requests?: number;
  /** The ids of the only requests to send. Default: all. */
  readonly only: readonly string[];
}

const REQUESTS = { full: 5000, quick: 1500 };

/** Sends hostile requests to a server, and compares their cost with that of the largest valid requests. */
export async function measureHostile(
  bench: Bench,
  { seed, requests = REQUESTS[bench.length], only }: HostilePlan,
): Promise<{ readonly report: string; readonly failures: number }> {
  const server = await startHostileServer(bench, await startBenchPostgres(bench));
  const numbers = only.length > 0 ? only.map(Number) : [...Array.from({ length: requests }).keys()];
  return reportOf(seed, await measureRequests(bench, server, seed, numbers));
}

/** What the requests cost. */
interface Found {
  readonly sent: readonly Sent[];
  /** The dearest requests, each measured several times. */
  readonly ranked: readonly Sent[];
  /** The CPU time of the largest valid request of each route, and of the padded one, in milliseconds. */
  readonly validMs: ReadonlyMap<string, readonly [number, number]>;
}

/** Valid requests of each route before the first measurement, so that the code is compiled. */
const WARM_UP = 15;

/** Requests between two measurements of the valid ones. */
const BETWEEN = 150;

/** Sends the requests of some numbers, each once, and the dearest ones again. */
async function measureRequests(
  { progress }: Bench,
  server: HostileServer,
  seed: number,
  numbers: readonly number[],
): Promise<Found> {
  const { routes } = server;
  const all = families(routes);
  const generate = (number: number) => {
    // Each round has every family once.
    const round = Math.floor(number / all.length);
    const family = random(seed, round).shuffled(all)[number % all.length];
    if (!family) throw new Error('no family of requests');
    return { family: family.name, request: family.generate(random(seed, round, number), server.targets) };
  };
  for (const route of routes) for (let done = 0; done < WARM_UP; done += 1) await server.measureValid(route);
  const small = new Map<string, number[]>(routes.map(({ id }) => [id, []]));
  const padded = new Map<string, number[]>(routes.map(({ id }) => [id, []]));
  const measured: { readonly limit: number; readonly once: Omit<Sent, 'ratio'> }[] = [];
  for (const [done, number] of numbers.entries()) {
    if (done % BETWEEN === 0) {
      progress.step(`${done} of ${numbers.length} hostile requests`);
      for (const route of routes) {
        small.get(route.id)?.push((await server.measureValid(route)).cpuMs);
        padded.get(route.id)?.push((await server.measureValid(route, route.bodyLimit)).cpuMs);
      }
    }
    const { family, request } = generate(number);
    const result = await server.measure(request);
    const bytes = (request.body ?? `${request.path}${Object.values(request.headers).join('')}`).length;
    const once = { ...result, bytes, id: `${number}`, route: request.route.id, family };
    measured.push({ limit: request.route.bodyLimit, once });
  }
  const medians = (id: string) => [quantile(small.get(id) ?? [], 0.5), quantile(padded.get(id) ?? [], 0.5)] as const;
  const validMs = new Map(routes.map(({ id }) => [id, medians(id)]));
  const sent = measured.map(({ limit, once }) => {
    const [least, most] = validMs.get(once.route) ?? [0, 0];
    const expected = least + (most - least) * Math.min(1, once.bytes / Math.max(1, limit));
    return { ...once, ratio: once.cpuMs / Math.max(FLOOR_MS, expected) };
  });
  const ranked: Sent[] = [];
  for (const suspect of suspects(sent)) {
    const { request } = generate(Number(suspect.id));
    const { route, body = '' } = request;
    const turns: Turn[] = [];
    while (!isDecided(suspect, turns)) {
      const valid = (await server.measureValid(route, Math.min(body.length, route.bodyLimit))).cpuMs;
      turns.push({ valid, hostile: (await server.measure(request)).cpuMs });
    }
    ranked.push(remeasured(suspect, turns));
  }
  return { sent, ranked, validMs };
}

/** The number of requests in the table. */
const DEAREST = 10;

/** Returns the dearest requests, the dearest of each route, and those that fail the run. */
function reportOf(seed: number, { sent, validMs, ...found }: Found) {
  const byRatio = (left: Sent, right: Sent) => right.ratio - left.ratio;
  const ranked = found.ranked.toSorted(byRatio);
  const again = new Set(ranked.map(({ id }) => id));
  // A single measurement shows no more than that a request is cheap.
  const known = [...ranked, ...sent.filter(({ id, ratio }) => !again.has(id) && ratio <= RATIO_MAX / 2)];
  const failures = [
    ...sent.filter(({ status }) => status === 0 || status >= 500),
    ...ranked.filter(({ ratio }) => ratio > RATIO_MAX),
  ];
  const ofRoutes = [...validMs].map(([route, costs]) => {
    const dearest = known.filter((each) => each.route === route).toSorted(byRatio)[0];
    const { cpuMs = Number.NaN, ratio = Number.NaN, family = '' } = dearest ?? {};
    return [route, costs.map(figure).join(' – '), figure(cpuMs), figure(ratio), family];
  });
  const header = ['family', 'route', 'request', 'bytes', 'status', 'CPU ms', 'of the largest valid'];
  const rowOf = ({ family, route, id, bytes, status, cpuMs, ratio }: Sent) => {
    return [family, route, id, `${bytes}`, `${status || 'none'}`, figure(cpuMs), figure(ratio)];
  };
  const failed = `Failures (no response, a status of 500 or more, or a ratio above ${RATIO_MAX}): ${failures.length}`;
  const run = `${sent.length} requests of seed ${seed}. \`--seed ${seed} --case REQUEST\` sends one again.`;
  const ofRoutesHeader = ['route', 'largest valid – padded, CPU ms', 'dearest', 'ratio', 'family'];
  const report = formatReport(run, [
    { title: 'The dearest:', header, rows: ranked.slice(0, DEAREST).map(rowOf) },
    { title: 'The dearest of each route:', header: ofRoutesHeader, rows: ofRoutes },
    { title: failed, header, rows: failures.map(rowOf) },
  ]);
  return { report, failures: failures.length };
}
