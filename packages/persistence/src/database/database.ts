import type { OrderDefinition, ORDERS } from '@orders/domain';
import type { ResultAsync } from 'neverthrow';
import type { OpenedPools } from './opened-pools.ts';
import type { Conflicts, WriteListener } from '../postgres/repository-connections.ts';
import type { UnknownOrder, UnknownOrders } from './orders-in-unknown-statuses.ts';
import type { ReportLeftOut } from './left-out-lookups.ts';
import type { Orm } from '../tables/orm.ts';
import type { ErrOf, OkOf, Work } from '@orders/domain/runtime';
import type { Connections } from '../postgres/connections.ts';
import type { ReadAnywhere } from '../postgres/replica-reads.ts';
import type { HostClient, HostEntityManager, HostExecutor } from '../transaction/host.ts';
import type { JoinedTransaction, Transaction, TransactionOptions } from '../transaction/transaction.ts';
import type { TransactionFailed } from '../postgres/transaction-failed.ts';

// Members marked internal are left out of the published declarations (tsconfig.pack.json): users of the package need
// not compile the types of MikroORM and pg, which contain type errors.
/** An open PostgreSQL database with the orders schema, without its transactions. */
export interface OrdersDatabase<D extends OrderDefinition = OrderDefinition> {
  /** The definition of its orders. */
  readonly definition: D;
  /** The PostgreSQL schema of its tables. */
  readonly schema: string;
  /** @internal */
  readonly unknownOrders: UnknownOrders;
  /** @internal */
  readonly reportLeftOut: ReportLeftOut;
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
  readonly conflicts: Conflicts;
  /** @internal */
  readonly writeListeners: Set<WriteListener>;
  /** @internal */
  readonly isShared: boolean;
  /**
   * Applies the pending migrations and returns their names. Servers that start at the same time wait for each other.
   * Pending migrations need a direct connection: a pooler in transaction mode cannot keep their lock.
   *
   * Then adopts the definition of orders, as {@link OrdersDatabase.adoptDefinition} does.
   */
  migrate(options?: MigrateOptions): Promise<readonly string[]>;
  /**
   * Stores the definition of orders, after a check that no order has a status that it lacks. A server that does not migrate
   * when it starts calls it instead. Repeating it has no effect.
   *
   * @throws {OrdersInRemovedStatuses} orders have such statuses
   * @throws {UnrelatedDefinition} every definition that servers of this database have used is for other orders
   */
  adoptDefinition(options?: AdoptOptions): Promise<void>;
  /**
   * Returns an order that this process has met in a status that its definition lacks, as long as it has one; `null` if there
   * is none. Reads and changes of such an order are `unavailable`, as are lists with it: servers with another definition
   * serve it. A server that has met one is not ready.
   */
  unknownOrder(): Promise<UnknownOrder | null>;
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
  withoutTimeLimits<T>(work: (connected: OpenedPools) => Promise<T>): Promise<T>;
  /** Closes all connections, within two seconds. Work that still waits for a connection then is abandoned. */
  close(): Promise<void>;
}

/** Options of a migration: progress reports and cancellation. */
export interface MigrateOptions {
  /** Receives a line for each migration, for each retry, and every ten seconds while waiting. Default: no-op. */
  readonly log?: ((message: string) => void) | undefined;
  /**
   * Stops the migration: cancels the running statement and rejects with the signal's reason within a second. Committed
   * steps stay, and the next migration continues there. Default: never aborted.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link Database.adoptDefinition}. */
export interface AdoptOptions {
  /** Receives a line before orders are counted. Default: no-op. */
  readonly log?: ((message: string) => void) | undefined;
  /** Rejects with the signal's reason when it is aborted. Default: never aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The difference between a database's schema and this release. */
export interface SchemaStatus {
  /** Migrations of this release that have been applied. */
  readonly applied: readonly string[];
  /** Migrations of this release that have not been applied yet, in the order in which they will run. */
  readonly pending: readonly string[];
  /** Applied migrations that this release does not have: the schema belongs to a later release. */
  readonly unknown: readonly string[];
}

/** An open PostgreSQL database with the orders schema. */
export interface Database<Em = unknown, D extends OrderDefinition = typeof ORDERS> extends OrdersDatabase<D> {
  /**
   * Runs `work` in one transaction: its use cases, its `EntityManager` and its statements are committed together when it
   * returns `ok`, after a flush. Rolls back when it returns `err` or throws. Nothing is retried.
   *
   * The transaction is READ COMMITTED. PostgreSQL ends it after 5 s without a statement, and it is rolled back after
   * `transactionTimeoutMs`. Afterwards the session is reset, so that no setting of the host outlives it; in a pool of the
   * host it is checked.
   *
   * @returns the result of `work`, or {@link TransactionFailed} when the transaction was not committed. That is because of a
   * conflict, a failure of the database, its age, or a failed statement whose error `work` ignored
   * @throws {TypeError} `work` returned no result, or a statement ended the transaction
   */
  transaction<R>(
    work: (transaction: Transaction<Em, D>) => Work<R>,
    options?: TransactionOptions,
  ): ResultAsync<OkOf<R>, ErrOf<R> | TransactionFailed>;
  /**
   * Returns the use cases inside a transaction of the host: of its `EntityManager` of MikroORM, of its client of `pg`, or of any
   * other library, by an object with `query`. The host commits or rolls back.
   *
   * @throws {TypeError} there is no transaction, or its isolation is not READ COMMITTED
   * @throws {TransactionFailed} the database failed
   */
  joinTransaction(host: HostEntityManager | HostClient | HostExecutor): Promise<JoinedTransaction<D>>;
}
