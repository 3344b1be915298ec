import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { createDatabase, dropDatabase } from '../fixtures/create-database.ts';
import { execute } from '../fixtures/execute.ts';

/** A database on every node of a cluster. */
export interface ClusterDatabase {
  /** The database of the coordinator. */
  readonly url: string;
  /** The database of each node, the coordinator first. */
  readonly nodes: readonly string[];
  readonly drop: () => Promise<void>;
}

/** Creates a database without tables on all nodes of the cluster of `coordinatorUrl`, as the guide says. */
export async function createClusterDatabase(coordinatorUrl: string): Promise<ClusterDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const addresses = await execute<{ nodename: string; nodeport: number; groupid: number }>(
    coordinatorUrl,
    `select nodename, nodeport, groupid from pg_dist_node
     where isactive and noderole = 'primary' order by groupid, nodeid`,
  );
  const workers = addresses.filter(({ groupid }) => groupid > 0);
  const servers = [new URL(coordinatorUrl), ...workers.map((worker) => at(coordinatorUrl, worker))];
  const nodes = servers.map((server) => {
    const node = new URL(server);
    node.pathname = `/${name}`;
    return node.href;
  });
  const [url = ''] = nodes;
  const drop = async () => {
    for (const server of servers) await dropDatabase(server.href, name);
  };
  try {
    for (const [index, server] of servers.entries()) {
      await createDatabase(server.href, name);
      await execute(nodes[index] ?? '', 'create extension citus');
    }
    const { hostname, port } = new URL(url);
    const coordinator = addresses.find(({ groupid }) => groupid === 0) ?? { nodename: hostname, nodeport: port };
    await execute(url, `select citus_set_coordinator_host('${coordinator.nodename}', ${coordinator.nodeport})`);
    for (const { nodename, nodeport } of workers) {
      await execute(url, `select citus_add_node('${nodename}', ${nodeport})`);
    }
    return { url, nodes, drop };
  } catch (cause) {
    await drop();
    throw cause;
  }
}

/**
 * Returns the number of two-phase commits of all nodes since their start, as Citus records them. Ends all other sessions,
 * because a session reports its counts at the latest when it ends.
 */
export async function twoPhaseCommits({ nodes }: Pick<ClusterDatabase, 'nodes'>): Promise<number> {
  let sum = 0;
  // The coordinator first, whose sessions have some on the workers.
  for (const node of nodes) {
    const session = new Client({ connectionString: node });
    await session.connect();
    try {
      await session.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`);
      const { rows } = await session.query<{ count: string }>(
        `select n_tup_ins as count from pg_stat_all_tables where relid = 'pg_dist_transaction'::regclass`,
      );
      sum += Number(rows[0]?.count ?? 0);
    } finally {
      await session.end();
    }
  }
  return sum;
}

function at(url: string, { nodename, nodeport }: { readonly nodename: string; readonly nodeport: number }): URL {
  const node = new URL(url);
  node.hostname = nodename;
  node.port = `${nodeport}`;
  return node;
}
