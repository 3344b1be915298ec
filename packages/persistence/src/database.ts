import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { Pool, type PoolConfig } from 'pg';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificates/client-certificate-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { OnceEntity } from './once/once-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { OrderItemEntity } from './orders/order-item-entity.ts';
import { OutboxEntity } from './outbox/outbox-entity.ts';
import { migrate, type MigrateOptions } from './migrate.ts';
import { MIGRATIONS_TABLE, type SchemaStatus, schemaStatus } from './migration/schema-status.ts';
import { MIGRATIONS } from './migrations-list.ts';
import { type Connections, connectionsOf } from './shared/connections.ts';
import { type ReadAnywhere, replicaReads } from './shared/replica-reads.ts';
import {
  queryTimeout,
  sessionClient,
  type SessionLimits,
  sessionLimits,
  STATEMENT_TIMEOUT_MS,
  UNLIMITED,
} from './shared/session-client.ts';

const entities = [
  ApiKeyEntity,
  ClientCertificateEntity,
  CustomerEntity,
  OnceEntity,
  OrderEntity,
  OrderItemEntity,
  OutboxEntity,
];

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
  /** Told of connections lost while idle and other things worth a line in the log. */
  readonly warn?: ((message: string) => void) | undefined;
}

/**
 * How a database is reached: MikroORM, which knows the schema, and the connections that statements are sent over.
 *
 * @internal
 */
export interface Connected {
  readonly orm: Orm;
  /** Those of MikroORM's pool. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
  /** Reads lists, from the replicas where there are any. */
  readonly readAnywhere: ReadAnywhere;
  /** How long one statement may run, and a write that meets others may be started over, in milliseconds. */
  readonly statementTimeoutMs: number;
}

// What is marked internal is left out of the published declarations (tsconfig.pack.json): users of the package need not
// compile the types of MikroORM and pg, which have errors of their own.
/** One PostgreSQL database with the orders schema. */
export interface Database {
  /** @internal */
  readonly orm: Orm;
  /** @internal */
  readonly primary: Connections;
  /** @internal */
  readonly replicas: readonly Connections[];
  /** @internal */
  readonly readAnywhere: ReadAnywhere;
  /** @internal */
  readonly statementTimeoutMs: number;
  /**
   * Applies the pending migrations and returns their names. Servers that start at once wait for each other. Needs a
   * direct connection when there are any: a pooler in transaction mode cannot carry the lock.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /** Compares the schema with this release, and changes nothing. */
  schemaStatus(): Promise<SchemaStatus>;
  /** The names of the migrations that have not run yet. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Asks the database for a sign of life; rejects when there is none. */
  ping(): Promise<void>;
  /**
   * Whether the database accepts writes: not when it is a standby, or when its transactions are read-only by default.
   * When it does not, every connection is replaced, so that the next statement resolves the name of the server anew.
   * Rejects when the database does not respond.
   */
  isWritable(): Promise<boolean>;
  /**
   * Does what may take any time, on connections of its own that have no time limits.
   *
   * @internal
   */
  patiently<T>(work: (connected: Connected) => Promise<T>): Promise<T>;
  /** Ends all connections, within two seconds: work that still waits for one then is given up. */
  close(): Promise<void>;
}

/** @internal */
export type Orm = ReturnType<typeof createOrm>;

/** Prepares pools; no connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const connected = connect(options, sessionLimits(options));
  const { primary } = connected;
  const patiently: Database['patiently'] = async (work) => {
    const own = connect({ ...options, replicaUrls: [], poolMax: PATIENT_POOL_MAX }, UNLIMITED);
    try {
      return await work(own);
    } finally {
      await disconnectInTime(own);
    }
  };
  const status = () => schemaStatus(primary, MIGRATIONS);
  return {
    ...connected,
    patiently,
    migrate: (migrateOptions) => patiently((own) => migrate(own, migrateOptions)),
    schemaStatus: status,
    pendingMigrations: async () => (await status()).pending,
    ping: () => primary.run('select 1'),
    isWritable: async () => {
      const [row] = await primary.execute<{ read_only: boolean }>(READ_ONLY, []);
      if (row?.read_only === false) return true;
      primary.renew();
      return false;
    },
    close: () => disconnectInTime(connected),
  };
}

/** How long the end of the pool is waited for, in milliseconds. */
const CLOSE_MS = 2000;

const REPLICA_CONNECT_TIMEOUT_MS = 1000;

/** Connections for work without time limits: of which its share are the two that it uses at once. */
const PATIENT_POOL_MAX = 4;

/** In recovery, or by a default of the server, database or role. */
const READ_ONLY = {
  name: '',
  text: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
};

function connect(options: DatabaseOptions, limits: SessionLimits): Connected {
  const { connectTimeoutMs = 5000, poolMax = 10, preparedStatements: named = true } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const warn = (message: string) => options.warn?.(message);
  const config = (url: string, connectionTimeoutMillis: number): PoolConfig => ({
    // MikroORM reads host, port, user, password and database of a URL; pg reads the rest too, sslmode for one.
    connectionString: url,
    application_name: 'orders',
    connectionTimeoutMillis,
    max: poolMax,
    Client: sessionClient(limits),
    query_timeout: queryTimeout(limits),
    // Finds out in minutes, not in hours, that nobody is there any more at the other end of an idle connection.
    keepAlive: true,
  });
  let pool: Pool | undefined;
  const driverOptions = {
    ...config(options.url, connectTimeoutMs),
    onPoolCreated: (created: Pool) => (pool = created),
  };
  const orm = createOrm({ clientUrl: options.url, driverOptions, logger: warn });
  // Creates the pool.
  orm.em.getKysely();
  if (!pool) throw new Error('MikroORM has no pool');
  // The primary can be asked in place of a replica, so that one is not waited for as long.
  const replicaTimeoutMs = Math.min(connectTimeoutMs, REPLICA_CONNECT_TIMEOUT_MS);
  const primary = connectionsOf(pool, { named, waitMs: connectTimeoutMs });
  const replicas = (options.replicaUrls ?? []).map((url, index) => ({
    name: replicaName(url, index),
    executor: connectionsOf(openReplicaPool(config(url, replicaTimeoutMs), warn), { named, waitMs: replicaTimeoutMs }),
  }));
  const readAnywhere = replicaReads(primary, replicas, warn);
  return { orm, primary, replicas: replicas.map(({ executor }) => executor), readAnywhere, statementTimeoutMs };
}

/** For the log: with host and database, without user and password. */
function replicaName(url: string, index: number): string {
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' };
  return `replica ${index + 1} (${host}${pathname})`;
}

/** A pool does not end while someone waits for a connection of it that never comes. */
async function disconnectInTime(connected: Connected): Promise<void> {
  await Promise.race([disconnect(connected), sleep(CLOSE_MS, undefined, { ref: false })]);
}

async function disconnect({ orm, primary, replicas }: Connected): Promise<void> {
  const end = async ({ pool }: Connections): Promise<void> => (pool.ending ? undefined : await pool.end());
  // MikroORM ends its pool only if it asked for a connection itself.
  await Promise.all([orm.close().then(() => end(primary)), ...replicas.map(end)]);
}

function createOrm(options: Pick<Options, 'clientUrl' | 'driverOptions' | 'logger'>) {
  return new MikroORM({
    ...options,
    entities,
    // The migrations are ours to run; a database that is missing is an operator's mistake to be told of.
    ensureDatabase: false,
    // So that MikroORM does not take it for a table that no entity describes.
    migrations: { tableName: MIGRATIONS_TABLE },
    colors: false,
  });
}

/** A pool whose connections may be lost at any time: whoever uses one then is told by the statement. */
function openReplicaPool(config: PoolConfig, warn: (message: string) => void): Pool {
  const pool = new Pool(config);
  const lost = ({ message }: Error) => warn(`a connection to a replica is lost: ${message}`);
  // The pool says again what its connection said, and would end the process if nobody listened.
  return pool.on('error', () => undefined).on('connect', (client) => client.on('error', lost));
}
