import type { RunningServer } from '../programs/running-server.ts';

/** A program that has said where it serves its metrics. */
type Measured = Pick<RunningServer, 'says'>;

type Labels = Readonly<Record<string, string>>;

/** One sample of a metric. */
interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** The metrics of a server. */
export interface ScrapedMetrics {
  readonly text: string;
  readonly samples: readonly Sample[];
  /** The type of each metric, by name. */
  readonly types: ReadonlyMap<string, string>;
  /** Returns the value of the only sample with these labels and possibly others; `undefined` without one. */
  readonly value: (name: string, labels?: Labels) => number | undefined;
}

/** Returns the address at which a server or worker with `METRICS_PORT` serves its metrics. */
export async function metricsUrl(server: Measured): Promise<string> {
  const [, url = ''] = await server.says(/metrics are served at (http:[^"\s]+)/);
  return url;
}

/** Collects the metrics of a server or worker as Prometheus does. */
export async function scrape(server: Measured): Promise<ScrapedMetrics> {
  const text = await (await fetch(await metricsUrl(server))).text();
  const samples = text.split('\n').flatMap((line) => (line === '' || line.startsWith('#') ? [] : [sampleOf(line)]));
  const types = new Map([...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const value: ScrapedMetrics['value'] = (name, labels = {}) => {
    const found = samples.filter(
      (sample) => sample.name === name && Object.entries(labels).every(([label, is]) => sample.labels[label] === is),
    );
    if (found.length > 1) throw new Error(`${found.length} samples of ${name} have ${JSON.stringify(labels)}`);
    return found[0]?.value;
  };
  return { text, samples, types, value };
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', is = '']) => [label, is] as const,
  );
  const named: Labels = Object.fromEntries(pairs);
  return { name, labels: named, value: Number(value) };
}
