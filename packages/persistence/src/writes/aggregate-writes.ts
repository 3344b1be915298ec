import type { DomainEvent, KeyReused, Idempotency, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Connected } from '../connect.ts';
import { type OnceRow, onceValues, type Recorded } from '../once/once-record.ts';
import { onceStatements } from '../once/once-statements.ts';
import { outboxValues } from '../outbox/outbox-entity.ts';
import type { Executor } from '../shared/executor.ts';
import type { ConstraintFault } from '../shared/postgres-errors.ts';
import { retried } from '../shared/retried.ts';
import type { Statement } from '../shared/statement.ts';
import { assertTimestamps } from '../shared/timestamp-type.ts';
import { callersDecision, keyedWrites, replayOf } from './keyed-writes.ts';
import type { LoadedOnce, LoadValues, Nullable } from './load-statement.ts';
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
  readonly load: Statement<LoadValues, Nullable<T['row']> & LoadedOnce>;
  readonly aggregateOf: (decision: T['decision']) => T['aggregate'];
  /** Returns the aggregate of a loaded row, or `undefined` when it does not exist. */
  readonly toAggregate: (row: Nullable<T['row']>) => T['aggregate'] | undefined;
  readonly toRow: (aggregate: T['aggregate']) => RowValues;
  /** Returns the aggregate with its ids in lower case, as PostgreSQL returns them. */
  readonly withLowerIds: (aggregate: T['aggregate']) => T['aggregate'];
  /** Returns the members that no update changes. */
  readonly fixed: (aggregate: T['aggregate']) => Partial<T['aggregate']>;
  /** Returns the child rows of a new aggregate as JSON; `null` for an aggregate without any. */
  readonly beside: (aggregate: T['aggregate']) => string | null;
  readonly written: (aggregate: T['aggregate'], event: T['event'] | null, replayed: boolean) => T['written'];
  readonly notFound: (id: string) => T['notFound'];
  /** Returns the error for the constraint that `aggregate` violates, or `conflict_gone` when it no longer exists. */
  readonly conflict: (
    owner: Owner,
    aggregate: T['aggregate'],
    fault: ConstraintFault,
  ) => Promise<T['conflict'] | 'again'>;
  readonly deletionConflict: (fault: ConstraintFault) => T['deletionConflict'] | 'again';
  /** Returns the aggregate of an idempotency record, or the error when it was erased. */
  readonly recorded: (recorded: Recorded) => Result<T['aggregate'], T['erased']>;
}

/** A decision with its event; `null` for a decision that changes nothing. */
type Decision<T extends AggregateTypes> = T['decision'] & { readonly event: T['event'] | null };

/** The result of a deletion; see the ports. */
interface Deleted<Event> {
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** A change or deletion of the aggregate `id`. */
interface Overwrite<T extends AggregateTypes, R, E> {
  readonly owner: Owner;
  readonly id: string;
  readonly once: Idempotency | undefined;
  readonly replay: (recorded: Recorded) => Result<R, T['erased']>;
  readonly decide: (before: T['aggregate']) => Result<Decided<R>, E>;
}

/** The decision about a loaded aggregate, as a statement and a result. */
interface Decided<R> {
  /**
   * Writes it if the loaded version is still current, and returns a row then. Absent when there is nothing to write.
   */
  readonly write: ((executor: Executor) => Promise<readonly unknown[]>) | undefined;
  readonly result: R;
}

/** Returns the writes of one kind of aggregate: a create in one statement, a change or deletion in two. */
export function aggregateWrites<T extends AggregateTypes>(
  { orm, primary, statementTimeoutMs }: Connected,
  kind: AggregateKind<T>,
) {
  const { statements } = kind;
  const keys = keyedWrites(primary, onceStatements(orm), statementTimeoutMs);

  const replay = (recorded: Recorded): Result<T['written'], T['erased']> =>
    kind.recorded(recorded).map((aggregate) => kind.written(aggregate, null, true));

  const rowOf = (aggregate: T['aggregate']): RowValues => {
    const row = kind.toRow(aggregate);
    assertTimestamps(row);
    return row;
  };

  /** Inserts an aggregate unless its key has a record. */
  const insert = async (
    owner: Owner,
    aggregate: T['aggregate'],
    event: T['event'],
    once: Idempotency | undefined,
  ): Promise<Result<T['written'], T['erased'] | KeyReused> | 'again'> => {
    if (once && keys.recent.has(once.key)) {
      const replayed = replayOf(await keys.lookUp(owner, once), replay);
      if (replayed) return replayed;
      keys.recent.delete(once.key);
    }
    const values = {
      target: { owner_id: owner, id: aggregate.id },
      row: rowOf(aggregate),
      beside: { json: kind.beside(aggregate) },
      event: outboxValues(event),
    };
    if (!once) {
      await statements.insert(primary, values);
      return ok(kind.written(aggregate, event, false));
    }
    const record = onceValues(once, aggregate.id, aggregate);
    const row = theRow(await statements.insertOnce(primary, { ...values, once: record }));
    if (row.id !== null) {
      keys.recent.add(once.key);
      return ok(kind.written(aggregate, event, false));
    }
    const known = recordOf(row);
    // Without a record in this snapshot, a concurrent write took the key. Only a new statement sees its record.
    const earlier = await (known ? keys.earlierOf(primary, owner, once, known) : keys.lookUp(owner, once));
    if (earlier.isOk() && earlier.value) keys.recent.add(once.key);
    return replayOf(earlier, replay) ?? 'again';
  };

  /** Loads the aggregate, replays or decides, and writes. */
  const overwrite = async <R, E>(
    executor: Executor,
    { owner, id, once, replay: replayed, decide }: Overwrite<T, R, E>,
  ): Promise<Result<R, E | T['notFound'] | T['erased'] | KeyReused> | 'again'> => {
    const target = { owner_id: owner, id };
    const row = theRow(await kind.load(executor, { target, once: { key: once?.key ?? null } }));
    const record = once && recordOf(row);
    const earlier = record && replayOf(await keys.earlierOf(executor, owner, once, record), replayed);
    if (earlier) return earlier;
    const before = kind.toAggregate(row);
    if (!before) return err(kind.notFound(id));
    const decided = decide(before);
    if (decided.isErr()) return err(decided.error);
    const { write, result } = decided.value;
    if (write && (await write(executor)).length !== 1) return 'again';
    return ok(result);
  };

  /** Locks the row first, so that no concurrent write changes it. */
  const overwriteLocked = <R, E>(change: Overwrite<T, R, E>) =>
    retried(() =>
      primary.transaction(async (transaction) => {
        await statements.lock(transaction, { target: { owner_id: change.owner, id: change.id } });
        return await overwrite(transaction, change);
      }, change.owner),
    );

  /** Writes without a lock at first, and with one after a concurrent write. */
  const overwriteOptimistically = async <R, E>(change: Overwrite<T, R, E>) => {
    const first = await overwrite(primary, change);
    return first === 'again' ? await overwriteLocked(change) : first;
  };

  return {
    insert(
      owner: Owner,
      decision: T['decision'] & { readonly event: T['event'] },
      once?: Idempotency,
    ): ResultAsync<T['written'], T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      const aggregate = kind.withLowerIds(kind.aggregateOf(decision));
      return keys.run({
        owner,
        once,
        perform: () => insert(owner, aggregate, decision.event, once),
        replay,
        conflict: (fault) => kind.conflict(owner, aggregate, fault),
      });
    },

    update<E>(
      owner: Owner,
      id: string,
      change: (before: T['aggregate']) => Result<Decision<T>, E>,
      once?: Idempotency,
    ): ResultAsync<T['written'], E | T['notFound'] | T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      let wanted: T['aggregate'] | undefined;
      const decide = (before: T['aggregate']): Result<Decided<T['written']>, E> => {
        const fixed = kind.fixed(before);
        const decision = callersDecision(() => change(before));
        if (decision.isErr()) return err(decision.error);
        const { event } = decision.value;
        const target = { owner_id: owner, id, version: before.version };
        if (!event) {
          const record = once && onceValues(once, id, before);
          const write = record && ((executor: Executor) => statements.recordNoOp(executor, { target, once: record }));
          return ok({ write, result: kind.written(before, event, false) });
        }
        const aggregate = kind.withLowerIds({ ...kind.aggregateOf(decision.value), ...fixed });
        wanted = aggregate;
        const record = once && onceValues(once, id, aggregate);
        const values = { target, row: rowOf(aggregate), event: outboxValues(event) };
        return ok({
          write: (executor) =>
            record ? statements.updateOnce(executor, { ...values, once: record }) : statements.update(executor, values),
          result: kind.written(aggregate, event, false),
        });
      };
      return keys.run({
        owner,
        once,
        perform: () => overwriteOptimistically({ owner, id, once, replay, decide }),
        replay,
        conflict: async (fault) => (wanted ? await kind.conflict(owner, wanted, fault) : 'again'),
      });
    },

    delete<E>(
      owner: Owner,
      id: string,
      judge: (before: T['aggregate']) => Result<T['event'], E>,
      once?: Idempotency,
    ): ResultAsync<
      Deleted<T['event']>,
      E | T['notFound'] | T['deletionConflict'] | T['erased'] | KeyReused | Unavailable
    > {
      const decide = (before: T['aggregate']): Result<Decided<Deleted<T['event']>>, E> =>
        callersDecision(() => judge(before)).map((event) => {
          const values = { target: { owner_id: owner, id, version: before.version }, event: outboxValues(event) };
          const record = once && onceValues(once, id, null);
          return {
            write: (executor) =>
              record
                ? statements.deleteOnce(executor, { ...values, once: record })
                : statements.delete(executor, values),
            result: { event, replayed: false },
          };
        });
      const replayDeletion = (): Result<Deleted<T['event']>, T['erased']> => ok({ event: null, replayed: true });
      // A statement does not see records that were committed after its start, not even after it waited for the row. A
      // deletion that erases therefore starts with a lock on the row, which a no-op needs for its record.
      const perform = statements.erases ? overwriteLocked : overwriteOptimistically;
      return keys.run({
        owner,
        once,
        perform: () => perform({ owner, id, once, replay: replayDeletion, decide }),
        replay: replayDeletion,
        conflict: (fault) => Promise.resolve(kind.deletionConflict(fault)),
      });
    },
  };
}

/** Returns the row of a statement that always returns one. */
function theRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that always returns a row returned none');
  return row;
}

function recordOf(row: LoadedOnce): OnceRow | undefined {
  const { once_fingerprint, once_aggregate_id, once_snapshot, once_expires_at } = row;
  if (once_fingerprint === null || once_aggregate_id === null) return undefined;
  if (once_snapshot === null || once_expires_at === null) return undefined;
  return {
    fingerprint: once_fingerprint,
    aggregate_id: once_aggregate_id,
    snapshot: once_snapshot,
    expires_at: once_expires_at,
  };
}
