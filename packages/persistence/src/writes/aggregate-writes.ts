import type { Idempotency, KeyReused, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Connected } from '../connect.ts';
import { type IdempotencyRow, idempotencyValues, type RecordedResult } from '../idempotency/idempotency-record.ts';
import { idempotencyStatements } from '../idempotency/idempotency-statements.ts';
import { outboxValues } from '../outbox/outbox-entity.ts';
import type { Executor } from '../shared/executor.ts';
import { retry } from '../shared/retry.ts';
import { assertTimestamps } from '../shared/timestamp-type.ts';
import type { AggregateKind, AggregateTypes } from './aggregate-kind.ts';
import { CallerException, keyedWrites, replayIfRecorded } from './keyed-writes.ts';
import type { LoadedIdempotency } from './load-statement.ts';
import type { RowValues } from './write-statements.ts';

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
  readonly idempotency: Idempotency | undefined;
  readonly replay: (recorded: RecordedResult) => Result<R, T['erased']>;
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
  const keys = keyedWrites(primary, idempotencyStatements(orm), statementTimeoutMs);

  const replay = (recorded: RecordedResult): Result<T['written'], T['erased']> =>
    kind.recorded(recorded).map((aggregate) => kind.written(aggregate, null, true));

  const checkedRow = (row: RowValues): RowValues => {
    assertTimestamps(row);
    return row;
  };

  /** Inserts an aggregate unless its key has a record. */
  const insert = async (
    owner: Owner,
    aggregate: T['aggregate'],
    event: T['event'],
    idempotency: Idempotency | undefined,
  ): Promise<Result<T['written'], T['erased'] | KeyReused> | 'retry'> => {
    if (idempotency && keys.recent.has(idempotency.key)) {
      const replayed = replayIfRecorded(await keys.lookUp(owner, idempotency), replay);
      if (replayed) return replayed;
      keys.recent.delete(idempotency.key);
    }
    const values = {
      target: { owner_id: owner, id: aggregate.id },
      row: checkedRow(kind.toNewRow(aggregate)),
      event: outboxValues(event),
    };
    if (!idempotency) {
      await statements.insert(primary, values);
      return ok(kind.written(aggregate, event, false));
    }
    const record = idempotencyValues(idempotency, aggregate.id, aggregate);
    const row = onlyRow(await statements.insertWithKey(primary, { ...values, idempotency: record }));
    if (row.id !== null) {
      keys.recent.add(idempotency.key);
      return ok(kind.written(aggregate, event, false));
    }
    const known = toIdempotencyRow(row);
    // Without a record in this snapshot, a concurrent write took the key. Only a new statement sees its record.
    const earlier = await (known
      ? keys.interpret(primary, owner, idempotency, known)
      : keys.lookUp(owner, idempotency));
    if (earlier.isOk() && earlier.value) keys.recent.add(idempotency.key);
    return replayIfRecorded(earlier, replay) ?? 'retry';
  };

  /** Loads the aggregate, replays or decides, and writes. */
  const overwrite = async <R, E>(
    executor: Executor,
    { owner, id, idempotency, replay: replayed, decide }: Overwrite<T, R, E>,
  ): Promise<Result<R, E | T['notFound'] | T['erased'] | KeyReused> | 'retry'> => {
    const target = { owner_id: owner, id };
    const row = onlyRow(await kind.load(executor, { target, idempotency: { key: idempotency?.key ?? NO_KEY } }));
    const record = idempotency && toIdempotencyRow(row);
    const earlier = record && replayIfRecorded(await keys.interpret(executor, owner, idempotency, record), replayed);
    if (earlier) return earlier;
    const before = kind.toAggregate(row);
    if (!before) return err(kind.notFound(id));
    const decided = decide(before);
    if (decided.isErr()) return err(decided.error);
    const { write, result } = decided.value;
    if (write && (await write(executor)).length !== 1) return 'retry';
    return ok(result);
  };

  /** Locks the row first, so that no concurrent write changes it. */
  const overwriteLocked = <R, E>(change: Overwrite<T, R, E>) => {
    const work = () =>
      primary.transaction(async (transaction) => {
        await statements.lock(transaction, { target: { owner_id: change.owner, id: change.id } });
        return await overwrite(transaction, change);
      }, change.owner);
    return work().catch((cause: unknown) => retry(work, cause));
  };

  /** Writes without a lock at first, and with one after a concurrent write. */
  const overwriteOptimistically = async <R, E>(change: Overwrite<T, R, E>) => {
    const first = await overwrite(primary, change);
    return first === 'retry' ? await overwriteLocked(change) : first;
  };

  return {
    insert(
      owner: Owner,
      decision: T['decision'] & { readonly event: T['event'] },
      idempotency?: Idempotency,
    ): ResultAsync<T['written'], T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      const aggregate = kind.withLowerIds(kind.aggregateOf(decision));
      const perform = () => insert(owner, aggregate, decision.event, idempotency);
      return keys.settle(perform(), {
        owner,
        idempotency,
        perform,
        replay,
        conflict: (fault) => kind.conflict(owner, aggregate, fault),
      });
    },

    update<E>(
      owner: Owner,
      id: string,
      change: (before: T['aggregate']) => Result<Decision<T>, E>,
      idempotency?: Idempotency,
    ): ResultAsync<T['written'], E | T['notFound'] | T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      let changed: T['aggregate'] | undefined;
      const decide = (before: T['aggregate']): Result<Decided<T['written']>, E> => {
        const fixed = kind.fixed(before);
        const decision = decideBy(change, before);
        if (decision.isErr()) return err(decision.error);
        const { event } = decision.value;
        const target = { owner_id: owner, id, version: before.version };
        if (!event) {
          const record = idempotency && idempotencyValues(idempotency, id, before);
          const write =
            record && ((executor: Executor) => statements.recordNoOp(executor, { target, idempotency: record }));
          return ok({ write, result: kind.written(before, event, false) });
        }
        const aggregate = kind.withLowerIds({ ...kind.aggregateOf(decision.value), ...fixed });
        changed = aggregate;
        const record = idempotency && idempotencyValues(idempotency, id, aggregate);
        const values = { target, row: checkedRow(kind.toRow(aggregate)), event: outboxValues(event) };
        return ok({
          write: (executor) =>
            record
              ? statements.updateWithKey(executor, { ...values, idempotency: record })
              : statements.update(executor, values),
          result: kind.written(aggregate, event, false),
        });
      };
      const perform = () => overwriteOptimistically({ owner, id, idempotency, replay, decide });
      return keys.settle(perform(), {
        owner,
        idempotency,
        perform,
        replay,
        conflict: async (fault) => (changed ? await kind.conflict(owner, changed, fault) : 'retry'),
      });
    },

    delete<E>(
      owner: Owner,
      id: string,
      decideEvent: (before: T['aggregate']) => Result<T['event'], E>,
      idempotency?: Idempotency,
    ): ResultAsync<
      Deleted<T['event']>,
      E | T['notFound'] | T['deletionConflict'] | T['erased'] | KeyReused | Unavailable
    > {
      const decide = (before: T['aggregate']): Result<Decided<Deleted<T['event']>>, E> =>
        decideBy(decideEvent, before).map((event) => {
          const values = { target: { owner_id: owner, id, version: before.version }, event: outboxValues(event) };
          const record = idempotency && idempotencyValues(idempotency, id, null);
          return {
            write: (executor) =>
              record
                ? statements.deleteWithKey(executor, { ...values, idempotency: record })
                : statements.delete(executor, values),
            result: { event, replayed: false },
          };
        });
      const replayDeletion = (): Result<Deleted<T['event']>, T['erased']> => ok({ event: null, replayed: true });
      // A statement does not see records that were committed after its start, not even after it waited for the row. A
      // deletion that erases therefore starts with a lock on the row, which a no-op needs for its record.
      const overwriteRow = statements.erases ? overwriteLocked : overwriteOptimistically;
      const perform = () => overwriteRow({ owner, id, idempotency, replay: replayDeletion, decide });
      return keys.settle(perform(), {
        owner,
        idempotency,
        perform,
        replay: replayDeletion,
        conflict: (fault) => Promise.resolve(kind.deletionConflict(fault)),
      });
    },
  };
}

/** Matches no record. With null in its place, Citus drops the filter by owner and reads the records of all owners. */
const NO_KEY = '';

/** Returns the row of a statement that always returns one. */
function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that always returns a row returned none');
  return row;
}

function toIdempotencyRow(row: LoadedIdempotency): IdempotencyRow | undefined {
  const { idempotency_fingerprint, idempotency_aggregate_id, idempotency_snapshot, idempotency_expires_at } = row;
  if (idempotency_fingerprint === null || idempotency_aggregate_id === null) return undefined;
  if (idempotency_snapshot === null || idempotency_expires_at === null) return undefined;
  return {
    fingerprint: idempotency_fingerprint,
    aggregate_id: idempotency_aggregate_id,
    snapshot: idempotency_snapshot,
    expires_at: idempotency_expires_at,
  };
}

/** Calls the caller's function, whose exceptions become a {@link CallerException}. */
function decideBy<A, R>(decide: (before: A) => R, before: A): R {
  try {
    return decide(before);
  } catch (cause) {
    throw new CallerException(cause);
  }
}
