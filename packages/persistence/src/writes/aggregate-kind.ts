import type { DomainEvent, Owner } from '@orders/domain';
import type { AggregateName } from '../changes/change-entity.ts';
import type { IdempotencyStatements, RecordedWrite } from '../idempotency/idempotency-statements.ts';
import type { Result } from 'neverthrow';
import type { Executor } from '../shared/executor.ts';
import type { ConstraintFault } from '../shared/postgres-errors.ts';
import type { Statement } from '../shared/statement.ts';
import type { ColumnValues, Target, WriteStatements } from './write-functions.ts';

/** The types of one kind of aggregate, as its port and its rows define them. */
export interface AggregateTypes {
  readonly aggregate: { readonly id: string; readonly version: number };
  readonly event: DomainEvent<string>;
  /** The aggregate and its event, as the port receives them. */
  readonly decision: object;
  /** The result of a write. */
  readonly written: object;
  /** The columns of a loaded aggregate. */
  readonly row: object;
  /** The columns of a recorded write. */
  readonly recorded: RecordedWrite;
  readonly notFound: object;
  /** The error of a creation for which the owner has no room. */
  readonly noRoom: object;
  /** The errors for which a constraint rejects an aggregate, and a deletion. */
  readonly conflict: object;
  readonly deletionConflict: object;
  /** The error of a replay whose version was erased. */
  readonly erased: object;
}

/** One kind of aggregate: its statements, and the conversions of its values to rows and results. */
export interface AggregateKind<T extends AggregateTypes> {
  /** The name of the kind in change records. */
  readonly name: AggregateName;
  readonly load: Statement<{ readonly target: Target }, T['row']>;
  readonly lock: Statement<{ readonly target: Target }, object>;
  readonly write: WriteStatements;
  readonly keys: IdempotencyStatements<T['recorded']>;
  readonly aggregateOf: (decision: T['decision']) => T['aggregate'];
  readonly toAggregate: (row: T['row'], owner: Owner) => T['aggregate'];
  /** Returns the columns that an update of a row writes. */
  readonly toRow: (aggregate: T['aggregate'], row: T['row']) => ColumnValues;
  /** Returns all columns of a new row. */
  readonly toNewRow: (aggregate: T['aggregate']) => ColumnValues;
  /** Returns the columns of a new row that depend on other rows of the owner. Default: no such columns. */
  readonly findRoom?: (
    executor: Executor,
    owner: Owner,
    aggregate: T['aggregate'],
  ) => Promise<Result<ColumnValues, T['noRoom']>>;
  /** Whether an event enters the feed. Default: every event. */
  readonly isPublished?: (event: T['event']) => boolean;
  /** Returns the members that a snapshot has; `restore` adds the others. */
  readonly toSnapshot: (aggregate: T['aggregate']) => object;
  /** Returns the aggregate of a recorded write from its snapshot; `null` when a part of it was erased. */
  readonly restore: (snapshot: object, recorded: T['recorded']) => T['aggregate'] | null;
  /** Returns the aggregate with its ids in lower case, as PostgreSQL returns them. */
  readonly withLowerIds: (aggregate: T['aggregate']) => T['aggregate'];
  /** Returns the members that no update changes. */
  readonly fixed: (aggregate: T['aggregate']) => Partial<T['aggregate']>;
  readonly written: (aggregate: T['aggregate'], event: T['event'] | null, replayed: boolean) => T['written'];
  readonly notFound: (id: string) => T['notFound'];
  /** Returns the error of a replay whose snapshot is missing. */
  readonly erased: (id: string) => T['erased'];
  /** Returns the error for the constraint that `aggregate` violates, or `retry` when it no longer exists. */
  readonly conflict: (
    owner: Owner,
    aggregate: T['aggregate'],
    fault: ConstraintFault,
  ) => Promise<T['conflict'] | 'retry'>;
  readonly deletionConflict: (fault: ConstraintFault) => T['deletionConflict'] | 'retry';
}
