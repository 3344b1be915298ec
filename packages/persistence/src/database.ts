import { connect, type DatabaseOptions, disconnectInTime } from './connect.ts';
import type { Connected } from './connected.ts';
import { migrate, type MigrateOptions } from './migrate.ts';
import { type SchemaStatus, schemaStatus } from './migration/schema-status.ts';
import { migrationsOf } from './migration/functions-migration.ts';
import type { Orm } from './orm.ts';
import type { Connections } from './shared/connections.ts';
import type { ReadAnywhere } from './shared/replica-reads.ts';
import { sessionLimits, UNLIMITED } from './shared/session-client.ts';

// Members marked internal are left out of the published declarations (tsconfig.pack.json): users of the package need
// not compile the types of MikroORM and pg, which contain type errors.
/** An open PostgreSQL database with the orders schema. */
export interface Database {
  /** @internal */
  readonly orm: Orm;
  /** @internal */
  readonly primary: Connections;
  /** @internal */
  readonly replicas: readonly Connections[];
  /** @internal */
  readonly readAnywhere: ReadAnywhere;
  /** Returns the number of lists that the primary has served in place of a replica, since the database was opened. */
  replicaFallbacks(): number;
  /** @internal */
  readonly statementTimeoutMs: number;
  /**
   * Applies the pending migrations and returns their names. Servers that start at the same time wait for each other.
   * Pending migrations need a direct connection: a pooler in transaction mode cannot keep their lock.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /** Compares the schema with this release, without changing anything. */
  schemaStatus(): Promise<SchemaStatus>;
  /** Returns the names of the migrations that have not been applied yet. */
  pendingMigrations(): Promise<readonly string[]>;
  /** Probes the database; rejects when it does not respond. */
  ping(): Promise<void>;
  /**
   * Returns whether the database accepts writes. A standby does not, nor does a database whose transactions are
   * read-only by default. Then every connection is replaced, so that the next statement resolves the host name again.
   * Rejects when the database does not respond.
   */
  isWritable(): Promise<boolean>;
  /**
   * Runs work of unlimited duration, on connections of its own without time limits.
   *
   * @internal
   */
  withoutTimeLimits<T>(work: (connected: Connected) => Promise<T>): Promise<T>;
  /** Closes all connections, within two seconds. Work that still waits for a connection then is abandoned. */
  close(): Promise<void>;
}

/** Pool size for work without time limits. Its owner's share is two connections, which it uses at the same time. */
const UNLIMITED_POOL_MAX = 4;

/** True during recovery, and when the server, database or role defaults to read-only transactions. */
const READ_ONLY = {
  name: '',
  text: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
};

/** Opens a database. No connection is made before the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const connected = connect(options, sessionLimits(options));
  const { orm, primary } = connected;
  const withoutTimeLimits: Database['withoutTimeLimits'] = async (work) => {
    const own = connect({ ...options, replicaUrls: [], poolMax: UNLIMITED_POOL_MAX }, UNLIMITED);
    try {
      return await work(own);
    } finally {
      await disconnectInTime(own);
    }
  };
  const status = () => schemaStatus(primary, migrationsOf(orm));
  return {
    ...connected,
    withoutTimeLimits,
    migrate: (migrateOptions) => withoutTimeLimits((own) => migrate(own, migrateOptions)),
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
