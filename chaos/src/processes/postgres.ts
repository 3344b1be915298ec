import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { freePort } from './free-port.ts';
import { allProcesses, isRunning, signal } from './processes.ts';
import { type Program, startProgram } from './program.ts';

const run = promisify(execFile);

/** How long PostgreSQL may take to be ready, recovery after a crash included. */
const START_MS = 60_000;

/** A PostgreSQL that can crash, and come back where it was. */
export interface Postgres {
  readonly url: string;
  /** Ends it and all its children at once, as the loss of their machine does. */
  kill(): Promise<void>;
  /** Starts it again after a crash; resolves when it takes connections. */
  start(): Promise<void>;
  isRunning(): boolean;
}

/** A cluster to be copied, and by which program it was made. */
interface Template {
  readonly dataDir: string;
  readonly program: string;
  readonly password: string;
}

const templates = new Map<string, Promise<Template>>();

/** The cluster that those of all scenarios are copies of; made once, below `folder`. */
function template(folder: string): Promise<Template> {
  const made = templates.get(folder) ?? makeTemplate(join(folder, 'cluster'));
  templates.set(folder, made);
  return made;
}

async function makeTemplate(dataDir: string): Promise<Template> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  const [program = ''] = (await readFile(join(dataDir, 'postmaster.opts'), 'utf8')).split(' "-D"');
  await postgres.stop();
  return { dataDir, program, password: new URL(postgres.url).password };
}

/** Starts a PostgreSQL with an empty database in `dataDir`, which is made, or is an empty folder. */
export async function startPostgres(
  stage: Stage,
  settings: Readonly<Record<string, string>> = {},
  dataDir: string = join(stage.folder, 'data'),
): Promise<Postgres> {
  const { dataDir: from, program, password } = await template(join(stage.folder, '..'));
  stage.atEnd(() => rm(dataDir, { recursive: true, force: true }));
  // By a program, because it keeps whose the files are.
  await run('cp', ['-aT', from, dataDir]);
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', timezone: 'UTC', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const as = await accountOf(dataDir);
  const [command = '', ...args] = [...as, program, '-D', dataDir, '-p', `${port}`, ...flags];
  const begin = async () => {
    // At once, without a last look at the disk, but leaving no shared memory behind.
    const started = await startProgram(stage, 'postgres', { command, args, endsBy: 'SIGQUIT' });
    await waitFor('PostgreSQL', START_MS, async () => {
      if (!isRunning(started.pid)) throw new Error(`PostgreSQL ${await started.ended}; see ${stage.folder}`);
      return (await isReady(dataDir, started.pid)) || undefined;
    });
    return started;
  };
  let current: Program = await begin();
  return {
    url: `postgresql://orders:${password}@127.0.0.1:${port}/orders`,
    kill: () => killAll(current),
    start: async () => {
      current = await begin();
    },
    isRunning: () => isRunning(current.pid),
  };
}

/** Rows of a statement, on a connection of its own. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A connection that is cut says so beside the answers that it owes.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Ends everybody else's connections to the database. */
export async function endConnections(url: string): Promise<void> {
  await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

/** PostgreSQL refuses to run as root: then as the owner of its data, who may pass through root's folders. */
async function accountOf(dataDir: string): Promise<readonly string[]> {
  const { uid, gid } = await stat(dataDir);
  if (process.getuid?.() !== 0 || uid === 0) return [];
  const identity = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--securebits=+no_setuid_fixup'];
  return [...identity, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search', '--'];
}

/** Whether the PostgreSQL with this id says that it is ready: the file of one that crashed says so too. */
async function isReady(dataDir: string, pid: number): Promise<boolean> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

function childrenOf(pid: number): readonly number[] {
  return allProcesses().flatMap((process) => (process.parent === pid ? [process.pid] : []));
}

async function killAll({ pid, ended }: Program): Promise<void> {
  // Stopped first, so that it starts no other child meanwhile.
  signal(pid, 'SIGSTOP');
  const children = childrenOf(pid);
  for (const process of [...children, pid]) signal(process, 'SIGKILL');
  await ended;
  await waitFor('the end of PostgreSQL', 10_000, () => (children.some(isRunning) ? undefined : true));
}
