import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newApiKey, SCOPES } from '@orders/http-adapter';
import { openDatabase, postgresApiKeys } from '@orders/persistence';
import { startEmbeddedPostgres } from '@orders/persistence/embedded';
import { Client } from 'pg';

/**
 * As a server of a few GiB would have them, and durable as PostgreSQL is shipped. Checkpoints and autovacuum would fall
 * upon whoever is measured just then: there is no checkpoint in the time of a run, and a vacuum between the rounds.
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

/** The PostgreSQL that everything is measured on. */
export interface BenchDatabase {
  readonly url: string;
  /** The same database, with the tables of the comparison servers in the place of those of Orders. */
  readonly comparisonUrl: string;
  /** The process that all others of PostgreSQL are below. */
  readonly postmaster: number;
  readonly client: Client;
  /** Makes an API key. */
  issueKey(owner: string): Promise<string>;
  /** Tidies up what writes left behind, as autovacuum would. */
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
      issueKey: async (owner) => {
        const { key, prefix, hash } = newApiKey();
        const created_at = new Date().toISOString();
        const values = { keyHash: hash, prefix, owner, scopes: SCOPES, created_at, expires_at: null };
        const inserted = await postgresApiKeys(database).insert(values);
        if (inserted.isErr()) throw inserted.error.cause;
        return key;
      },
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
