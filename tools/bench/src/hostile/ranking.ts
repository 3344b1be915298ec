import { quantile } from '@orders/system-under-test';

/** The highest accepted ratio of the CPU time of a unit of a request to that of a keyed creation of an order of one item. */
export const RATIO_MAX = 8;

/** A request that was sent. */
export interface Sent {
  /** Its number, by which it is generated again. */
  readonly id: string;
  readonly route: string;
  readonly family: string;
  readonly bytes: number;
  /** 0 without a response. */
  readonly status: number;
  /** The CPU time of the server in milliseconds. */
  readonly cpuMs: number;
  /** The units that it counts as. */
  readonly units: number;
  /** The CPU time of a unit by that of a creation. */
  readonly ratio: number;
}

/** Requests of a server that are measured again: at least, at most, and at most of one route and family. */
const SUSPECTS_MIN = 8;
const SUSPECTS_MAX = 80;
const SAME_MAX = 3;

/**
 * Returns the dearest requests, to measure them again: a single measurement may contain the collection of the garbage of
 * others.
 */
export function suspects<T extends Sent>(sent: readonly T[]): readonly T[] {
  const seen = new Map<string, number>();
  return sent
    .toSorted((left, right) => right.ratio - left.ratio)
    .filter(({ route, family }) => {
      const before = seen.get(`${route} ${family}`) ?? 0;
      seen.set(`${route} ${family}`, before + 1);
      return before < SAME_MAX;
    })
    .filter(({ ratio }, at) => at < SUSPECTS_MIN || (at < SUSPECTS_MAX && ratio > RATIO_MAX / 2));
}

/** The costs of a request and of the creation beside it, in milliseconds. */
export interface Turn {
  readonly hostile: number;
  readonly creation: number;
}

/** Returns a request with the medians of turns in place of its single measurement. */
export function remeasured(sent: Sent, turns: readonly Turn[]): Sent {
  const median = (of: keyof Turn) =>
    quantile(
      turns.map((turn) => turn[of]),
      0.5,
    );
  return { ...sent, cpuMs: median('hostile'), ratio: median('hostile') / (median('creation') * sent.units) };
}

/** Measurements of a suspect, each beside a creation: at least, of one that is not cheap, and of one that is dear. */
const [TURNS_MIN, TURNS] = [2, 5];
/** Enough for the compiler of the engine: the first values of a schema take ten times as long as later ones. */
const TURNS_MAX = 21;

/** Returns whether a request was measured often enough. */
export function isDecided(sent: Sent, turns: readonly Turn[]): boolean {
  if (turns.length < TURNS_MIN) return false;
  const { ratio } = remeasured(sent, turns);
  return turns.length >= (ratio > RATIO_MAX ? TURNS_MAX : ratio > RATIO_MAX / 2 ? TURNS : TURNS_MIN);
}
