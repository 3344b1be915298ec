import type { Idempotency, KeyReused, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { changeValues, readSnapshot } from '../changes/change-record.ts';
import type { RepositoryConnections } from '../database-parts.ts';
import { keyValues, RecordedKeys } from '../idempotency/recorded-keys.ts';
import type { Executor } from '../shared/executor.ts';
import { type ConstraintFault, toResultAsync } from '../shared/postgres-errors.ts';
import { retryAfterTableLock } from '../shared/retry.ts';
import { assertTimestamps } from '../shared/timestamp-type.ts';
import type { AggregateKind, AggregateTypes } from './aggregate-kind.ts';
import { type Attempt, CallerException, settleWrite } from './settle-write.ts';
import type { ColumnValues, Outcome, WriteStatement, WriteValues } from './write-functions.ts';

/** A decision with its event; `null` for a decision that changes nothing. */
type Decision<T extends AggregateTypes> = T['decision'] & { readonly event: T['event'] | null };

/** The result of a deletion; see the ports. */
interface Deleted<Event> {
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** A write that the domain has decided. */
interface Decided<R> {
  /** Stores it if the loaded version is still current. Fails when the key has a record already. */
  readonly store: (executor: Executor) => Promise<Outcome>;
  readonly result: R;
}

/** A change or deletion of the aggregate `id`. */
interface Overwrite<T extends AggregateTypes, R, E> {
  readonly owner: Owner;
  readonly id: string;
  readonly idempotency: Idempotency | undefined;
  readonly decide: (before: T['aggregate'], row: T['row']) => Result<Decided<R>, E>;
  readonly replay: (recorded: T['recorded']) => Result<R, T['erased'] | Unavailable>;
}

/** Returns the writes of one kind of aggregate. A create is one statement, a change or deletion two. */
export function aggregateWrites<T extends AggregateTypes>(
  { primary, conflicts, writeListeners }: RepositoryConnections,
  kind: AggregateKind<T>,
) {
  const keys = new RecordedKeys(kind.keys);

  /**
   * Whether the record of a key is looked up before the write. Inside a transaction always, because a write that finds
   * an expired record is not retried there.
   */
  const isLookedUpFirst = (idempotency: Idempotency | undefined): boolean =>
    primary.isTransaction || keys.isRecent(idempotency);

  /** Returns the recorded result of a key; `null` when the key is unused, and without a key. */
  const findRecorded = async <R>(
    executor: Executor,
    owner: Owner,
    idempotency: Idempotency | undefined,
    replay: (recorded: T['recorded']) => Result<R, T['erased'] | Unavailable>,
  ): Promise<Result<R, T['erased'] | KeyReused | Unavailable> | null> => {
    if (!idempotency) return null;
    const found = await keys.find(executor, owner, idempotency);
    if (found.isErr()) return err(found.error);
    if (!found.value) return null;
    keys.addRecent(idempotency);
    return replay(found.value);
  };

  const replayAggregate = (recorded: T['recorded']): Result<T['written'], T['erased'] | Unavailable> =>
    readSnapshot(recorded).andThen((snapshot) => {
      const aggregate = snapshot && kind.restore(snapshot, recorded);
      return aggregate ? ok(kind.written(aggregate, null, true)) : err(kind.erased(recorded.aggregate_id));
    });

  /** Returns the columns of a new row that depend on other rows of the owner. */
  const findRoom = async (owner: Owner, aggregate: T['aggregate']): Promise<Result<ColumnValues, T['noRoom']>> =>
    kind.findRoom ? await kind.findRoom(primary, owner, aggregate) : ok({});

  /** Returns the columns of the change record of an event. */
  const changeOf = (event: T['event'], version: number, snapshot: object | null): ColumnValues =>
    changeValues(event, version, snapshot, kind.isPublished?.(event) ?? true);

  /** Loads the aggregate, decides and stores. */
  const overwrite = async <R, E>(
    executor: Executor,
    { owner, id, idempotency, decide, replay }: Overwrite<T, R, E>,
  ): Attempt<R, E | T['notFound'] | T['erased'] | KeyReused | Unavailable> => {
    const recorded = () => findRecorded(executor, owner, idempotency, replay);
    if (isLookedUpFirst(idempotency)) {
      const earlier = await recorded();
      if (earlier) return earlier;
    }
    const [row] = await kind.load(executor, { target: { owner_id: owner, id } });
    const decided = row ? decide(kind.toAggregate(row, owner), row) : err(kind.notFound(id));
    // The write of the key may be the reason why it is rejected now. Its result takes precedence.
    if (decided.isErr()) return (await recorded()) ?? err(decided.error);
    if ((await decided.value.store(executor)) === 'stale') return 'retry';
    keys.addRecent(idempotency);
    return ok(decided.value.result);
  };

  /** Locks the row first, so that no concurrent write changes it. */
  const overwriteLocked = <R, E>(change: Overwrite<T, R, E>) => {
    const work = () =>
      primary.transaction(async (transaction) => {
        await kind.lock(transaction, { target: { owner_id: change.owner, id: change.id } });
        return await overwrite(transaction, change);
      }, change.owner);
    if (primary.isTransaction) return work();
    return work().catch((cause: unknown) => retryAfterTableLock(primary, work, cause));
  };

  /** Writes without a lock at first, and with one after a concurrent write. Inside a transaction at once with one. */
  const overwriteOptimistically = async <R, E>(change: Overwrite<T, R, E>) => {
    if (primary.isTransaction) return await overwriteLocked(change);
    const first = await overwrite(primary, change);
    return first === 'retry' ? await overwriteLocked(change) : first;
  };

  /** Announces a write after it is stored, or replayed. */
  const overwriteAndAnnounce = async <R, E>(change: Overwrite<T, R, E>) => {
    const result = await overwriteOptimistically(change);
    if (result !== 'retry' && result.isOk())
      for (const listener of writeListeners) listener.written(change.owner, kind.name);
    return result;
  };

  return {
    /** Returns the recorded result of a key; `null` when the key is unused. */
    findReplay(
      owner: Owner,
      idempotency: Idempotency,
    ): ResultAsync<T['written'] | null, T['erased'] | KeyReused | Unavailable> {
      const recorded = findRecorded(primary, owner, idempotency, replayAggregate);
      return toResultAsync(recorded.then((replay) => replay ?? ok(null)));
    },

    insert(
      owner: Owner,
      decision: T['decision'] & { readonly event: T['event'] },
      idempotency?: Idempotency,
    ): ResultAsync<T['written'], T['noRoom'] | T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      const aggregate = kind.withLowerIds(kind.aggregateOf(decision));
      const { event } = decision;
      const recorded = () => findRecorded(primary, owner, idempotency, replayAggregate);
      const attempt = async (): Attempt<T['written'], T['noRoom'] | T['erased'] | KeyReused | Unavailable> => {
        if (isLookedUpFirst(idempotency)) {
          const earlier = await recorded();
          if (earlier) return earlier;
        }
        const room = await findRoom(owner, aggregate);
        if (room.isErr()) return (await recorded()) ?? err(room.error);
        const values = {
          owner_id: owner,
          id: aggregate.id,
          ...kind.toNewRow(aggregate),
          ...room.value,
          ...changeOf(event, aggregate.version, kind.toSnapshot(aggregate)),
          ...keyValues(idempotency),
        };
        if (primary.isTransaction)
          await primary.transaction((savepoint) => store(kind.write.insert, savepoint, values));
        else await store(kind.write.insert, primary, values);
        for (const listener of writeListeners) listener.written(owner, kind.name);
        keys.addRecent(idempotency);
        return ok(kind.written(aggregate, event, false));
      };
      const conflict = (fault: ConstraintFault) => kind.conflict(owner, aggregate, fault);
      return settleWrite(attempt(), { attempt, replay: recorded, conflict, conflicts });
    },

    update<E>(
      owner: Owner,
      id: string,
      change: (before: T['aggregate']) => Result<Decision<T>, E>,
      idempotency?: Idempotency,
    ): ResultAsync<T['written'], E | T['notFound'] | T['conflict'] | T['erased'] | KeyReused | Unavailable> {
      let changed: T['aggregate'] | undefined;
      const decide = (before: T['aggregate'], row: T['row']): Result<Decided<T['written']>, E> => {
        const fixed = kind.fixed(before);
        return decideBy(change, before).map((decision) => {
          const { event } = decision;
          if (!event) {
            const recordKey = async (executor: Executor): Promise<Outcome> => {
              if (!idempotency) return 'written';
              const reference = { aggregate: kind.name, aggregate_id: id, version: before.version };
              const write = { owner_id: owner, id, ...reference, ...keyValues(idempotency) };
              assertTimestamps(write);
              await kind.keys.insert(executor, { write });
              return 'written';
            };
            return { store: recordKey, result: kind.written(before, null, false) };
          }
          const aggregate = kind.withLowerIds({ ...kind.aggregateOf(decision), ...fixed });
          const version = before.version + 1;
          if (aggregate.version !== version) {
            throw new TypeError(`the changed ${kind.name} has version ${aggregate.version}, but ${version} is next`);
          }
          changed = aggregate;
          const values = {
            owner_id: owner,
            id,
            loaded_version: before.version,
            ...kind.toRow(aggregate, row),
            ...changeOf(event, version, kind.toSnapshot(aggregate)),
            ...keyValues(idempotency),
          };
          return {
            store: (executor) => store(kind.write.update, executor, values),
            result: kind.written(aggregate, event, false),
          };
        });
      };
      const overwriting = { owner, id, idempotency, decide, replay: replayAggregate };
      const attempt = () => overwriteAndAnnounce(overwriting);
      return settleWrite(attempt(), {
        attempt,
        replay: () => findRecorded(primary, owner, idempotency, replayAggregate),
        conflict: async (fault) => (changed ? await kind.conflict(owner, changed, fault) : 'retry'),
        conflicts,
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
          const values = {
            owner_id: owner,
            id,
            loaded_version: before.version,
            ...changeOf(event, before.version + 1, null),
            ...keyValues(idempotency),
          };
          return {
            store: (executor) => store(kind.write.delete, executor, values),
            result: { event, replayed: false },
          };
        });
      const replay = (): Result<Deleted<T['event']>, never> => ok({ event: null, replayed: true });
      const attempt = () => overwriteAndAnnounce({ owner, id, idempotency, decide, replay });
      return settleWrite(attempt(), {
        attempt,
        replay: () => findRecorded(primary, owner, idempotency, replay),
        conflict: (fault) => Promise.resolve(kind.deletionConflict(fault)),
        conflicts,
      });
    },
  };
}

/** Calls a write function. */
async function store(statement: WriteStatement, executor: Executor, write: WriteValues): Promise<Outcome> {
  assertTimestamps(write);
  const [row] = await statement(executor, { call: write });
  if (!row) throw new Error('a write function returned no row');
  return row.outcome;
}

/** Calls the caller's function, whose exceptions become a {@link CallerException}. */
function decideBy<A, R>(decide: (before: A) => R, before: A): R {
  try {
    return decide(before);
  } catch (cause) {
    throw new CallerException(cause);
  }
}
