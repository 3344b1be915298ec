import { join } from 'node:path';
import { type BundledPrograms, bundlePrograms } from '@orders/bundled-programs';
import type { Stage } from '../stage.ts';
import { freePort } from './free-port.ts';
import { type Program, startProgram } from './program.ts';

const MAIN = join(import.meta.dirname, '../../../../apps/server/src/main.ts');

let bundled: Promise<BundledPrograms> | undefined;

/** The program that all scenarios start; bundled once, below `folder`. */
function program(folder: string): Promise<BundledPrograms> {
  bundled ??= bundlePrograms(join(folder, 'programs'), [MAIN]);
  return bundled;
}

const START_MS = 60_000;

/** More than any client here requests. */
const NO_LIMITS = {
  RATE_LIMIT_READ: '1000000000',
  RATE_LIMIT_WRITE: '1000000000',
  RATE_LIMIT_ANONYMOUS: '1000000000',
};

/** A server in a process of its own. It restarts on the same address. */
export interface Server {
  readonly name: string;
  readonly url: string;
  pid(): number;
  /** Kills it as a crash does. */
  kill(): Promise<void>;
  /** Stops it as an operator does, and returns the reason of its end. */
  stop(): Promise<string>;
  /** Starts it again; resolves when it listens. */
  start(): Promise<void>;
  log(): Promise<string>;
}

/** Starts a server with default settings on the database, and waits until it listens. */
export async function startServer(
  stage: Stage,
  name: string,
  databaseUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const { files, env: cache } = await program(join(stage.folder, '..'));
  const port = await freePort();
  const env = {
    NODE_ENV: 'production',
    ...cache,
    PORT: `${port}`,
    DATABASE_URL: databaseUrl,
    ...NO_LIMITS,
    ...more,
  };
  const begin = async () => {
    const started = await startProgram(stage, name, {
      command: process.execPath,
      args: [files['main.ts'] ?? MAIN],
      env,
    });
    await started.says(/listening at http/, START_MS);
    return started;
  };
  let current: Program = await begin();
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    pid: () => current.pid,
    kill: () => current.kill(),
    stop: () => {
      current.signal('SIGTERM');
      return current.ended;
    },
    start: async () => {
      current = await begin();
    },
    log: () => current.log(),
  };
}
