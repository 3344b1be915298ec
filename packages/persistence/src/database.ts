import { MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { OnceEntity } from './once/once-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { OrderItemEntity } from './orders/order-item-entity.ts';
import { OutboxEntity } from './outbox/outbox-entity.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { migrationsOptions } from './migrations-list.ts';
import { postgresClient } from './shared/postgres-client.ts';

const entities = [ApiKeyEntity, CustomerEntity, OnceEntity, OrderEntity, OrderItemEntity, OutboxEntity];

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
  close(): Promise<void>;
}

export type Orm = ReturnType<typeof createOrm>;

/** Prepares a pool; no connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const orm = createOrm(options);
  return {
    orm,
    migrate: () => migrate(orm),
    pendingMigrations: () => pendingMigrations(orm),
    ping: async () => {
      await orm.em.fork().execute('select 1');
    },
    close: () => orm.close(),
  };
}

function createOrm(options: DatabaseOptions) {
  const driverOptions = (url: string) => ({
    // MikroORM reads host, port, user, password and database of a URL; pg reads the rest too, sslmode for one.
    connectionString: url,
    application_name: 'orders',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    statement_timeout: options.statementTimeoutMs ?? 10_000,
    Client: postgresClient({ named: options.preparedStatements ?? true }),
  });
  return new MikroORM({
    entities,
    clientUrl: options.url,
    pool: { max: options.poolMax ?? 10 },
    driverOptions: driverOptions(options.url),
    replicas: (options.replicaUrls ?? []).map((url) => ({ clientUrl: url, driverOptions: driverOptions(url) })),
    // The migrations are ours to run; a database that is missing is an operator's mistake to be told of.
    ensureDatabase: false,
    // A GET right after a POST must find what the POST left.
    preferReadReplicas: false,
    migrations: migrationsOptions,
    logger: (message) => options.warn?.(message),
    colors: false,
  });
}
