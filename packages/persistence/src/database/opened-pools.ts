import type { UnknownOrders } from './orders-in-unknown-statuses.ts';
import type { ReportLeftOut } from './left-out-lookups.ts';
import type { Orm } from '../tables/orm.ts';
import type { Connections } from '../postgres/connections.ts';
import type { Conflicts, WriteListener } from '../postgres/repository-connections.ts';
import type { ReplicaReads } from '../postgres/replica-reads.ts';
import type { OrderDefinition } from '@orders/domain';

/**
 * The open pools of a database, and MikroORM with its schema.
 *
 * @internal
 */
export interface OpenedPools extends ReplicaReads {
  readonly orm: Orm;
  /** The PostgreSQL schema of the tables. */
  readonly schema: string;
  /** The definition of orders. */
  readonly definition: OrderDefinition;
  readonly unknownOrders: UnknownOrders;
  readonly reportLeftOut: ReportLeftOut;
  /** The connections to the primary. MikroORM executes over them too. */
  readonly primary: Connections;
  readonly replicas: readonly Connections[];
  /** Whether the pool of the primary belongs to a host, which also closes it. */
  readonly isShared: boolean;
  readonly conflicts: Conflicts;
  readonly writeListeners: Set<WriteListener>;
}
