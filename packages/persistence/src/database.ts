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
import { migrate, pendingMigrations } from './migrate.ts';
import { migrationsOptions } from './migrations-list.ts';
import { type Connections, connectionsOf } from './shared/connections.ts';

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
  /** Most connections open at once. Default 10. */
  readonly poolMax?: number | undefined;
  /** How long one statement may run, in milliseconds. Default 10,000. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long to wait for a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Whether statements are sent as named prepared ones, which halves what PostgreSQL spends on them. To be turned off
   * for a pooler that cannot carry them, such as PgBouncer before 1.21 in transaction mode. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Told of connections lost while idle and other things worth a line in the log. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** How a database is reached: MikroORM, which knows the schema, and the connections that statements are sent over. */
export interface Connected {
  readonly orm: Orm;
  /** Those of MikroORM's pool. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
}

/** One PostgreSQL database with the orders schema. */
export interface Database extends Connected {
  /** Brings the schema up to date; servers that start at once wait for each other. */
  migrate(): Promise<void>;
  /** The names of the migrations that have not run yet. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Asks the database for a sign of life; rejects when there is none. */
  ping(): Promise<void>;
  /** Does what may take any time, on connections of its own that have no time limits. */
  patiently<T>(work: (connected: Connected) => Promise<T>): Promise<T>;
  /** Ends all connections, within two seconds: work that still waits for one then is given up. */
  close(): Promise<void>;
}

export type Orm = ReturnType<typeof createOrm>;

/** Prepares pools; no connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const connected = connect(options, timeLimits(options));
  const { orm, primary } = connected;
  const patiently: Database['patiently'] = async (work) => {
    const own = connect({ ...options, replicaUrls: [], poolMax: 2 }, {});
    try {
      return await work(own);
    } finally {
      await disconnect(own);
    }
  };
  return {
    ...connected,
    patiently,
    migrate: () => patiently(migrate),
    pendingMigrations: () => pendingMigrations(orm),
    ping: () => primary.run('select 1'),
    close: async () => {
      // A pool does not end while somebody waits for a connection of it that never comes.
      await Promise.race([disconnect(connected), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

/**
 * Beyond PostgreSQL's own time limit, in milliseconds: then no answer will come over the connection, and it is given
 * up.
 */
const ANSWER_GRACE_MS = 1000;

/** How long the end of the pool is waited for, in milliseconds. */
const CLOSE_MS = 2000;

const REPLICA_CONNECT_TIMEOUT_MS = 1000;

/**
 * How long a statement may run, as PostgreSQL sees it, and as its client does; and how long a transaction may wait for
 * its next one. A client that is gone without a word would hold its locks for hours otherwise.
 */
interface TimeLimits {
  readonly statement_timeout?: number;
  readonly idle_in_transaction_session_timeout?: number;
  readonly query_timeout?: number;
}

function timeLimits({ statementTimeoutMs = 10_000 }: DatabaseOptions): TimeLimits {
  return {
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + Math.min(ANSWER_GRACE_MS, statementTimeoutMs),
  };
}

function connect(options: DatabaseOptions, limits: TimeLimits): Connected {
  const { connectTimeoutMs = 5000, poolMax = 10, preparedStatements: named = true } = options;
  const warn = (message: string) => options.warn?.(message);
  const config = (url: string, connectionTimeoutMillis: number): PoolConfig => ({
    // MikroORM reads host, port, user, password and database of a URL; pg reads the rest too, sslmode for one.
    connectionString: url,
    application_name: 'orders',
    connectionTimeoutMillis,
    max: poolMax,
    ...limits,
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
  return {
    orm,
    primary: connectionsOf(pool, named),
    replicas: (options.replicaUrls ?? []).map((url) =>
      connectionsOf(openReplicaPool(config(url, replicaTimeoutMs), warn), named),
    ),
  };
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
    migrations: migrationsOptions,
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
