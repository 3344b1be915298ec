import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What hostile clients do, and the properties that must hold despite it. */
export interface Scenario {
  readonly name: string;
  /** A short description of it. */
  readonly about: string;
  run(stage: Stage): Promise<void>;
}

/** A property that did not hold. */
export interface Breach {
  readonly expected: string;
  readonly found: string;
  /** Whether it is a latency, which a busy machine may cause as well. */
  readonly isLatency: boolean;
}

/** The resources of one scenario. Everything that it starts ends with it, and its findings are kept. */
export interface Stage {
  /** Whether attacks last as long as on an idle machine. */
  readonly full: boolean;
  /** The folder for logs and data of its processes. */
  readonly folder: string;
  readonly breaches: readonly Breach[];
  /** Its measurements, by name, in order. */
  readonly figures: ReadonlyMap<string, string>;
  /** Shows progress; the next line replaces it. */
  progress(text: string): void;
  figure(name: string, value: string | number): void;
  /** Records a breach unless `kept`. */
  holds(kept: boolean, expected: string, found: string | number): void;
  /** Records a breach by a latency in milliseconds, if it is above `max`. */
  holdsWithin(max: number, what: string, latency: number): void;
  /** Registers `end` for the end of the scenario. The last one registered runs first. */
  atEnd(end: () => Promise<unknown> | void): void;
  end(): Promise<void>;
}

/** Further breaches of the same kind are not informative. */
const BREACHES_MAX = 20;

/** Creates the stage of the scenario `name`, with a folder below `parent`. */
export async function setStage(
  name: string,
  parent: string,
  full: boolean,
  progress: (text: string) => void,
): Promise<Stage> {
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  const breaches: Breach[] = [];
  const figures = new Map<string, string>();
  const ends: (() => Promise<unknown> | void)[] = [];
  const add = (breach: Breach) => {
    if (breaches.length < BREACHES_MAX) breaches.push(breach);
  };
  return {
    full,
    folder,
    breaches,
    figures,
    progress,
    figure: (figure, value) => figures.set(figure, `${value}`),
    holds: (kept, expected, found) => {
      if (!kept) add({ expected, found: `${found}`, isLatency: false });
    },
    holdsWithin: (max, what, latency) => {
      const [expected, found] = [`${what} at most ${max.toFixed(0)} ms`, `${latency.toFixed(0)} ms`];
      if (latency > max) add({ expected, found, isLatency: true });
    },
    atEnd: (end) => void ends.push(end),
    end: async () => {
      for (const end of ends.splice(0).toReversed()) await end();
    },
  };
}
