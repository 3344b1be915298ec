import type { ConflictChecks, CreateOf, DomainEvent, Owner, Write } from '@orders/domain';
import type { Result } from 'neverthrow';
import type { AggregateStatements } from './aggregate-statements.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import type { Executor } from '../postgres/executor.ts';
import type { ColumnValues, FoundConflict } from './write-functions.ts';

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
  /** Returns the columns that a write of the aggregate sets. `row` is the one that it changes, or null for a new one. */
  readonly toColumns: (aggregate: A, row: Row | null) => ColumnValues;
  /** Returns the columns of a new row that depend on other rows of the owner. Default: no such columns. */
  readonly findRoom?: (executor: Executor, owner: Owner, aggregate: A) => Promise<Result<ColumnValues, Refused>>;
  /** Returns further values of a write, which its function checks. Default: none. */
  readonly toGuard?: (write: Extract<Write<A, E>, { readonly after: A }>) => ColumnValues;
  /** Whether an event enters the feed. Default: every event. */
  readonly isPublished?: (event: E) => boolean;
  /** Returns the members that a snapshot has, with the reason of the change if there is one; `restore` adds the others. */
  readonly toSnapshot: (aggregate: A, reason: string | null) => object;
  /** Returns the aggregate of a recorded write from its snapshot; `null` when a part of it was erased. */
  readonly restore: (snapshot: object, record: Record) => A | null;
  /**
   * Returns the checks of the rules about several aggregates, each with the reason why the database rejects a write. They
   * look after it did, so that the reason may be gone. Default: no such rules.
   */
  readonly rulesOf?: (owner: Owner, write: Write<A, E>) => ConflictChecks<Promise<Refused | null>>;
  /** Returns the same checks of a create for what it was found to conflict with. Default: no such rules. */
  readonly conflictsOf?: (write: CreateOf<A, E>, found: FoundConflict) => ConflictChecks<Refused | null>;
}
