import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresBinaries } from './binaries.ts';
import { FILES } from './data-dir.ts';
import { EmbeddedPostgresError } from './embedded-error.ts';
import { type PostmasterPid, readPostmasterPid } from './postmaster-pid.ts';
import type { RunAs } from './run-as.ts';

/** Maximum time for PostgreSQL to become ready, including recovery after a crash, in milliseconds. */
const START_MS = 60_000;
const PORT_ATTEMPTS = 5;
/** Maximum time for which the processes of a killed PostgreSQL may outlive it, in milliseconds. */
const LEFTOVER_PROCESSES_MS = 20_000;

/** A running PostgreSQL, which is a child process. */
export interface Postmaster {
  readonly port: number;
  /** Settles when PostgreSQL ends, after `stop` or on its own. */
  readonly ended: Promise<void>;
  /** Closes open connections and shuts down cleanly (PostgreSQL's "fast shutdown"). */
  stop(): Promise<void>;
}

export interface PostmasterOptions {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  /** Default: any free port. */
  readonly port: number | undefined;
  /** Settings for the command line, which override the configuration file. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Starts PostgreSQL on 127.0.0.1 and waits until it is ready.
 *
 * @throws {EmbeddedPostgresError} PostgreSQL ended, or did not become ready within a minute
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const begun = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const before = await readPostmasterPid(options.dataDir);
    const child = await spawnPostmaster(options, port);
    const ended = once(child, 'close').then(() => undefined);
    if (await waitUntilReady(options.dataDir, before, ended)) return postmaster(child, port, ended);
    child.stdin?.end();
    await ended;
    const log = await readFile(join(options.dataDir, FILES.log), 'utf8');
    // Two failures are temporary: another program took the free port, or processes of a killed PostgreSQL have not
    // ended yet.
    const isTemporary = log.includes('Address already in use')
      ? options.port === undefined && attempt < PORT_ATTEMPTS
      : log.includes('pre-existing shared memory block') && Date.now() - begun < LEFTOVER_PROCESSES_MS;
    if (!isTemporary) {
      throw new EmbeddedPostgresError(`PostgreSQL did not start in ${options.dataDir}:\n${log.slice(-2000)}`);
    }
    await sleep(50);
  }
}

function postmaster(child: ChildProcess, port: number, ended: Promise<void>): Postmaster {
  return {
    port,
    ended,
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}

/**
 * Runs PostgreSQL below a shell that stops it when its own input ends: after `stop`, and also after this process was
 * killed. The shell has a session of its own, so that Ctrl-C only reaches this process.
 */
const WATCHDOG_SCRIPT = `exec 3<&0
"$@" 3<&- </dev/null & postgres=$!
{ read -r _ <&3; kill -INT $postgres 2>/dev/null; } & watch=$!
wait $postgres; code=$?
kill $watch 2>/dev/null
exit $code`;

async function spawnPostmaster(options: PostmasterOptions, port: number): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // The account may have no access to the path of its data. The working directory is opened with our access instead,
  // and the account refers to it by /proc.
  const isElsewhere = options.runAs.user !== undefined;
  const postgres = [options.binaries.postgres, '-D', isElsewhere ? '/proc/self/cwd' : options.dataDir, ...flags];
  const [program, ...args] = options.runAs.unprivileged('sh', ['-c', WATCHDOG_SCRIPT, 'orders-postgres', ...postgres]);
  const log = await open(join(options.dataDir, FILES.log), 'w', 0o600);
  try {
    const cwd = isElsewhere ? options.dataDir : '/';
    return spawn(program, args, { cwd, detached: true, stdio: ['pipe', log.fd, log.fd] });
  } finally {
    await log.close();
  }
}

/**
 * Returns whether PostgreSQL reports that it is ready before it ends or the time limit passes. Ignores the report of a
 * crashed run.
 */
async function waitUntilReady(
  dataDir: string,
  crashed: PostmasterPid | undefined,
  ended: Promise<void>,
): Promise<boolean> {
  const ending = new AbortController();
  void ended.then(() => ending.abort());
  const deadline = AbortSignal.any([ending.signal, AbortSignal.timeout(START_MS)]);
  while (!deadline.aborted) {
    const state = await readPostmasterPid(dataDir);
    const isCrashed = state?.pid === crashed?.pid && state?.startedAt === crashed?.startedAt;
    if (state?.ready && !isCrashed) return true;
    await sleep(20);
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new EmbeddedPostgresError('no free port on 127.0.0.1');
  return address.port;
}
