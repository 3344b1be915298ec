import type { DomainEvent, KeyReused, Once, Owner, Unavailable } from '@orders/domain';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Connected } from '../connect.ts';
import { onceStatements } from '../once/once-statements.ts';
import { RecentKeys } from '../once/recent-keys.ts';
import { type OnceRow, onceValues, type Recorded } from '../once/once-record.ts';
import { outboxValues } from '../outbox/outbox-row.ts';
import type { ConstraintFault } from '../shared/postgres-errors.ts';
import type { Executor } from '../shared/executor.ts';
import { retried } from '../shared/retried.ts';
import type { Statement } from '../shared/statement.ts';
import { assertTimestamps } from '../shared/timestamp-type.ts';
import { decided } from './caller-exception.ts';
import { keyedWrites } from './keyed-writes.ts';
import type { LoadedOnce, LoadValues, Nullable } from './load-statement.ts';
import type { RowValues, WriteStatements } from './write-statements.ts';

/** What every aggregate has. */
interface Aggregate {
  readonly id: string;
  readonly version: number;
}

/** What a deletion did; see the ports. */
interface Deleted<Event> {
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** One kind of aggregate: its statements, and how its rows and values are told. */
export interface AggregateKind<A, Event, Row, Written, NotFound, Refused, DeletionRefused, Forgotten> {
  readonly statements: WriteStatements;
  readonly load: Statement<LoadValues, Nullable<Row> & LoadedOnce>;
  /** The aggregate of a loaded row; `undefined` when there was none. */
  readonly toAggregate: (row: Nullable<Row>) => A | undefined;
  readonly toRow: (aggregate: A) => RowValues;
  /** The aggregate with its ids in lower case, as PostgreSQL returns them. */
  readonly withLowerIds: (aggregate: A) => A;
  /** The members that no update changes. */
  readonly fixed: (aggregate: A) => Partial<A>;
  /** What is kept beside the row of a new aggregate, as JSON. */
  readonly beside: (aggregate: A) => string | null;
  /** What a write did, as its port tells it. */
  readonly written: (aggregate: A, event: Event | null, replayed: boolean) => Written;
  readonly notFound: (id: string) => NotFound;
  /** What a constraint that `aggregate` violates means; `again` when a second look may find it gone. */
  readonly refusal: (owner: Owner, aggregate: A, fault: ConstraintFault) => Promise<Refused | 'again'>;
  readonly deletionRefusal: (fault: ConstraintFault) => DeletionRefused | 'again';
  /** The aggregate that a record holds, or what to answer when it was forgotten. */
  readonly recall: (recorded: Recorded) => Result<A, Forgotten>;
}

/** The writes of one kind of aggregate: a create in one statement, a change or deletion in two. */
export function aggregateWrites<
  A extends Aggregate,
  Event extends DomainEvent<string>,
  Row,
  Written,
  NotFound,
  Refused,
  DeletionRefused,
  Forgotten,
>(
  { orm, primary, statementTimeoutMs }: Connected,
  kind: AggregateKind<A, Event, Row, Written, NotFound, Refused, DeletionRefused, Forgotten>,
) {
  const keys = onceStatements(orm);
  const { meaning, recall, write } = keyedWrites(primary, keys, statementTimeoutMs);
  const { statements } = kind;

  const recentKeys = new RecentKeys();

  const checkedRow = (aggregate: A): RowValues => {
    const row = kind.toRow(aggregate);
    assertTimestamps(row);
    return row;
  };

  const replay = (recorded: Recorded): Result<Written, Forgotten> =>
    kind.recall(recorded).map((aggregate) => kind.written(aggregate, null, true));

  /**
   * Loads, decides and writes: at first without a lock, then, when another write came in between, with the row locked,
   * so that the second time cannot be lost.
   *
   * @param locks whether the row is locked at once
   */
  const overwrite = async <T, E>(
    owner: Owner,
    id: string,
    once: Once | undefined,
    attempt: (executor: Executor, aggregate: A) => Promise<Result<T, E> | 'lost'>,
    replayed: (recorded: Recorded) => Result<T, Forgotten>,
    locks = false,
  ): Promise<Result<T, E | NotFound | Forgotten | KeyReused> | 'again'> => {
    const target = { owner_id: owner, id };
    const go = async (executor: Executor): Promise<Result<T, E | NotFound | Forgotten | KeyReused> | 'lost'> => {
      const [row] = await kind.load(executor, { target, once: { key: once?.key ?? null } });
      if (!row) throw new Error('the statement that always answers with a row did not');
      const record = recordOf(row);
      if (once && record) {
        const earlier = await meaning(executor, owner, once, record);
        if (earlier.isErr()) return err(earlier.error);
        if (earlier.value) return replayed(earlier.value);
      }
      const aggregate = kind.toAggregate(row);
      return aggregate ? await attempt(executor, aggregate) : err(kind.notFound(id));
    };
    const first = locks ? 'lost' : await go(primary);
    if (first !== 'lost') return first;
    const second = await retried(() =>
      primary.transaction(async (transaction) => {
        await statements.lock(transaction, { target });
        return await go(transaction);
      }, owner),
    );
    return second === 'lost' ? 'again' : second;
  };

  return {
    insert(
      owner: Owner,
      given: A,
      event: Event,
      once?: Once,
    ): ResultAsync<Written, Refused | Forgotten | KeyReused | Unavailable> {
      const aggregate = kind.withLowerIds(given);
      const attempt = async (): Promise<Result<Written, Forgotten | KeyReused> | 'again'> => {
        if (once && recentKeys.has(once.key)) {
          const earlier = await recall(owner, once);
          if (earlier.isErr()) return err(earlier.error);
          if (earlier.value) return replay(earlier.value);
          recentKeys.delete(once.key);
        }
        const values = {
          target: { owner_id: owner, id: aggregate.id },
          row: checkedRow(aggregate),
          beside: { json: kind.beside(aggregate) },
          event: outboxValues(event),
        };
        if (!once) {
          await statements.insert(primary, values);
          return ok(kind.written(aggregate, event, false));
        }
        const record = onceValues(once, aggregate.id, aggregate);
        const [row] = await statements.insertOnce(primary, { ...values, once: record });
        if (!row) throw new Error('the statement that always answers with a row did not');
        if (row.id !== null) {
          recentKeys.add(once.key);
          return ok(kind.written(aggregate, event, false));
        }
        const known = recordOf(row);
        // Without one the key was taken by a write at the same time, whose record only a new statement sees.
        const earlier = await (known ? meaning(primary, owner, once, known) : recall(owner, once));
        if (earlier.isErr()) return err(earlier.error);
        if (earlier.value) {
          recentKeys.add(once.key);
          return replay(earlier.value);
        }
        return 'again';
      };
      const refusal = (fault: ConstraintFault) => kind.refusal(owner, aggregate, fault);
      return write({ owner, once, attempt, replay, refusal });
    },

    update<E>(
      owner: Owner,
      id: string,
      change: (aggregate: A) => Result<{ readonly aggregate: A; readonly event: Event | null }, E>,
      once?: Once,
    ): ResultAsync<Written, E | NotFound | Refused | Forgotten | KeyReused | Unavailable> {
      let wanted: A | undefined;
      const attempt = async (executor: Executor, before: A): Promise<Result<Written, E> | 'lost'> => {
        const fixed = kind.fixed(before);
        const decision = decided(() => change(before));
        if (decision.isErr()) return err(decision.error);
        const { event } = decision.value;
        const target = { owner_id: owner, id, version: before.version };
        if (!event) {
          const recorded =
            once && (await statements.recordNoOp(executor, { target, once: onceValues(once, id, before) }));
          return recorded?.length === 0 ? 'lost' : ok(kind.written(before, event, false));
        }
        const aggregate = kind.withLowerIds({ ...decision.value.aggregate, ...fixed });
        wanted = aggregate;
        const record = once && onceValues(once, id, aggregate);
        const values = { target, row: checkedRow(aggregate), event: outboxValues(event) };
        const changed = record
          ? await statements.updateOnce(executor, { ...values, once: record })
          : await statements.update(executor, values);
        return changed.length === 1 ? ok(kind.written(aggregate, event, false)) : 'lost';
      };
      return write({
        owner,
        once,
        attempt: () => overwrite(owner, id, once, attempt, replay),
        replay,
        refusal: async (fault) => (wanted ? await kind.refusal(owner, wanted, fault) : 'again'),
      });
    },

    delete<E>(
      owner: Owner,
      id: string,
      judge: (aggregate: A) => Result<Event, E>,
      once?: Once,
    ): ResultAsync<Deleted<Event>, E | NotFound | DeletionRefused | Forgotten | KeyReused | Unavailable> {
      const attempt = async (executor: Executor, before: A): Promise<Result<Deleted<Event>, E> | 'lost'> => {
        const judged = decided(() => judge(before));
        if (judged.isErr()) return err(judged.error);
        const event = judged.value;
        const values = { target: { owner_id: owner, id, version: before.version }, event: outboxValues(event) };
        const deleted = once
          ? await statements.deleteOnce(executor, { ...values, once: onceValues(once, id, null) })
          : await statements.delete(executor, values);
        return deleted.length === 1 ? ok({ event, replayed: false }) : 'lost';
      };
      const replayed = (): Result<Deleted<Event>, Forgotten> => ok({ event: null, replayed: true });
      return write({
        owner,
        once,
        // A statement does not see records that were committed since it began, not even after it waited for the row. A
        // deletion that erases therefore begins when it holds the row, which a no-op needs for its record.
        attempt: () => overwrite(owner, id, once, attempt, replayed, statements.erases),
        replay: replayed,
        refusal: (fault) => Promise.resolve(kind.deletionRefusal(fault)),
      });
    },
  };
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
