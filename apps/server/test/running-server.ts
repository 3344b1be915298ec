import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endingWithParent, removeFolder } from '@orders/child-processes';
import { afterEach, inject, onTestFinished } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
/** Starting a program takes half the time when its compiled code is kept. */
const NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.compile-cache');

/** What a finished program said. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program of the server package, as a user runs it. */
export interface Program {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
  /** What it has written to standard output so far. */
  output(): string;
  /** What it has written to standard error so far. */
  complaints(): string;
  /** Waits for `pattern` on standard output; rejects when the program ends without it. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
}

/** A server that answers. */
export interface RunningServer extends Program {
  readonly url: string;
  readonly dataDir: string;
  /** The key that the server made for a first request. */
  demoKey(): Promise<string>;
  /** A request with the demo key. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Ends the server as an operator does. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

const started: Program[] = [];

/** How long a program may take to end in order once its test is over, in milliseconds. */
const STOP_MS = 5000;

// Whatever became of the test: one that failed may have told a server to stop in an hour.
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

/** A folder that is removed when the test has finished, after what is started later in the test has ended. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orders-server-'));
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** A data folder with a database in it, as a server leaves it. */
export async function aDataDir(): Promise<string> {
  const dataDir = join(await aFolder(), 'data');
  await copyPreparedDataDir(dataDir);
  return dataDir;
}

/** Puts a database into a folder that is yet to be, as `aDataDir` does; the folder is the caller's to remove. */
export async function copyPreparedDataDir(dataDir: string): Promise<void> {
  // By a program, because it keeps whose the files are.
  await promisify(execFile)('cp', ['-a', inject('preparedDataDir'), dataDir]);
}

/** Runs `src/{script}` with nothing in its environment but what is said. */
export function run(script: 'main.ts' | 'cli.ts', env: Environment, args: readonly string[] = []): Program {
  const child = spawn(...endingWithParent(process.execPath, ['--conditions=source', join(SOURCE, script), ...args]), {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE, ...env },
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

/** Starts the server on any port with the embedded PostgreSQL, or on the database that `env` names. */
export async function startServer(env: Environment = {}): Promise<RunningServer> {
  const dataDir = env['DATA_DIR'] ?? (await aDataDir());
  const program = run('main.ts', { PORT: '0', DATA_DIR: dataDir, ...env });
  const [, url = ''] = await program.says(/listening at (https?:\/\/[^"\s]+)/);
  if (env['DATABASE_URL'] === undefined) await program.says(/curl .*\n/);
  const demoKey = async () => (await readFile(join(dataDir, 'demo-api-key'), 'utf8')).trim();
  return {
    ...program,
    url,
    dataDir,
    demoKey,
    request: async (path, init = {}) => {
      const headers = { 'x-api-key': await demoKey(), 'content-type': 'application/json' };
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

/** The ids that the list of orders shows. */
export async function listedIds(server: RunningServer): Promise<readonly unknown[]> {
  const body: unknown = await (await server.request('/v1/orders')).json();
  const data: unknown = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined;
  return Array.isArray(data) ? data.map(idOf) : [];
}

/** What a server has logged about requests. */
export function requestLines(server: RunningServer): readonly unknown[] {
  // What stands behind the last end of a line is a line that is not whole yet.
  const lines = server.output().split('\n').slice(0, -1);
  return lines.filter((line) => line.includes('"request_id"')).map((line): unknown => JSON.parse(line));
}

/** Places a small order and tells its id. */
export async function placeOrder(server: RunningServer): Promise<unknown> {
  const answer = await server.request('/v1/orders', { method: 'POST', body: AN_ORDER });
  return idOf(await answer.json());
}

function idOf(order: unknown): unknown {
  return typeof order === 'object' && order !== null && 'id' in order ? order.id : undefined;
}
