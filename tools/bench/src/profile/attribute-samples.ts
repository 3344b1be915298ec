import { z } from 'zod';

/** A profile of V8: the tree of calls, and the node of each sample. */
export const CpuProfile = z.object({
  nodes: z.array(
    z.object({
      id: z.number(),
      callFrame: z.object({ functionName: z.string(), url: z.string(), lineNumber: z.number() }),
      children: z.array(z.number()).default([]),
    }),
  ),
  samples: z.array(z.number()),
  timeDeltas: z.array(z.number()),
});

type Profile = z.infer<typeof CpuProfile>;

/** The parts of a server, each by its files. A sample belongs to that of the innermost function with a file of one. */
const PARTS: readonly (readonly [string, RegExp])[] = [
  ['log', /\/(pino|sonic-boom|thread-stream|safe-stable-stringify)\/|\/logging\//],
  ['metrics and traces', /\/(instrumentation|@opentelemetry|prom-client)\//],
  ['driver', /\/(pg|pg-pool|pg-protocol)\/|\/persistence\/\w+\/(postgres|sql)\//],
  ['statements and rows', /\/packages\/persistence\//],
  ['domain', /\/packages\/domain\/|\/neverthrow\//],
  ['admission', /\/http-adapter\/\w+\/(admission|connection)\//],
  ['parse', /\/http-adapter\/\w+\/request\/|\/(secure-json-parse|@fastify\/merge-json-schemas)\//],
  ['serialise', /\/(fast-json-stringify)\/|^$/],
  ['operation and response', /\/packages\/http-adapter\//],
  ['Fastify', /\/(fastify|find-my-way|light-my-request|@fastify\/[\w-]+)\//],
  ['HTTP of Node.js', /^node:_?http/],
];

/** Samples outside of JavaScript, by the names that V8 gives them. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'native code without JavaScript'],
]);

/** The titles of all parts, in the order of the table. */
export const PART_TITLES = [...PARTS.map(([title]) => title), 'other JavaScript', ...OUTSIDE.values()];

/** The times of a profile in microseconds, without those of an idle thread. */
export interface Attributed {
  readonly byPart: ReadonlyMap<string, number>;
  /** By the innermost function with a file. */
  readonly byFunction: ReadonlyMap<string, number>;
}

/** Attributes the samples of profiles to the parts of the server. Those of the profiler itself do not count. */
export function attributeSamples(profiles: readonly Profile[]): Attributed {
  const byPart = new Map<string, number>();
  const byFunction = new Map<string, number>();
  const add = (times: Map<string, number>, name: string, time: number) =>
    times.set(name, (times.get(name) ?? 0) + time);
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    const parents = new Map(nodes.flatMap(({ id, children }) => children.map((child) => [child, id] as const)));
    for (const [at, sample] of samples.entries()) {
      const leaf = frames.get(sample)?.functionName ?? '';
      if (leaf === '(idle)') continue;
      const time = timeDeltas[at] ?? 0;
      const stack = stackOf(sample, frames, parents);
      if (stack.some(({ url }) => url === 'node:inspector')) continue;
      const named = stack.find(({ url }) => url !== '');
      add(byPart, OUTSIDE.get(leaf) ?? partOf(stack), time);
      add(
        byFunction,
        named ? `${named.functionName || '(anonymous)'} ${shorten(named.url)}:${named.lineNumber + 1}` : leaf,
        time,
      );
    }
  }
  return { byPart, byFunction };
}

/** Returns the frames of a sample, the innermost first. */
function stackOf<Frame>(
  sample: number,
  frames: ReadonlyMap<number, Frame>,
  parents: ReadonlyMap<number, number>,
): readonly Frame[] {
  const stack: Frame[] = [];
  for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
    const frame = frames.get(id);
    if (frame) stack.push(frame);
  }
  return stack;
}

function partOf(stack: readonly { readonly functionName: string; readonly url: string }[]): string {
  for (const { functionName, url } of stack) {
    // A frame without a file is native, or compiled from text as a serializer is.
    if (url === '' && !functionName.startsWith('anonymous')) continue;
    const part = PARTS.find(([, files]) => files.test(url));
    if (part) return part[0];
  }
  return 'other JavaScript';
}

function shorten(url: string): string {
  return url.replace(/^.*\/(node_modules|packages|apps)\//, '');
}
