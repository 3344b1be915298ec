import type { DomainEvent, Owner } from '@orders/domain';
import type { Result } from 'neverthrow';
import type { RecordedResult } from '../idempotency/idempotency-record.ts';
import type { ConstraintFault } from '../shared/postgres-errors.ts';
import type { Statement } from '../shared/statement.ts';
import type { LoadedIdempotency, LoadValues, Nullable } from './load-statement.ts';
import type { RowValues, WriteStatements } from './write-statements.ts';

/** The types of one kind of aggregate, as its port and its rows define them. */
export interface AggregateTypes {
  readonly aggregate: { readonly id: string; readonly version: number };
  readonly event: DomainEvent<string>;
  /** The aggregate and its event, as the port receives them. */
  readonly decision: object;
  /** The result of a write. */
  readonly written: object;
  /** The loaded columns. */
  readonly row: object;
  readonly notFound: object;
  /** The errors for which a constraint rejects an aggregate, and a deletion. */
  readonly conflict: object;
  readonly deletionConflict: object;
  /** The error of a replay whose aggregate was erased from the idempotency record. */
  readonly erased: object;
}

/** One kind of aggregate: its statements, and the conversions of its values to rows and results. */
export interface AggregateKind<T extends AggregateTypes> {
  readonly statements: WriteStatements;
  readonly load: Statement<LoadValues, Nullable<T['row']> & LoadedIdempotency>;
  readonly aggregateOf: (decision: T['decision']) => T['aggregate'];
  /** Returns the aggregate of a loaded row, or `undefined` when it does not exist. */
  readonly toAggregate: (row: Nullable<T['row']>) => T['aggregate'] | undefined;
  /** Returns the columns that an update writes. */
  readonly toRow: (aggregate: T['aggregate']) => RowValues;
  /** Returns all columns of a new row. */
  readonly toNewRow: (aggregate: T['aggregate']) => RowValues;
  /** Returns the aggregate with its ids in lower case, as PostgreSQL returns them. */
  readonly withLowerIds: (aggregate: T['aggregate']) => T['aggregate'];
  /** Returns the members that no update changes. */
  readonly fixed: (aggregate: T['aggregate']) => Partial<T['aggregate']>;
  readonly written: (aggregate: T['aggregate'], event: T['event'] | null, replayed: boolean) => T['written'];
  readonly notFound: (id: string) => T['notFound'];
  /** Returns the error for the constraint that `aggregate` violates, or `retry` when it no longer exists. */
  readonly conflict: (
    owner: Owner,
    aggregate: T['aggregate'],
    fault: ConstraintFault,
  ) => Promise<T['conflict'] | 'retry'>;
  readonly deletionConflict: (fault: ConstraintFault) => T['deletionConflict'] | 'retry';
  /** Returns the aggregate of an idempotency record, or the error when it was erased. */
  readonly recorded: (recorded: RecordedResult) => Result<T['aggregate'], T['erased']>;
}
