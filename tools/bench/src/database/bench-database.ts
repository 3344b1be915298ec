import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { type Database, openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';

/**
 * Settings for a server with a few GiB, with the default durability. Checkpoints and autovacuum would distort the
 * measurement that runs at that time. So no checkpoint occurs during a run, and a vacuum runs between the rounds.
 */
const POSTGRES_SETTINGS = {
  max_connections: '200',
  shared_buffers: '1GB',
  effective_cache_size: '3GB',
  random_page_cost: '1.1',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
} as const;

const COMPARISON_SCHEMA = readFileSync(new URL('comparison-schema.sql', import.meta.url), 'utf8');

/** The PostgreSQL server of all measurements. */
export interface BenchDatabase {
  readonly url: string;
  /** The same database, with the tables of the comparison servers instead of those of Orders. */
  readonly comparisonUrl: string;
  /** The process id of the parent of all PostgreSQL processes. */
  readonly postmaster: number;
  readonly client: Client;
  /** Creates an API key and returns it. */
  issueKey(owner: string): Promise<string>;
  /** Does the work of autovacuum, which is off. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an empty PostgreSQL with the schema of Orders and that of the comparison servers. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'orders-bench-'));
  // PostgreSQL ends by itself when this process does.
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  process.once('exit', remove);
  const postgres = await startEmbeddedPostgres({ dataDir, settings: POSTGRES_SETTINGS });
  const database = openDatabase({ url: postgres.url });
  const client = new Client({ connectionString: postgres.url });
  const stop = async () => {
    await database.close();
    await client.end().catch(() => undefined);
    await postgres.stop();
    remove();
    process.off('exit', remove);
  };
  try {
    await database.migrate();
    await client.connect();
    await client.query(`${COMPARISON_SCHEMA}; reset search_path`);
    return {
      url: postgres.url,
      comparisonUrl: `${postgres.url}?options=${encodeURIComponent('-c search_path=comparison')}`,
      postmaster: Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]),
      client,
      issueKey: (owner) => issueKey(database, owner),
      settle: async () => {
        await client.query('vacuum analyze');
      },
      stop,
    };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Creates an API key with all scopes and returns it. */
export async function issueKey(database: Database, owner: string): Promise<string> {
  const { key, prefix, hash } = newApiKey();
  const created_at = new Date().toISOString();
  const values = { keyHash: hash, prefix, owner, scopes: SCOPES, created_at, expires_at: null };
  const inserted = await postgresApiKeys(database).insert(values);
  if (inserted.isErr()) throw inserted.error.cause;
  return key;
}
