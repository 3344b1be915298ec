import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolConfig, TypeOverrides, types } from 'pg';
import { createOrm, type Orm } from './orm.ts';
import { type Connections, connectionsOf } from './shared/connections.ts';
import { ormDialect } from './shared/orm-dialect.ts';
import { replicaReads, type ReplicaReads } from './shared/replica-reads.ts';
import { queryTimeout, sessionClient, type SessionLimits, STATEMENT_TIMEOUT_MS } from './shared/session-client.ts';

/** How to reach the database. */
export interface DatabaseOptions {
  /** `postgresql://user:password@host:port/database` */
  readonly url: string;
  /** Streaming replicas, as `url`; lists are read from them, and may then be as old as the replica. Default none. */
  readonly replicaUrls?: readonly string[] | undefined;
  /** Most connections open at once. One owner uses at most a third of them, rounded up, at a time. Default 10. */
  readonly poolMax?: number | undefined;
  /** How long one statement may run, in milliseconds. Default 10,000. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long a statement may wait for each lock, in milliseconds; at most `statementTimeoutMs`. Default 1,500. */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * How long to wait for a connection to be free, and again for a new one to be made, in milliseconds. Default 5,000.
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Whether statements are sent as named prepared ones, which halves what PostgreSQL spends on them. To be turned off
   * for a pooler that cannot carry them, such as PgBouncer before 1.21 in transaction mode. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Called with a message for each idle connection that is lost, and for other events worth a line in the log. */
  readonly warn?: ((message: string) => void) | undefined;
}

/**
 * How a database is reached: MikroORM, which knows the schema, and the connections that statements are sent over.
 *
 * @internal
 */
export interface Connected extends ReplicaReads {
  readonly orm: Orm;
  /** The connections to the primary, over which MikroORM executes too. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
  /** How long one statement may run, and a write that meets others may be started over, in milliseconds. */
  readonly statementTimeoutMs: number;
}

/** How long the end of the pool is waited for, in milliseconds. */
const CLOSE_MS = 2000;

const REPLICA_CONNECT_TIMEOUT_MS = 1000;

/**
 * Prepares pools within these limits; no connection is made before the first statement.
 *
 * @internal
 */
export function connect(options: DatabaseOptions, limits: SessionLimits): Connected {
  const { connectTimeoutMs = 5000, poolMax = 10, preparedStatements: named = true } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const warn = (message: string) => options.warn?.(message);
  const config = (url: string, connectionTimeoutMillis: number): PoolConfig => ({
    connectionString: url,
    application_name: 'orders',
    connectionTimeoutMillis,
    max: poolMax,
    Client: sessionClient(limits),
    query_timeout: queryTimeout(limits),
    // Detects a dead peer of an idle connection within minutes instead of hours.
    keepAlive: true,
    types: entityTypes(),
  });
  // The primary can be asked in place of a replica, so that one is not waited for as long.
  const replicaTimeoutMs = Math.min(connectTimeoutMs, REPLICA_CONNECT_TIMEOUT_MS);
  const pool = openPool(config(options.url, connectTimeoutMs), 'the database', warn);
  const primary = connectionsOf(pool, { named, waitMs: connectTimeoutMs });
  const orm = createOrm({ clientUrl: options.url, driverOptions: () => ormDialect(primary), logger: warn });
  const replicas = (options.replicaUrls ?? []).map((url, index) => ({
    name: replicaName(url, index),
    executor: connectionsOf(openPool(config(url, replicaTimeoutMs), 'a replica', warn), {
      named,
      waitMs: replicaTimeoutMs,
    }),
  }));
  const reads = replicaReads(primary, replicas, warn);
  return { orm, primary, replicas: replicas.map(({ executor }) => executor), ...reads, statementTimeoutMs };
}

/** For the log: with host and database, without user and password. */
function replicaName(url: string, index: number): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' };
  return `replica ${index + 1} (${host}${pathname})`;
}

/**
 * Ends all connections, within two seconds: a pool does not end while a statement waits for a connection that never
 * comes.
 *
 * @internal
 */
export async function disconnectInTime(connected: Connected): Promise<void> {
  await Promise.race([disconnect(connected), sleep(CLOSE_MS, undefined, { ref: false })]);
}

async function disconnect({ orm, primary, replicas }: Connected): Promise<void> {
  const end = async ({ pool }: Connections): Promise<void> => (pool.ending ? undefined : await pool.end());
  await Promise.all([orm.close(), end(primary), ...replicas.map(end)]);
}

/** Leaves times as PostgreSQL's text, which is what the entities read. */
function entityTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => text);
  return overrides;
}

/** A pool whose connections may be lost at any time: the statement that uses one then fails. */
function openPool(config: PoolConfig, server: string, warn: (message: string) => void): Pool {
  const pool = new Pool(config);
  const lost = ({ message }: Error) => warn(`a connection to ${server} is lost: ${message}`);
  // The pool repeats the error of its connection, and an error without a listener would end the process.
  return pool.on('error', () => undefined).on('connect', (client) => client.on('error', lost));
}
