import { execFile } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from '@orders/child-processes';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import type { Stage } from '../stage.ts';
import { waitFor } from '../wait.ts';
import { freePort } from './free-port.ts';
import { allProcesses, isRunning, signal } from './processes.ts';

const run = promisify(execFile);

/** A PostgreSQL that can crash, and restart at the same address. */
export interface Postgres {
  readonly url: string;
  /** Kills it and all its children, as the loss of their machine does. */
  kill(): Promise<void>;
  /** Starts it again after a crash; resolves when it accepts connections. */
  start(): Promise<void>;
  isRunning(): boolean;
}

const templates = new Map<string, Promise<string>>();

/** The data directory that all scenarios copy; created once, below `folder`. */
function template(folder: string): Promise<string> {
  const made = templates.get(folder) ?? makeTemplate(join(folder, 'cluster'));
  templates.set(folder, made);
  return made;
}

async function makeTemplate(dataDir: string): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir });
  await postgres.stop();
  return dataDir;
}

/** Starts a PostgreSQL with an empty database in `dataDir`, which is created, or is an empty folder. */
export async function startPostgres(
  stage: Stage,
  settings: Readonly<Record<string, string>> = {},
  dataDir: string = join(stage.folder, 'data'),
): Promise<Postgres> {
  const from = await template(join(stage.folder, '..'));
  stage.atEnd(() => removeFolder(dataDir));
  // cp preserves the owners of the files.
  await run('cp', ['-aT', from, dataDir]);
  const port = await freePort();
  const begin = () => startRun(stage, { dataDir, port, settings });
  let current = await begin();
  return {
    url: current.url,
    kill: () => killAll(current),
    start: async () => {
      await current.end();
      current = await begin();
    },
    isRunning: () => isRunning(current.pid),
  };
}

/** One run of a PostgreSQL. */
interface Run {
  readonly pid: number;
  readonly url: string;
  readonly ended: Promise<void>;
  /** Kills it if it runs, without a final flush, and releases its data directory. */
  end(): Promise<void>;
}

async function startRun(stage: Stage, options: EmbeddedPostgresOptions): Promise<Run> {
  const { dataDir } = options;
  const postgres = await startEmbeddedPostgres(options);
  const pid = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  let isOver = false;
  void postgres.ended.then(() => (isOver = true));
  const endOnce = async () => {
    // Its process id may be reused after its end.
    if (!isOver) signal(pid, 'SIGQUIT');
    await postgres.stop();
    await appendFile(join(stage.folder, 'postgres.log'), await readFile(join(dataDir, 'postgresql.log')));
  };
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= endOnce());
  stage.atEnd(end);
  return { pid, url: postgres.url, ended: postgres.ended, end };
}

/** Returns the rows of a statement, on a connection of its own. */
export async function query(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A cut connection emits an error in addition to the rejections of its queries.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Readonly<Record<string, unknown>>>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Ends all other connections to the database. */
export async function endConnections(url: string): Promise<void> {
  await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

function childrenOf(pid: number): readonly number[] {
  return allProcesses().flatMap((process) => (process.parent === pid ? [process.pid] : []));
}

async function killAll({ pid, ended }: Run): Promise<void> {
  // A stopped process starts no further children.
  signal(pid, 'SIGSTOP');
  const children = childrenOf(pid);
  for (const process of [...children, pid]) signal(process, 'SIGKILL');
  await ended;
  await waitFor('the end of PostgreSQL', 10_000, () => (children.some(isRunning) ? undefined : true));
}
