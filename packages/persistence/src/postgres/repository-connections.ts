import type { Owner } from '@orders/domain';
import type { Executor } from './executor.ts';
import type { ReplicaReads } from './replica-reads.ts';

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
