import type { HostileResults } from '../hostile/measure-hostile.ts';
import { RATIO_MAX, type Sent } from '../hostile/ranking.ts';
import { figure, table } from './markdown.ts';

/** The number of requests in the table. */
const DEAREST = 10;

interface HostileSummary {
  readonly seed: number;
  readonly requests: number;
  readonly rejected: readonly string[];
  /** Without a response, with an error of the server, or too dear. */
  readonly failures: readonly Sent[];
  readonly dearest: readonly Sent[];
  /** The largest valid request of each route, and the dearest hostile one. */
  readonly routes: readonly {
    readonly route: string;
    readonly validMs: readonly number[];
    readonly dearest: Sent | undefined;
  }[];
}

/** Returns what a run found. */
export function hostileSummary({ seed, rejected, sites }: HostileResults): HostileSummary {
  const byRatio = (left: Sent, right: Sent) => right.ratio - left.ratio;
  const sent = sites.flatMap((site) => site.sent);
  const ranked = sites.flatMap((site) => site.ranked).toSorted(byRatio);
  const again = new Set(ranked.map(({ id }) => id));
  // A single measurement shows no more than that a request is cheap.
  const known = [...ranked, ...sent.filter(({ id, ratio }) => !again.has(id) && ratio <= RATIO_MAX / 2)];
  const routes = [...new Set(sites.flatMap(({ validMs }) => [...validMs.keys()]))].map((route) => ({
    route,
    validMs: sites.find(({ validMs }) => validMs.has(route))?.validMs.get(route) ?? [],
    dearest: known.filter((each) => each.route === route).toSorted(byRatio)[0],
  }));
  return {
    seed,
    requests: sent.length,
    rejected,
    failures: [
      ...sent.filter(({ status }) => status === 0 || status >= 500),
      ...ranked.filter(({ ratio }) => ratio > RATIO_MAX),
    ],
    dearest: ranked.slice(0, DEAREST),
    routes,
  };
}

/** Returns the dearest requests, and the dearest of each route, as Markdown tables. */
export function hostileReport({ seed, requests, rejected, failures, dearest, routes }: HostileSummary): string {
  const header = ['family', 'route', 'request', 'bytes', 'status', 'CPU ms', 'of the largest valid'];
  const rowOf = ({ family, route, id, bytes, status, cpuMs, ratio }: Sent) => [
    family,
    route,
    id,
    `${bytes}`,
    `${status || 'none'}`,
    figure(cpuMs),
    figure(ratio),
  ];
  const dearestOf = routes.map((each) => [
    each.route,
    each.validMs.map(figure).join(' – '),
    figure(each.dearest?.cpuMs ?? Number.NaN),
    figure(each.dearest?.ratio ?? Number.NaN),
    each.dearest?.family ?? '',
  ]);
  return [
    `${requests} requests of seed ${seed}. \`--seed ${seed} --case REQUEST\` sends one again.`,
    table(header, dearest.map(rowOf)),
    table(['route', 'largest valid – padded, CPU ms', 'dearest', 'ratio', 'family'], dearestOf),
    ...(rejected.length > 0 ? [`Definitions that the server rejects: ${rejected.join('; ')}`] : []),
    ...(failures.length > 0
      ? [
          `Failures (no response, a status of 500 or more, or a ratio above ${RATIO_MAX}):`,
          table(header, failures.map(rowOf)),
        ]
      : []),
  ].join('\n\n');
}
