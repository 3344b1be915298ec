import { type Connected, connect, type DatabaseOptions, disconnectInTime } from './connect.ts';
import { migrate, type MigrateOptions } from './migrate.ts';
import { type SchemaStatus, schemaStatus } from './migration/schema-status.ts';
import { MIGRATIONS } from './migration/migrations-list.ts';
import type { Orm } from './orm.ts';
import type { Connections } from './shared/connections.ts';
import type { ReadAnywhere } from './shared/replica-reads.ts';
import { sessionLimits, UNLIMITED } from './shared/session-client.ts';

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
  /** Returns how many lists the primary has served in place of a replica, since the database was opened. */
  replicaFallbacks(): number;
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

/** Connections for work without time limits: of which its share are the two that it uses at once. */
const PATIENT_POOL_MAX = 4;

/** In recovery, or by a default of the server, database or role. */
const READ_ONLY = {
  name: '',
  text: `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`,
};

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
