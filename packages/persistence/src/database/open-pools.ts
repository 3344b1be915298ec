import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, type IdSource, type OrderDefinition, ORDERS } from '@orders/domain';
import pg, { type Pool, type PoolConfig } from 'pg';
import type { OpenedPools } from './opened-pools.ts';
import type { Conflicts } from '../postgres/repository-connections.ts';
import { UnknownOrders } from './orders-in-unknown-statuses.ts';
import { warnOnce } from './left-out-lookups.ts';
import { lazyOrm } from '../tables/orm.ts';
import { type Connections, connectionsOf } from '../postgres/connections.ts';
import { replicaReads } from '../postgres/replica-reads.ts';
import { schemaName } from '../tables/schema.ts';
import {
  responseTimeout,
  sessionClient,
  type SessionLimits,
  STATEMENT_TIMEOUT_MS,
} from '../postgres/session-client.ts';
import { typesWith } from '../postgres/types-with.ts';
import type { HostOrm, HostPool } from '../transaction/host.ts';

/** The address of the database, as a URL, a pool or a MikroORM of the host, and the limits on its use. */
export type DatabaseOptions<Em = unknown> = DatabaseSettings<Em> & WithUrlPoolOrOrm<Em>;

/** Which database it is. */
export type WithUrlPoolOrOrm<Em> =
  | Required<Pick<DatabaseSettings<Em>, 'url'>>
  | Required<Pick<DatabaseSettings<Em>, 'pool'>>
  | Required<Pick<DatabaseSettings<Em>, 'orm'>>;

/** A database of orders that follow a definition of their own. */
export interface DefinitionOption<D extends OrderDefinition> {
  /** The definition of orders. Default: `ORDERS`. */
  readonly definition: D;
}

/** The settings of a database. */
export interface DatabaseSettings<Em = unknown> {
  /** Format: `postgresql://user:password@host:port/database`. Default: the address of `pool`, or that of `orm`. */
  readonly url?: string;
  /**
   * A pool of the host, used instead of one that is opened here. Its sessions keep the settings that the host has chosen,
   * without the time limits of these options; their isolation must be READ COMMITTED. The host closes the pool.
   */
  readonly pool?: HostPool;
  /** A MikroORM of the host, whose `EntityManager` its transactions receive. Default: none. */
  readonly orm?: HostOrm<Em>;
  /**
   * The PostgreSQL schema of the tables, functions and applied migrations. One database can have several, each of which is an
   * installation of its own. 1 to 63 characters from `a-z`, `0-9` and `_`, of which the first is no digit; not `pg_…`,
   * `information_schema` or `public`. Default: `orders`.
   */
  readonly schema?: string | undefined;
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
  /**
   * Maximum age of a `transaction`, in milliseconds. It is rolled back then, when its current statement has ended, because
   * others wait for its locks. Default: 30,000.
   */
  readonly transactionTimeoutMs?: number | undefined;
  /** Maximum wait for a free connection, and also for opening a new one, in milliseconds. Default: 5,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Whether statements are named prepared statements, which halves the time that PostgreSQL spends on them. Set to
   * `false` for a pooler that does not support them, such as PgBouncer before 1.21 in transaction mode. Default:
   * `true`.
   */
  readonly preparedStatements?: boolean | undefined;
  /** The clock of the use cases in transactions. Default: that of the machine. */
  readonly clock?: Clock | undefined;
  /** The source of ids for the use cases in transactions. Default: UUIDv7. */
  readonly ids?: IdSource | undefined;
  /** Time until an idempotency key of a transaction expires, in milliseconds. Default: 24 hours. */
  readonly idempotencyTtlMs?: number | undefined;
  /** Receives a message for each lost idle connection, and for other events that belong in the log. Default: no-op. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Maximum wait for a pool to end, in milliseconds. */
const CLOSE_MS = 2000;

const REPLICA_CONNECT_TIMEOUT_MS = 1000;

/**
 * Prepares pools within these limits; no connection is made before the first statement.
 *
 * @param own whether the pool is opened here, even if the options have that of a host
 *
 * @internal
 */
export function openPools(
  options: DatabaseOptions<unknown> & Partial<DefinitionOption<OrderDefinition>>,
  limits: SessionLimits,
  own = options.pool === undefined,
): OpenedPools {
  const { connectTimeoutMs = 5000, poolMax = 10, preparedStatements: named = true } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, definition = ORDERS } = options;
  const schema = schemaName(options.schema);
  const warn = (message: string) => options.warn?.(message);
  const config = (address: PoolConfig, connectionTimeoutMillis: number): PoolConfig => ({
    ...address,
    application_name: 'orders',
    connectionTimeoutMillis,
    max: poolMax,
    Client: sessionClient(limits),
    // Detects a dead server behind an idle connection within minutes instead of hours.
    keepAlive: true,
    types: ENTITY_TYPES,
  });
  // The primary can replace a replica, so the wait for a replica is shorter.
  const replicaTimeoutMs = Math.min(connectTimeoutMs, REPLICA_CONNECT_TIMEOUT_MS);
  const shared = own || !options.pool ? undefined : hostPool(options.pool);
  const pool = shared ?? openPool(config(addressOf(options), connectTimeoutMs), 'the database', warn);
  const isShared = shared !== undefined;
  const limitMs = responseTimeout(limits);
  const sharing = isShared ? { shared: true } : { limitMs };
  const primary = connectionsOf(pool, { named, waitMs: connectTimeoutMs, ...sharing });
  const orm = lazyOrm(primary, schema, warn);
  const replicas = (options.replicaUrls ?? []).map((url, index) => ({
    name: replicaName(url, index),
    executor: connectionsOf(openPool(config({ connectionString: url }, replicaTimeoutMs), 'a replica', warn), {
      named,
      waitMs: replicaTimeoutMs,
      limitMs,
    }),
  }));
  const reads = replicaReads(primary, replicas, warn);
  const conflicts: Conflicts = { retriedForMs: statementTimeoutMs, unresolved: (cause) => Promise.resolve(cause) };
  const pools = replicas.map(({ executor }) => executor);
  return {
    orm,
    schema,
    definition,
    unknownOrders: new UnknownOrders(definition.lifecycle, warn),
    reportLeftOut: warnOnce(warn),
    primary,
    isShared,
    replicas: pools,
    ...reads,
    conflicts,
    writeListeners: new Set(),
  };
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
export async function closePoolsInTime(parts: OpenedPools): Promise<void> {
  await Promise.race([disconnect(parts), sleep(CLOSE_MS, undefined, { ref: false })]);
}

async function disconnect({ orm, primary, replicas, isShared }: OpenedPools): Promise<void> {
  const end = async ({ pool }: Connections): Promise<void> => (pool.ending ? undefined : await pool.end());
  const own = isShared ? replicas : [primary, ...replicas];
  await Promise.all([orm.close(), ...own.map(end)]);
}

/** Returns the address in these options, with the credentials. */
function addressOf({ url, pool, orm }: DatabaseOptions<unknown>): PoolConfig {
  if (url !== undefined) return { connectionString: url };
  if (pool) {
    const { options } = hostPool(pool);
    // The pool hides its password from enumeration.
    return { ...options, ...('password' in options ? { password: options.password } : {}) };
  }
  if (orm) return orm.em.getConnection().getConnectionOptions();
  throw new TypeError('openDatabase needs a url, a pool or an orm');
}

/** @throws {TypeError} the pool is none of `pg` */
function hostPool(pool: HostPool): Pool {
  if (!('options' in pool && 'ending' in pool && 'on' in pool)) throw new TypeError('the pool must be one of pg 8');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a pool of another copy of `pg` is no instance of ours
  return pool as unknown as Pool;
}

/** Type parsers that leave timestamps as PostgreSQL's text, which the entities parse. */
const ENTITY_TYPES = typesWith({ [pg.types.builtins.TIMESTAMPTZ]: (text) => text });

/** Opens a pool that survives the loss of its connections. The statement that uses a lost connection fails. */
function openPool(config: PoolConfig, server: string, warn: (message: string) => void): Pool {
  const pool = new pg.Pool(config);
  const lost = ({ message }: Error): void => {
    // The pool ends before its sessions have: PostgreSQL, when it stops at the same time, may end them first.
    if (!pool.ending) warn(`lost a connection to ${server}: ${message}`);
  };
  // The pool emits the errors of its connections too, and an `error` event without a listener would end the process.
  return pool.on('error', () => undefined).on('connect', (client) => client.on('error', lost));
}
