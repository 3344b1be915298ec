/**
 * A MikroORM of the host, version 7 for PostgreSQL. Described by the members that this package uses, so that its
 * declarations need none of MikroORM's.
 */
export interface HostOrm<Em> {
  readonly em: Em & HostEntityManager;
}

/** An `EntityManager` of MikroORM 7. */
export interface HostEntityManager {
  fork(): this;
  flush(): Promise<void>;
  getTransactionContext(): object | undefined;
  setTransactionContext(context: object): void;
  getSessionContext?(): object | undefined;
  getConnection(): { getConnectionOptions(): object };
}

/** A pool of the package `pg`, version 8. Native bindings are not supported. */
export interface HostPool {
  readonly totalCount: number;
  readonly idleCount: number;
  connect(): Promise<object>;
  end(): Promise<void>;
}

/**
 * Executes statements in an open transaction of any other library, such as Kysely, Drizzle, TypeORM or Prisma. It has to be the
 * transaction, or made for it.
 */
export interface HostExecutor {
  /**
   * Executes one statement, whose text has `$1`, `$2` and so on for the values, in their order, and returns its rows.
   */
  readonly query: (text: string, values: (string | null)[]) => PromiseLike<readonly object[]>;
  /**
   * Returns the SQLSTATE of an error of `query`, or `undefined`; `08006` for a lost connection. For a library that hides
   * it. Default: `code` of the error, or of its cause.
   */
  readonly sqlState?: ((error: unknown) => string | undefined) | undefined;
  /** A pool has it, whose statements are in no transaction. */
  readonly totalCount?: undefined;
}

/** What has an open transaction of the host. */
export type Host = HostEntityManager | HostClient | HostExecutor;

/** A client of the package `pg`, version 8, from a pool or not. Native bindings are not supported. */
export interface HostClient {
  query(text: string): Promise<object>;
  escapeIdentifier(text: string): string;
}
