import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';
import { childrenOf, isRunning, signal } from './processes.ts';
import { freePort } from './server.ts';
import { waitFor } from './wait-for.ts';

/** A PostgreSQL that can crash, and restart at the same address. */
export interface Postgres {
  readonly url: string;
  /** Returns the process id of the parent of all its processes. */
  pid(): number;
  /** Kills it and all its children, as the loss of their machine does. */
  kill(): Promise<void>;
  /** Starts it again after a crash; resolves when it accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL with an empty database in a folder that does not exist. */
export async function startPostgres(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const options = { dataDir, port: await freePort(), settings };
  let current = await begin(options);
  return {
    url: current.postgres.url,
    pid: () => current.pid,
    kill: async () => {
      // A stopped process starts no further children.
      signal(current.pid, 'SIGSTOP');
      const children = childrenOf(current.pid);
      for (const pid of [...children, current.pid]) signal(pid, 'SIGKILL');
      await current.postgres.ended;
      await waitFor('the end of PostgreSQL', 10_000, () => (children.some(isRunning) ? undefined : true));
    },
    start: async () => {
      // It releases the folder.
      await current.postgres.stop();
      current = await begin(options);
    },
    stop: () => current.postgres.stop(),
  };
}

async function begin(options: EmbeddedPostgresOptions) {
  const postgres = await startEmbeddedPostgres(options);
  const [pid] = (await readFile(join(options.dataDir, 'postmaster.pid'), 'utf8')).split('\n');
  return { postgres, pid: Number(pid) };
}

/** Returns the rows of a statement, on a connection of its own. */
export async function query<Row extends object = Readonly<Record<string, unknown>>>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A cut connection emits an error in addition to the rejections of its queries.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Creates an empty database beside that of `url`, and returns its URL. */
export async function createDatabase(url: string, name: string): Promise<string> {
  await query(url, `create database "${name}"`);
  const created = new URL(url);
  created.pathname = name;
  return created.href;
}
