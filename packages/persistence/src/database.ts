import { MikroORM } from '@mikro-orm/postgresql';
import { ApiKeyEntity } from './api-keys/api-key-entity.ts';
import { CustomerEntity } from './customers/customer-entity.ts';
import { OnceEntity } from './once/once-entity.ts';
import { OrderEntity } from './orders/order-entity.ts';
import { OrderItemEntity } from './orders/order-item-entity.ts';
import { OutboxEntity } from './outbox/outbox-entity.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { migrationsOptions } from './migrations-list.ts';

const entities = [ApiKeyEntity, CustomerEntity, OnceEntity, OrderEntity, OrderItemEntity, OutboxEntity];

/** How to reach the database. */
export interface DatabaseOptions {
  /** `postgresql://user:password@host:port/database` */
  readonly url: string;
  /** Most connections open at once. Default 10. */
  readonly poolMax?: number | undefined;
  /** How long one statement may run, in milliseconds. Default 10,000. */
  readonly statementTimeoutMs?: number | undefined;
  /** How long to wait for a connection, in milliseconds. Default 5,000. */
  readonly connectTimeoutMs?: number | undefined;
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
  return new MikroORM({
    entities,
    clientUrl: options.url,
    pool: { max: options.poolMax ?? 10 },
    driverOptions: {
      // MikroORM reads host, port, user, password and database of a URL; pg reads the rest too, sslmode for one.
      connectionString: options.url,
      application_name: 'orders',
      connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
      statement_timeout: options.statementTimeoutMs ?? 10_000,
    },
    // A GET right after a POST must find what the POST left.
    preferReadReplicas: false,
    migrations: migrationsOptions,
    logger: (message) => options.warn?.(message),
    colors: false,
  });
}
