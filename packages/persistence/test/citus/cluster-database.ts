import { randomBytes } from 'node:crypto';
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

/** Returns the number of two-phase commits of all nodes since their start, as Citus records them. */
export async function twoPhaseCommits({ nodes }: Pick<ClusterDatabase, 'nodes'>): Promise<number> {
  const counts = nodes.map(async (node) => {
    const [row] = await execute<{ count: string }>(
      node,
      `select n_tup_ins as count from pg_stat_all_tables where relid = 'pg_dist_transaction'::regclass`,
    );
    return Number(row?.count ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

function at(url: string, { nodename, nodeport }: { readonly nodename: string; readonly nodeport: number }): URL {
  const node = new URL(url);
  node.hostname = nodename;
  node.port = `${nodeport}`;
  return node;
}
