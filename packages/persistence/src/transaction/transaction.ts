import type { Domain, OrderDefinition, ORDERS } from '@orders/domain';
import type { RepositoryConnections } from '../postgres/repository-connections.ts';

/** An open transaction. Its members must not be used after its end. */
export interface Transaction<Em = unknown, D extends OrderDefinition = typeof ORDERS> {
  /**
   * The use cases inside the transaction. An expected error, such as `reference_taken`, leaves the transaction usable.
   * The cause of `unavailable` is a `TransactionFailed`; then nothing of the transaction is stored.
   */
  readonly domain: Domain<D>;
  /**
   * An `EntityManager` of the host on the same connection; `undefined` without the option `orm`. What its nested
   * transactions roll back includes the writes of use cases that ran meanwhile.
   */
  readonly em: Em;
  /** Runs statements of the host on the same connection. */
  readonly client: TransactionClient;
  /** @internal */
  readonly connections: RepositoryConnections;
}

/** Runs statements on the connection of a transaction, with the signature of a client of `pg`. */
export interface TransactionClient {
  /**
   * @throws {Error} PostgreSQL rejected the statement. The transaction then accepts no other and is rolled back
   * @throws {TypeError} the statement was a COMMIT or ROLLBACK
   * @throws {TransactionFailed} the transaction has reached its maximum age
   */
  query<Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[]; readonly rowCount: number | null }>;
}

/** The use cases inside a transaction of the host. */
export interface JoinedTransaction<D extends OrderDefinition = typeof ORDERS> {
  /**
   * The use cases inside the transaction, until the host ends it; one that outlives it changes nothing, and throws a
   * `TypeError`. An expected error, such as `reference_taken`, leaves it usable. The cause of `unavailable` is a
   * `TransactionFailed`; then the host must roll back.
   */
  readonly domain: Domain<D>;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** The owner whose share of the pool the transaction uses. Default: the share of statements without an owner. */
  readonly owner?: string | undefined;
}
