import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';

/** A running PostgreSQL. */
export interface Postgres {
  readonly url: string;
  /** The process id of the parent of all its processes. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL with an empty database in a folder that does not exist. */
export async function startPostgres(
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Postgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const [pid] = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n');
  return { url: postgres.url, pid: Number(pid), stop: () => postgres.stop() };
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
