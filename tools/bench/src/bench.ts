import { mkdtemp } from 'node:fs/promises';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import {
  type Progress,
  type Server,
  type ServerOptions,
  showProgress,
  startPostgres,
  startServer,
} from '@orders/system-under-test';
import { Client } from 'pg';
import { type Load, startLoad } from './load/load.ts';

/** A run of the benchmark. Everything that it starts ends with it. */
export interface Bench {
  /** Whether the figures are meaningful, or only show that everything works. */
  readonly length: 'full' | 'quick';
  readonly load: Load;
  readonly progress: Progress;
  /** A folder for files of the run. */
  readonly folder: string;
  /** Starts a server, whose log is discarded by default. */
  serve(options: ServerOptions): Promise<Server>;
  /** Opens a connection to a database. */
  connect(databaseUrl: string): Promise<Client>;
  /** Registers `end` for the end of the run. The last one registered runs first. */
  atEnd(end: () => Promise<unknown> | void): void;
}

/** Runs `work` with a load generator. */
export async function onBench<T>(length: Bench['length'], work: (bench: Bench) => Promise<T>): Promise<T> {
  const progress = showProgress();
  const folder = await mkdtemp(join(tmpdir(), 'orders-bench-'));
  // Child processes end by themselves when this one does.
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const load = startLoad();
  const ends: (() => Promise<unknown> | void)[] = [() => removeFolder(folder), () => load.stop()];
  try {
    return await work({
      length,
      load,
      progress,
      folder,
      serve: async (options) => {
        const server = await startServer(options);
        ends.push(() => server.stop());
        return server;
      },
      connect: async (databaseUrl) => {
        const client = new Client({ connectionString: databaseUrl });
        await client.connect();
        ends.push(() => client.end());
        return client;
      },
      atEnd: (end) => ends.push(end),
    });
  } finally {
    for (const end of ends.toReversed()) await end();
    process.off('exit', remove);
    progress.end();
  }
}

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

/** The PostgreSQL of a run. */
export interface BenchPostgres {
  readonly url: string;
  /** The process id of the parent of all its processes. */
  readonly pid: number;
  readonly client: Client;
}

/** Starts an empty PostgreSQL. */
export async function startBenchPostgres(bench: Bench): Promise<BenchPostgres> {
  bench.progress.step('PostgreSQL');
  const postgres = await startPostgres(join(bench.folder, 'data'), POSTGRES_SETTINGS);
  bench.atEnd(() => postgres.stop());
  return { url: postgres.url, pid: postgres.pid, client: await bench.connect(postgres.url) };
}
