import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { ClientCertificateEntity } from './client-certificates/client-certificate-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { OnceEntity } from './once/once-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { OrderItemEntity } from './orders/order-item-entity.ts';
import { OutboxEntity } from './outbox/outbox-entity.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { migrationsOptions } from './migrations-list.ts';
import { postgresClient } from './shared/postgres-client.ts';

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
   * Whether statements are sent as named prepared ones, which halves what PostgreSQL spends on them. To be turned off for
   * a pooler that cannot carry them, such as PgBouncer before 1.21 in transaction mode. Default true.
   */
  readonly preparedStatements?: boolean | undefined;
  /** Told of connections lost while idle and other things worth a line in the log. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** One PostgreSQL database with the orders schema: MikroORM with its pool. */
export interface Database {
  readonly orm: Orm;
  /** Brings the schema up to date; servers that start at once wait for each other. */
  migrate(): Promise<void>;
  /** The names of the migrations that have not run yet. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Asks the database for a sign of life; rejects when there is none. */
  ping(): Promise<void>;
  /** Does what may take any time, on connections of its own that have no time limits. */
  patiently<T>(work: (orm: Orm) => Promise<T>): Promise<T>;
  /** Ends the pool, within two seconds: work that still waits for a connection then is given up. */
  close(): Promise<void>;
}

export type Orm = ReturnType<typeof createOrm>;

/** Prepares a pool; no connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const orm = createOrm(options, timeLimits(options));
  const patiently: Database['patiently'] = async (work) => {
    const own = createOrm({ ...options, poolMax: 2 }, {});
    try {
      return await work(own);
    } finally {
      await own.close();
    }
  };
  return {
    orm,
    patiently,
    migrate: () => patiently(migrate),
    pendingMigrations: () => pendingMigrations(orm),
    ping: async () => {
      await orm.em.fork().execute('select 1');
    },
    close: async () => {
      // A pool does not end while somebody waits for a connection of it that never comes.
      await Promise.race([orm.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
    },
  };
}

/** Beyond PostgreSQL's own time limit, in milliseconds: then no answer will come over the connection, and it is given up. */
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

function createOrm(options: DatabaseOptions, limits: TimeLimits) {
  const driverOptions = (url: string, connectTimeoutMs: number) => ({
    // MikroORM reads host, port, user, password and database of a URL; pg reads the rest too, sslmode for one.
    connectionString: url,
    application_name: 'orders',
    connectionTimeoutMillis: connectTimeoutMs,
    ...limits,
    // Finds out in minutes, not in hours, that nobody is there any more at the other end of an idle connection.
    keepAlive: true,
    Client: postgresClient({ named: options.preparedStatements ?? true }),
  });
  const { connectTimeoutMs = 5000 } = options;
  // The primary can be asked in place of a replica, so that one is not waited for as long.
  const replicaTimeoutMs = Math.min(connectTimeoutMs, REPLICA_CONNECT_TIMEOUT_MS);
  return new MikroORM({
    entities,
    clientUrl: options.url,
    pool: { max: options.poolMax ?? 10 },
    driverOptions: driverOptions(options.url, connectTimeoutMs),
    replicas: (options.replicaUrls ?? []).map((url) => ({
      clientUrl: url,
      driverOptions: driverOptions(url, replicaTimeoutMs),
    })),
    // The migrations are ours to run; a database that is missing is an operator's mistake to be told of.
    ensureDatabase: false,
    // A GET right after a POST must find what the POST left.
    preferReadReplicas: false,
    migrations: migrationsOptions,
    logger: (message) => options.warn?.(message),
    colors: false,
  });
}
