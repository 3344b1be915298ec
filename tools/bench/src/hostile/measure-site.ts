import { quantile } from '../statistics.ts';
import type { Family } from './hostile-requests.ts';
import { randomOf, shuffled } from './random.ts';
import { FLOOR_MS, RATIO_MAX, remeasured, type Sent, suspects, type Turn } from './ranking.ts';
import type { Route } from './routes.ts';
import type { Site } from './site.ts';

/** Valid requests of each route before the first measurement, so that the code is compiled. */
const WARM_UP = 15;

/** Requests between two measurements of the valid ones. */
export const BETWEEN = 150;

/** Measurements of a suspect, each beside a valid request: at least, of one that is not cheap, and of one that is dear. */
const TURNS_MIN = 2;
const TURNS = 5;
/** Enough for the compiler of the engine: the first values of a schema take ten times as long as later ones. */
const TURNS_MAX = 21;

/** A request, where it is generated from the seed: the number of its server and its own number. */
export interface Place {
  readonly server: number;
  readonly index: number;
}

export interface SiteResults {
  readonly sent: readonly Sent[];
  /** The dearest requests, each measured several times. */
  readonly ranked: readonly Sent[];
  /** The CPU time of the largest valid request of each route, and of the padded one, in milliseconds. */
  readonly validMs: ReadonlyMap<string, readonly [number, number]>;
}

/** Sends requests of families to a server, each once, and the dearest ones again. */
export async function measureSite(
  site: Site,
  all: readonly [Family, ...Family[]],
  routes: readonly Route[],
  seed: number,
  places: readonly Place[],
  onStep: () => void,
): Promise<SiteResults> {
  const generate = ({ server, index }: Place) => {
    // Each round has every family once.
    const round = Math.floor(index / all.length);
    const family = shuffled(all, randomOf(seed, server, round))[index % all.length] ?? all[0];
    return { family: family.name, request: family.generate(randomOf(seed, server, round, index), site.targets) };
  };
  for (const route of routes) for (let done = 0; done < WARM_UP; done += 1) await site.measureValid(route);
  const valid = new Map(routes.map(({ id }) => [id, { small: [] as number[], padded: [] as number[] }]));
  const measured: { readonly place: Place; readonly once: Omit<Sent, 'ratio'> }[] = [];
  for (const [done, place] of places.entries()) {
    if (done % BETWEEN === 0) {
      onStep();
      for (const route of routes) {
        valid.get(route.id)?.small.push((await site.measureValid(route)).cpuMs);
        valid.get(route.id)?.padded.push((await site.measureValid(route, route.bodyLimit)).cpuMs);
      }
    }
    const { family, request } = generate(place);
    const result = await site.measure(request);
    const id = `${place.server}:${place.index}`;
    const bytes = (request.body ?? `${request.path}${Object.values(request.headers).join('')}`).length;
    measured.push({ place, once: { ...result, bytes, id, route: request.route.id, family } });
  }
  const limits = new Map(routes.map(({ id, bodyLimit }) => [id, bodyLimit]));
  const validMs = new Map(
    [...valid].map(([route, { small, padded }]) => [route, [quantile(small, 0.5), quantile(padded, 0.5)] as const]),
  );
  const sent = measured.map(({ place, once }) => {
    const [small, padded] = validMs.get(once.route) ?? [0, 0];
    const expected = small + (padded - small) * Math.min(1, once.bytes / Math.max(1, limits.get(once.route) ?? 0));
    return { ...once, place, ratio: once.cpuMs / Math.max(FLOOR_MS, expected) };
  });
  const ranked: Sent[] = [];
  for (const suspect of suspects(sent)) {
    const { request } = generate(suspect.place);
    const turns: Turn[] = [];
    const isDecided = () => {
      if (turns.length < TURNS_MIN) return false;
      const { ratio } = remeasured(suspect, turns);
      return turns.length >= (ratio > RATIO_MAX ? TURNS_MAX : ratio > RATIO_MAX / 2 ? TURNS : TURNS_MIN);
    };
    while (!isDecided()) {
      const beside = await site.measureValid(
        request.route,
        Math.min(request.body?.length ?? 0, request.route.bodyLimit),
      );
      turns.push({ valid: beside.cpuMs, hostile: (await site.measure(request)).cpuMs });
    }
    ranked.push(remeasured(suspect, turns));
  }
  return { sent, ranked, validMs };
}
