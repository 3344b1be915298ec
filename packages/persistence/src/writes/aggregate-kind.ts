import type { ConflictChecks, DomainEvent, OrderDefinition, Owner, Write } from '@orders/domain';
import type { Result } from 'neverthrow';
import type { AggregateStatements } from './aggregate-statements.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import type { DatabaseFunction } from '../sql/database-function.ts';
import type { Executor } from '../postgres/executor.ts';
import type { StoredParts } from '../tables/order-entity.ts';
import type { AggregateTable, ColumnValues, FoundConflict } from './write-functions.ts';

/** A kind of aggregate as it is stored. What concerns several kinds, such as the feed, knows them by this alone. */
export interface StoredKind {
  /** Its table: one for each set of columns that statements write. */
  readonly tables: readonly [AggregateTable, ...AggregateTable[]];
  /** Returns the function that restores aggregates from snapshots that lack parts; see {@link AggregateKind.restore}. */
  readonly restoreOf?: (definition: OrderDefinition) => (snapshot: object, parts: StoredParts | null) => object | null;
  /** Functions besides those of writes. Default: none. */
  readonly functions?: readonly DatabaseFunction[];
  /** The SQL expression for the parts that the snapshot of a change `c` lacks. Default: none. */
  readonly parts?: string;
}

/** The members of every aggregate. */
export interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** A write of an aggregate, and not of a key alone. */
export type StoredWrite<A, E> = Exclude<Write<A, E>, { readonly kind: 'key_only' }>;

/**
 * One kind of aggregate: its statements, and the conversions of its values to rows and back.
 *
 * @typeParam A the aggregate
 * @typeParam Row its row, as the driver returns it
 * @typeParam Record the record of a key, with the columns that restore the aggregate
 */
export interface AggregateKind<
  A,
  E extends DomainEvent<string>,
  Refused,
  Row extends object,
  Record extends RecordedWrite,
> {
  readonly statements: AggregateStatements<Row, Record>;
  readonly toAggregate: (row: Row, owner: Owner) => A;
  /** Returns the columns that a write sets, and what its function checks. `row` is the one that it changes, or null. */
  readonly toColumns: (write: Extract<Write<A, E>, { readonly after: A }>, row: Row | null) => ColumnValues;
  /** Returns the columns of a new row that depend on other rows of the owner. Default: no such columns. */
  readonly findRoom?: (executor: Executor, owner: Owner, aggregate: A) => Promise<Result<ColumnValues, Refused>>;
  /**
   * Returns the members that a snapshot has, with the reason of the change if there is one; `restore` adds the others.
   * Default: all, without a reason.
   */
  readonly toSnapshot?: (aggregate: A, reason: string | null) => object | null;
  /** Returns the aggregate of a recorded write from its snapshot; `null` when a part was erased. Default: the snapshot. */
  readonly restore?: (snapshot: object, record: Record) => A | null;
  /**
   * Returns the checks of the rules about several aggregates, each with the reason why the database rejects a write that was
   * found to conflict. It was looked up afterwards, so that the reason may be gone. Default: no such rules.
   */
  readonly rulesOf?: (
    owner: Owner,
    write: StoredWrite<A, E>,
    found: FoundConflict,
  ) => ConflictChecks<Promise<Refused | null> | Refused | null>;
}
