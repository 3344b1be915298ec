import { type Database, openDatabase, postgresApiKeys } from '@orders/persistence';
import { onTestFinished } from 'vitest';
import { execute } from '../../../../packages/persistence/test/fixtures/execute.ts';
import { type RunningServer, startServer } from '../programs/running-server.ts';
import { issueKey } from '../programs/server-on-database.ts';
import type { LoadOwner } from './steady-load.ts';

/** A server on the database of a coordinator, and owners with credentials. */
export interface ServerOnCluster extends RunningServer {
  readonly database: Database;
  readonly owners: readonly LoadOwner[];
}

/** The number of owners: enough for every node to have some. */
const OWNERS = 32;

/** Starts a server on a database, which it migrates, until the test ends. `env` is added to its environment. */
export async function startServerOnCluster(
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerOnCluster> {
  const database = openDatabase({ url });
  onTestFinished(() => database.close());
  await database.migrate();
  const keys = postgresApiKeys(database);
  const owners: LoadOwner[] = [];
  for (let index = 0; index < OWNERS; index += 1) {
    const owner = `owner-${index}`;
    owners.push({ owner, apiKey: await issueKey(keys, owner) });
  }
  const limits = { RATE_LIMIT_READ: '0', RATE_LIMIT_WRITE: '0' };
  const server = await startServer({
    DATABASE_URL: url,
    DATA_DIR: '/nowhere',
    NODE_ENV: 'production',
    ...limits,
    ...env,
  });
  return { ...server, database, owners };
}

/** Returns the port of the node with the rows of each owner. */
export async function portsOfOwners(url: string, owners: readonly LoadOwner[]): Promise<ReadonlyMap<string, number>> {
  const names = owners.map(({ owner }) => `'${owner}'`).join(', ');
  const rows = await execute<{ owner: string; nodeport: number }>(
    url,
    `select owner, nodeport from unnest(array[${names}]) as owner
     join citus_shards on shardid = get_shard_id_for_distribution_column('orders', owner)`,
  );
  return new Map(rows.map(({ owner, nodeport }) => [owner, nodeport]));
}

/** Returns the number of stored orders, versions and idempotency records. */
export async function storedRows(url: string): Promise<Record<'orders' | 'changes' | 'idempotency', number>> {
  const count = async (table: string) => {
    const [row] = await execute<{ count: string }>(url, `select count(*) as count from ${table}`);
    return Number(row?.count);
  };
  return { orders: await count('orders'), changes: await count('changes'), idempotency: await count('idempotency') };
}
