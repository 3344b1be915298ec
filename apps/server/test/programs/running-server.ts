import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endingWithParent, removeFolder } from '@orders/child-processes';
import { afterEach, inject, onTestFinished } from 'vitest';
import { z } from 'zod';

/** The programs. */
export const SOURCES = {
  'main.ts': join(import.meta.dirname, '../../src/main.ts'),
  'cli.ts': join(import.meta.dirname, '../../src/cli.ts'),
};
/** A compile cache halves the start-up time of programs. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../node_modules/.compile-cache');

/** The output of a finished program. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of the server package, started as a user starts it. */
export interface Program {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
  /** The standard output so far. */
  output(): string;
  /** The standard error so far. */
  complaints(): string;
  /** Waits for `pattern` on standard output; rejects when the program ends without it. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A server that is listening. */
export interface RunningServer extends Program {
  readonly url: string;
  readonly dataDir: string;
  /** The demo key, which the server created at its start. */
  demoKey(): Promise<string>;
  /** Sends a request with the key of the database that it was started on, or else with the demo key. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the server as an operator does. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

const started: Program[] = [];

/** Maximum time for a program to end cleanly after its test, in milliseconds. */
const STOP_MS = 5000;

// Runs after failed tests too: they may have requested a stop within an hour.
afterEach(async () => {
  await Promise.all(
    started.splice(0).map(async ({ process, finished }) => {
      process.kill('SIGTERM');
      const late = setTimeout(() => process.kill('SIGKILL'), STOP_MS);
      await finished;
      clearTimeout(late);
    }),
  );
});

/** Creates a folder and deletes it after the test, when later programs of the test have ended. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-server-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Creates a data folder that contains a database, as a server leaves it. */
export async function aDataDir(): Promise<string> {
  const dataDir = join(await aFolder(), 'data');
  // cp preserves the owners of the files.
  await promisify(execFile)('cp', ['-a', inject('preparedDataDir'), dataDir]);
  return dataDir;
}

/** Returns how a program starts: bundled, if the run of the tests has bundled it. */
function programOf(script: keyof typeof SOURCES): {
  readonly args: readonly string[];
  readonly env: Environment;
} {
  const { files, env } = inject('bundledPrograms') ?? { files: {}, env: { NODE_COMPILE_CACHE } };
  return { args: ['--conditions=source', files[script] ?? SOURCES[script]], env };
}

/** Runs `src/{script}`, or another file in its place, with only the given environment. */
export function run(
  script: 'main.ts' | 'cli.ts',
  env: Environment,
  args: readonly string[] = [],
  file?: string,
): Program {
  const start = file === undefined ? programOf(script) : { args: ['--conditions=source', file], env: {} };
  const child = spawn(...endingWithParent(process.execPath, [...start.args, ...args]), {
    env: { PATH: process.env['PATH'] ?? '', ...start.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const finished = once(child, 'close').then(() => ({ code: child.exitCode, stdout, stderr }));
  const { stdout: output } = child;
  const says = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = pattern.exec(stdout);
      if (found) return found;
      const ended = await Promise.race([finished, once(output, 'data').then(() => undefined)]);
      if (ended && !pattern.test(ended.stdout)) throw new Error(`ended without ${pattern.source}: ${ended.stderr}`);
    }
  };
  const program = { process: child, finished, output: () => stdout, complaints: () => stderr, says };
  started.push(program);
  return program;
}

/**
 * Starts the server on any port with the embedded PostgreSQL, or on the database that `env` selects and has `apiKey`.
 * `file` is the program of another release.
 */
export async function startServer(env: Environment = {}, apiKey?: string, file?: string): Promise<RunningServer> {
  const dataDir = env['DATA_DIR'] ?? (await aDataDir());
  const program = run('main.ts', { PORT: '0', ADMIN_PORT: '0', DATA_DIR: dataDir, ...env }, [], file);
  const [, url = ''] = await program.says(/listening at (https?:\/\/[^"\s]+)/);
  if (env['DATABASE_URL'] === undefined) await program.says(/curl .*\n/);
  const demoKey = async () => (await readFile(join(dataDir, 'demo-api-key'), 'utf8')).trim();
  return {
    ...program,
    url,
    dataDir,
    demoKey,
    request: async (path, init = {}) => {
      const headers = { 'x-api-key': apiKey ?? (await demoKey()), 'content-type': 'application/json' };
      return await fetch(url + path, {
        ...init,
        headers: { ...headers, ...Object.fromEntries(new Headers(init.headers)) },
      });
    },
    stop: (signal = 'SIGTERM') => {
      program.process.kill(signal);
      return program.finished;
    },
    kill: async () => {
      program.process.kill('SIGKILL');
      await program.finished;
    },
  };
}

/** The body of a small order. */
export const AN_ORDER = JSON.stringify({
  items: [{ sku: 'MUG-330', name: 'Mug 330 ml', quantity: 2, unit_price: { amount: 1299, currency: 'EUR' } }],
});

/** The orders of a list. */
const Orders = z.object({ data: z.array(z.object({ id: z.string() })) });

/** Returns the ids in the list of orders. */
export async function listedIds(server: RunningServer): Promise<readonly string[]> {
  return Orders.parse(await (await server.request('/v1/orders')).json()).data.map(({ id }) => id);
}

/** Places a small order and returns its id. */
export async function placeOrder(server: RunningServer): Promise<string> {
  const response = await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
  return z.object({ id: z.string() }).parse(await response.json()).id;
}

/** Returns the log lines of a server about requests. */
export function requestLines(server: RunningServer): readonly unknown[] {
  // Text after the last line end is an incomplete line.
  const lines = server.output().split('\n').slice(0, -1);
  return lines.filter((line) => line.includes('"request_id"')).map((line): unknown => JSON.parse(line));
}
