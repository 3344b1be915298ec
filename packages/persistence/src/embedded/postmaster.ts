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

/** How long PostgreSQL may take to become ready, recovery after a crash included. */
const START_MS = 60_000;
const PORT_ATTEMPTS = 5;
/** For how long the processes of a PostgreSQL that was killed may outlive it, in milliseconds. */
const LEFTOVERS_MS = 20_000;

/** A running PostgreSQL that is our child. */
export interface Postmaster {
  readonly port: number;
  /** Settles when PostgreSQL ends, by `stop` or by itself. */
  readonly ended: Promise<void>;
  /** Ends open connections and shuts down in order ("fast shutdown"). */
  stop(): Promise<void>;
}

export interface PostmasterOptions {
  readonly dataDir: string;
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  /** Default: any free one. */
  readonly port: number | undefined;
  /** Settings for the command line, above those of the configuration file. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Starts PostgreSQL on 127.0.0.1 and waits until it is ready. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const begun = Date.now();
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const before = await readPostmasterPid(options.dataDir);
    const child = await spawnPostmaster(options, port);
    const ended = once(child, 'close').then(() => undefined);
    if (await becomesReady(options.dataDir, before, ended)) return postmaster(child, port, ended);
    child.stdin?.end();
    await ended;
    const log = await readFile(join(options.dataDir, FILES.log), 'utf8');
    // Another program may take the port between our look and PostgreSQL's; and what a killed one left ends by itself.
    const isPassing = log.includes('Address already in use')
      ? options.port === undefined && attempt < PORT_ATTEMPTS
      : log.includes('pre-existing shared memory block') && Date.now() - begun < LEFTOVERS_MS;
    if (!isPassing) {
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
 * PostgreSQL runs below a shell that waits for the end of its own input and then stops it: when we end the pipe, and
 * also when we are gone without a word, as after SIGKILL. In a session of its own, so that Ctrl-C reaches only us.
 */
const WATCH = `exec 3<&0
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
  // The account may not be able to go where its data lies: we go there for it, and it names the folder by that.
  const isElsewhere = options.runAs.user !== undefined;
  const postgres = [options.binaries.postgres, '-D', isElsewhere ? '/proc/self/cwd' : options.dataDir, ...flags];
  const [program, ...args] = options.runAs.unprivileged('sh', ['-c', WATCH, 'orders-postgres', ...postgres]);
  const log = await open(join(options.dataDir, FILES.log), 'w', 0o600);
  try {
    const cwd = isElsewhere ? options.dataDir : '/';
    return spawn(program, args, { cwd, detached: true, stdio: ['pipe', log.fd, log.fd] });
  } finally {
    await log.close();
  }
}

/** Whether PostgreSQL says that it is ready before it ends or its time is over. One that crashed says so still. */
async function becomesReady(
  dataDir: string,
  crashed: PostmasterPid | undefined,
  ended: Promise<void>,
): Promise<boolean> {
  const over = new AbortController();
  void ended.then(() => over.abort());
  const deadline = AbortSignal.any([over.signal, AbortSignal.timeout(START_MS)]);
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
