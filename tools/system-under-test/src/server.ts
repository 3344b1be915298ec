import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Program, startProgram } from './program.ts';
import { isRunning } from './processes.ts';
import { waitFor } from './wait-for.ts';

const MAIN = join(import.meta.dirname, '../../../apps/server/src/main.ts');

/** The longest accepted start in milliseconds. */
const START_MS = 60_000;

/** Rate limits that no load exceeds. Requests are still counted. */
export const UNLIMITED = {
  RATE_LIMIT_READ: '1000000000',
  RATE_LIMIT_WRITE: '1000000000',
  RATE_LIMIT_BATCH: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
};

/** A server in a process of its own. It restarts on the same address. */
export interface Server {
  readonly url: string;
  readonly port: number;
  pid(): number;
  /** Kills it as a crash does. */
  kill(): Promise<void>;
  /** Stops it as an operator does. */
  stop(): Promise<void>;
  /** Starts it again; resolves when it is ready. */
  start(): Promise<void>;
}

export interface ServerOptions {
  readonly databaseUrl: string;
  /** The program. Default: the server of this repository. */
  readonly script?: string | undefined;
  /** Options of Node.js. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the log is discarded. */
  readonly logFile?: string;
  /** The path that gets 200 when it is ready, and the headers of the request. Default: `/readyz`. */
  readonly probe?: { readonly path: string; readonly headers: Readonly<Record<string, string>> };
}

/** Starts a server on a database, with the limits as shipped, and waits until it is ready. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { databaseUrl, script = MAIN, flags = [], logFile = '/dev/null' } = options;
  const { path, headers } = options.probe ?? { path: '/readyz', headers: {} };
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { NODE_ENV: 'production', MIGRATE: 'create', PORT: `${port}`, DATABASE_URL: databaseUrl, ...options.env };
  const isReady = async () => {
    const response = await fetch(url + path, { headers, signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    return response.status === 200;
  };
  const begin = async (): Promise<Program> => {
    const program = await startProgram(process.execPath, ['--conditions=source', ...flags, script], { env, logFile });
    await waitFor(`200 of ${script} to ${path}`, START_MS, async () => {
      if (await isReady().catch(() => false)) return true;
      if (!isRunning(program.pid)) throw new Error(`${script} ${await program.ended} before its first response`);
      return undefined;
    }).catch((cause: unknown) => {
      program.signal('SIGKILL');
      throw cause;
    });
    return program;
  };
  const end = async (signal: NodeJS.Signals) => {
    current.signal(signal);
    await current.ended;
  };
  let current = await begin();
  return {
    url,
    port,
    pid: () => current.pid,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    start: async () => {
      current = await begin();
    },
  };
}

/** Below the range of outgoing connections on Linux, which could take the port of a stopped server. */
const [LOWEST, COUNT] = [15_000, 15_000];

/** Returns a free port of 127.0.0.1, for a program that restarts on it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    const server = createServer();
    const free = once(server.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    );
    if (!(await free)) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
