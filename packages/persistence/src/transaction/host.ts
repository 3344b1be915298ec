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

/** A client of the package `pg`, version 8, from a pool or not. Native bindings are not supported. */
export interface HostClient {
  query(text: string): Promise<object>;
  escapeIdentifier(text: string): string;
}
