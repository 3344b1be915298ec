import { kill } from 'node:process';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@orders/child-processes';
import { type EmbeddedPostgres, type PostgresBinaries, startEmbeddedPostgres } from '@orders/persistence/embedded';
import { execute } from '../fixtures/execute.ts';
import { makeSuperuser } from '../embedded/make-superuser.ts';

/** A node of a cluster that the test has started. */
interface OwnNode {
  readonly url: string;
  readonly port: number;
  /** Returns the log of PostgreSQL. */
  log(): Promise<string>;
  /** Ends all its processes, as a crash of PostgreSQL does. */
  kill(): Promise<void>;
  /** Stops all its processes, so that nothing responds or is refused, as without power. Returns a function that resumes them. */
  hang(): Promise<() => void>;
  /** Starts it again on the same port. */
  restart(): Promise<void>;
}

/** A cluster of the test's own, whose nodes may be killed. */
export interface OwnCluster {
  readonly coordinator: OwnNode;
  readonly workers: readonly OwnNode[];
  /** Starts one more node, which has not joined. */
  startNode(): Promise<OwnNode>;
  readonly stop: () => Promise<void>;
}

const SETTINGS = {
  // A killed node loses nothing without it, only a machine that fails.
  fsync: 'off',
  full_page_writes: 'off',
  shared_preload_libraries: 'citus',
  // Moves of shards replicate them logically.
  wal_level: 'logical',
  max_connections: '200',
  max_prepared_transactions: '200',
  max_worker_processes: '32',
  log_min_error_statement: 'panic',
  'citus.node_conninfo': 'sslmode=prefer',
  'citus.node_connection_timeout': '1s',
};

/**
 * Starts a coordinator and two workers on this machine, with the programs of the cluster of `citusUrl`.
 *
 * @throws {Error} that cluster runs on another machine
 */
export async function startOwnCluster(citusUrl: string): Promise<OwnCluster> {
  const binaries = await binariesOf(citusUrl);
  const folder = await mkdtemp(join(tmpdir(), 'orders-citus-'));
  // PostgreSQL runs as another account when the tests run as root.
  await chmod(folder, 0o755);
  const started: (OwnNode & { readonly stop: () => Promise<void> })[] = [];
  const startNode = async () => {
    const node = await startOwnNode(join(folder, `${started.length}`), binaries);
    started.push(node);
    return node;
  };
  const stop = async () => {
    await Promise.all(started.map((node) => node.stop()));
    await removeFolder(folder);
  };
  try {
    const coordinator = await startNode();
    const workers = [await startNode(), await startNode()];
    await execute(coordinator.url, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (const { port } of workers) await execute(coordinator.url, `select citus_add_node('127.0.0.1', ${port})`);
    return { coordinator, workers, startNode, stop };
  } catch (cause) {
    await stop();
    throw cause;
  }
}

/** Returns those owners of a distributed database that are on other nodes than one of a cluster. */
export async function ownersOfOthers(
  url: string,
  owners: readonly string[],
  { port }: OwnNode,
): Promise<readonly string[]> {
  const rows = await execute<{ owner: string }>(
    url,
    `select owner from unnest(array['${owners.join(`', '`)}']) as owner
     join pg_dist_placement on shardid = get_shard_id_for_distribution_column('orders', owner)
     join pg_dist_node using (groupid) where nodeport <> ${port} order by owner`,
  );
  return rows.map(({ owner }) => owner);
}

/** Returns the programs that have the extension, which are installed where the cluster runs. */
async function binariesOf(citusUrl: string): Promise<PostgresBinaries> {
  const [row] = await execute<{ folder: string }>(
    citusUrl,
    `select setting as folder from pg_config where name = 'BINDIR'`,
  );
  const folder = row?.folder ?? '';
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

async function startOwnNode(dataDir: string, binaries: PostgresBinaries) {
  // The first start creates the role, which is no superuser and has a password.
  const created = await startEmbeddedPostgres({ dataDir, binaries });
  await created.stop();
  await makeSuperuser(dataDir, binaries);
  await writeFile(join(dataDir, 'pg_hba.conf'), 'host all orders 127.0.0.1/32 trust\n');
  let running = await startEmbeddedPostgres({ dataDir, binaries, settings: SETTINGS });
  const { url } = running;
  const port = Number(new URL(url).port);
  await execute(url, 'create extension citus');
  const postmaster = async () => Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8')).split('\n')[0]);
  return {
    url,
    port,
    log: async () => await readFile(join(dataDir, 'postgresql.log'), 'utf8'),
    hang: async () => {
      const others = await execute<{ pid: number }>(
        url,
        'select pid from pg_stat_activity where pid <> pg_backend_pid()',
      );
      const pids = [await postmaster(), ...others.map(({ pid }) => pid)];
      for (const pid of pids) kill(pid, 'SIGSTOP');
      return () => {
        for (const pid of pids.splice(0)) kill(pid, 'SIGCONT');
      };
    },
    kill: async () => {
      kill(await postmaster(), 'SIGKILL');
      await running.ended;
      await running.stop();
    },
    restart: async () => {
      running = await startEmbeddedPostgres({ dataDir, binaries, port, settings: SETTINGS });
    },
    stop: (): ReturnType<EmbeddedPostgres['stop']> => running.stop(),
  };
}
