import type { Orm } from './orm.ts';
import type { Connections } from './shared/connections.ts';
import type { ReplicaReads } from './shared/replica-reads.ts';

/**
 * The open pools of a database, and MikroORM with its schema.
 *
 * @internal
 */
export interface Connected extends ReplicaReads {
  readonly orm: Orm;
  /** The connections to the primary. MikroORM executes over them too. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
  /** Maximum run time of one statement, in milliseconds. Also the time for which a conflicting write is retried. */
  readonly statementTimeoutMs: number;
}
