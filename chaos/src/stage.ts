import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Something that was to hold and did not. */
export interface Breach {
  readonly expected: string;
  readonly found: string;
}

/** How much is done. */
export interface Extent {
  /** How many operations clients carry out under each fault. */
  readonly operations: number;
  /** Whether to take the time for the long soak. */
  readonly full: boolean;
  readonly seed: number;
}

/** Where one scenario plays: what it starts ends with it, and what it finds is kept. */
export interface Stage extends Extent {
  /** For the logs of its processes, and for their data. */
  readonly folder: string;
  readonly breaches: readonly Breach[];
  /** What it measured, by name, in the order in which it did. */
  readonly figures: ReadonlyMap<string, string>;
  /** Tells how far it is; the next one takes its place. */
  progress(text: string): void;
  figure(name: string, value: string | number): void;
  /** Records a breach unless `kept`. */
  holds(kept: boolean, expected: string, found: string | number): void;
  /** Has `end` happen when the scenario is over, however it is; the last one first. */
  atEnd(end: () => Promise<void> | void): void;
  end(): Promise<void>;
}

/** More of one kind say nothing new. */
const BREACHES_MAX = 20;

/** Sets the stage for the scenario `name`, with a folder of its own below `parent`. */
export async function setStage(
  name: string,
  parent: string,
  extent: Extent,
  progress: (text: string) => void,
): Promise<Stage> {
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  const breaches: Breach[] = [];
  const figures = new Map<string, string>();
  const ends: (() => Promise<void> | void)[] = [];
  let over = false;
  const endAll = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  return {
    ...extent,
    folder,
    breaches,
    figures,
    progress,
    figure: (figure, value) => figures.set(figure, `${value}`),
    holds: (kept, expected, found) => {
      if (!kept && breaches.length < BREACHES_MAX) breaches.push({ expected, found: `${found}` });
    },
    atEnd: (end) => {
      ends.push(end);
      // What is started although all is over does not stay.
      if (over) void endAll();
    },
    end: async () => {
      over = true;
      await endAll();
    },
  };
}
