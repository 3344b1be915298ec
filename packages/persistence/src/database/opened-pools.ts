import type { UnknownOrders } from './orders-in-unknown-statuses.ts';
import type { Orm } from '../tables/orm.ts';
import type { Connections } from '../postgres/connections.ts';
import type { Executor } from '../postgres/executor.ts';
import type { ReplicaReads } from '../postgres/replica-reads.ts';
import type { OrderDefinition, Owner } from '@orders/domain';

/**
 * The open pools of a database, and MikroORM with its schema.
 *
 * @internal
 */
export interface DatabaseParts extends ReplicaReads {
  readonly orm: Orm;
  /** The PostgreSQL schema of the tables. */
  readonly schema: string;
  /** The definition of orders. */
  readonly definition: OrderDefinition;
  readonly unknownOrders: UnknownOrders;
  /** The connections to the primary. MikroORM executes over them too. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
  /** Whether the pool of the primary belongs to a host, which also closes it. */
  readonly isShared: boolean;
  readonly conflicts: Conflicts;
  readonly writeListeners: Set<WriteListener>;
}

/** The handling of writes that conflict with concurrent ones. */
export interface Conflicts {
  /** The time for which a write is retried while its conflicts keep disappearing, in milliseconds. */
  readonly retriedForMs: number;
  /** Returns the error of a write that conflicted until this time ended. */
  readonly unresolved: (cause: unknown) => Promise<unknown>;
}

/** What a repository uses of a database, or of one transaction. */
export interface RepositoryConnections extends Pick<ReplicaReads, 'readAnywhere'> {
  readonly primary: Executor & {
    /** Runs `work` in a transaction; in that of a host, between its statements. */
    transaction<T>(work: (transaction: Executor) => Promise<T>, owner?: string): Promise<T>;
  };
  readonly conflicts: Conflicts;
  /** Receives the owner of each write, at once or when its transaction is committed. */
  readonly writeListeners: Iterable<Pick<WriteListener, 'written'>>;
}

/** Receives the committed writes of this process. */
export interface WriteListener {
  /** @param aggregate the kind that was written; undefined for a transaction, which may write several */
  written(owner: Owner, aggregate?: string): void;
  /** Called when the database is closed. */
  closed?(): void;
}
