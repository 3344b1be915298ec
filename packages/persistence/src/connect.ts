import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolConfig, TypeOverrides, types } from 'pg';
import type { Connected } from './connected.ts';
import { createOrm } from './orm.ts';
import { APPLICATION_NAME } from './shared/application-names.ts';
import { type Connections, connectionsOf } from './shared/connections.ts';
import { ormDialect } from './shared/orm-dialect.ts';
import { replicaReads } from './shared/replica-reads.ts';
import { queryTimeout, sessionClient, type SessionLimits, STATEMENT_TIMEOUT_MS } from './shared/session-client.ts';

/** The address of the database, and the limits on its use. */
export interface DatabaseOptions {
  /** Format: `postgresql://user:password@host:port/database`. */
  readonly url: string;
  /** URLs of streaming replicas. Lists are read from them, and may be as stale as the replica. Default: none. */
  readonly replicaUrls?: readonly string[] | undefined;
  /** Maximum number of open connections. One owner uses at most a third of them at a time, rounded up. Default: 10. */
  readonly poolMax?: number | undefined;
  /** Maximum run time of one statement, in milliseconds. Default: 10,000. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Maximum wait of a statement for each lock, in milliseconds; at most `statementTimeoutMs`. A statement that waited for
   * a table, which only changes of the schema lock, is sent again for ten seconds. Default: 1,500.
   */
  readonly lockTimeoutMs?: number | undefined;
  /** Maximum wait for a free connection, and also for opening a new one, in milliseconds. Default: 5,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Whether statements are named prepared statements, which halves the time that PostgreSQL spends on them. Set to
   * `false` for a pooler that does not support them, such as PgBouncer before 1.21 in transaction mode. Default:
   * `true`.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Receives a message for each lost idle connection, and for other events that belong in the log. Default: no-op. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Maximum wait for a pool to end, in milliseconds. */
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
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis,
    max: poolMax,
    Client: sessionClient(limits),
    query_timeout: queryTimeout(limits),
    // Detects a dead server behind an idle connection within minutes instead of hours.
    keepAlive: true,
    types: entityTypes(),
  });
  // The primary can replace a replica, so the wait for a replica is shorter.
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

/** Returns the name of a replica for the log: host and database, without user and password. */
function replicaName(url: string, index: number): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' };
  return `replica ${index + 1} (${host}${pathname})`;
}

/**
 * Closes all connections, within two seconds: a pool does not end while a statement waits for a connection that never
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

/** Returns type parsers that leave timestamps as PostgreSQL's text, which the entities parse. */
function entityTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.TIMESTAMPTZ, (text) => text);
  return overrides;
}

/** Opens a pool that survives the loss of its connections. The statement that uses a lost connection fails. */
function openPool(config: PoolConfig, server: string, warn: (message: string) => void): Pool {
  const pool = new Pool(config);
  const lost = ({ message }: Error): void => {
    // The pool ends before its sessions have: PostgreSQL, when it stops at the same time, may end them first.
    if (!pool.ending) warn(`lost a connection to ${server}: ${message}`);
  };
  // The pool emits the errors of its connections too, and an `error` event without a listener would end the process.
  return pool.on('error', () => undefined).on('connect', (client) => client.on('error', lost));
}
