import { random } from '@orders/property-runs/random';
import { quantile } from '@orders/system-under-test';
import { type Bench, startBenchPostgres } from '../bench.ts';
import { figure, formatReport } from '../report.ts';
import { families } from '../../../../packages/http-adapter/test/hostile/large-requests.ts';
import { type HostileServer, startHostileServer } from './hostile-server.ts';
import { isDecided, RATIO_MAX, remeasured, type Sent, suspects, type Turn } from './ranking.ts';

/** The parameters that determine the requests of a run. */
export interface HostilePlan {
  readonly seed: number;
  /** Default: 5,000, or 1,500 in a quick run. */
  readonly requests?: number;
  /** The ids of the only requests to send. Default: all. */
  readonly only: readonly string[];
}

const REQUESTS = { full: 5000, quick: 1500 };

/** Sends hostile requests to a server, and compares the cost of each unit that they are charged with that of creating an order. */
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
  /** The CPU time of a keyed creation of an order of one item, in milliseconds. */
  readonly creationMs: number;
}

/** Valid requests of each route before the first measurement, so that the code is compiled. */
const WARM_UP = 15;

/** Requests between two reports of the progress, and between two measurements of a creation. */
const [BETWEEN, BETWEEN_CREATIONS] = [150, 10];

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
  const creations: number[] = [];
  const once: Omit<Sent, 'ratio'>[] = [];
  for (const [done, number] of numbers.entries()) {
    if (done % BETWEEN === 0) progress.step(`${done} of ${numbers.length} hostile requests`);
    if (done % BETWEEN_CREATIONS === 0) creations.push((await server.measureCreation()).cpuMs);
    const { family, request } = generate(number);
    const { route, body, path, headers } = request;
    const { units, ...result } = await server.measure(request);
    const bytes = (body ?? `${path}${Object.values(headers).join('')}`).length;
    once.push({ ...result, units: unitsOf(units, route.elements), bytes, id: `${number}`, route: route.id, family });
  }
  const creationMs = quantile(creations, 0.5);
  const sent = once.map((each) => ({ ...each, ratio: each.cpuMs / (creationMs * each.units) }));
  const ranked: Sent[] = [];
  for (const suspect of suspects(sent)) {
    const { request } = generate(Number(suspect.id));
    const turns: Turn[] = [];
    while (!isDecided(suspect, turns)) {
      const creation = (await server.measureCreation()).cpuMs;
      turns.push({ creation, hostile: (await server.measure(request)).cpuMs });
    }
    ranked.push(remeasured(suspect, turns));
  }
  return { sent, ranked, creationMs };
}

/** Returns the units of a request: those that it is charged, or a tenth of the elements of its largest body or page. */
function unitsOf(charged: number, elements: number): number {
  return Math.max(charged, elements / 10);
}

/** Returns the dearest request of each route, and those that fail the run. */
function reportOf(seed: number, { sent, ranked, creationMs }: Found) {
  const again = new Set(ranked.map(({ id }) => id));
  // A single measurement shows no more than that a request is cheap.
  const known = [...ranked, ...sent.filter(({ id, ratio }) => !again.has(id) && ratio <= RATIO_MAX / 2)];
  const dearestFirst = known.toSorted((left, right) => right.ratio - left.ratio);
  const ofRoutes = dearestFirst.filter(
    ({ route }, at) => dearestFirst.findIndex((each) => each.route === route) === at,
  );
  const failures = [
    ...sent.filter(({ status }) => status === 0 || status >= 500),
    ...ranked.filter(({ ratio }) => ratio > RATIO_MAX),
  ];
  const header = ['family', 'route', 'request', 'bytes', 'status', 'units', 'CPU ms', 'creations for a unit'];
  const rowOf = ({ family, route, id, bytes, status, units, cpuMs, ratio }: Sent) => {
    return [family, route, id, `${bytes}`, `${status || 'none'}`, figure(units), figure(cpuMs), figure(ratio)];
  };
  const failed = `Failures (no response, a status of 500 or more, or a ratio above ${RATIO_MAX}): ${failures.length}`;
  const run = `${sent.length} requests of seed ${seed}, beside a creation of ${figure(creationMs)} ms. \`--seed ${seed} --case REQUEST\` sends one again.`;
  const report = formatReport(run, [
    { title: 'The dearest of each route:', header, rows: ofRoutes.map(rowOf) },
    { title: failed, header, rows: failures.map(rowOf) },
  ]);
  return { report, failures: failures.length };
}
