import type { DomainEvent, Idempotency, Loaded, Owner, Recorded, Unavailable, Write } from '@orders/domain';
import { ok, type Result } from 'neverthrow';
import type { Executor } from '../postgres/executor.ts';
import { jsonText } from '../sql/statement.ts';
import { assertTimestamps } from '../tables/timestamp-type.ts';
import type { AggregateKind, StoredWrite, Versioned } from './aggregate-kind.ts';
import { readSnapshot, SNAPSHOT_FORMAT } from './change-record.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import { type FoundRecord, keyValues, type RecordedKeys } from './recorded-keys.ts';
import type { ColumnValues, Outcome, WriteValues } from './write-functions.ts';

/** See {@link storedWrites}. */
export type StoredWrites<A extends Versioned, E extends DomainEvent<string>> = ReturnType<
  typeof storedWrites<A, E, object, RecordedWrite>
>;

/** Returns what reads and stores aggregates of a kind, over an executor. One of a transaction then fails as a whole. */
export function storedWrites<
  A extends Versioned,
  E extends DomainEvent<string>,
  Row extends object,
  Record extends RecordedWrite,
>(kind: AggregateKind<A, E, unknown, Row, Record>, keys: RecordedKeys<Record>) {
  const { statements, toAggregate, toColumns, toSnapshot = (aggregate) => aggregate, restore = asAggregate<A> } = kind;

  /** Returns what a write gets that finds a record. */
  const toRecorded = ({ record, sameCommand }: FoundRecord<Record>): Result<Recorded<A>, Unavailable> => {
    const id = record.aggregate_id;
    if (!sameCommand) return ok({ sameCommand, id, aggregate: null });
    return readSnapshot(record).map((snapshot) => ({
      sameCommand,
      id,
      aggregate: snapshot && restore(snapshot, record),
    }));
  };

  /** Returns the values of a write: of its row, its change record and the record of its key. */
  const valuesOf = (owner: Owner, write: StoredWrite<A, E>, room: ColumnValues = {}): WriteValues => {
    const { kind: name, event, key } = write;
    const { id, version } = name === 'create' ? write.after : write.before.aggregate;
    const columns = name !== 'delete' && toColumns(write, name === 'create' ? null : sourceOf<Row>(write.before));
    const reason = name === 'change' ? (write.reason ?? null) : null;
    const snapshot = name === 'delete' ? null : toSnapshot(write.after, reason);
    const next = name === 'create' ? version : version + 1;
    const change = changeValues(event, next, snapshot, statements.isPublished?.(event.type));
    const values = { ...columns, ...room, owner_id: owner, id, loaded_version: version, ...change, ...keyValues(key) };
    assertTimestamps(values);
    return values;
  };

  return {
    valuesOf,

    load: async (executor: Executor, owner: Owner, id: string) => {
      const [row] = await statements.find(executor, { owner_id: owner, id });
      return ok(row ? { aggregate: toAggregate(row, owner), source: row } : null);
    },

    /** Returns the record of a key; `null` without a key, and without a record. */
    findRecorded: async (
      executor: Executor,
      owner: Owner,
      key: Idempotency | undefined,
    ): Promise<Result<Recorded<A> | null, Unavailable>> => {
      const found = key ? await keys.find(executor, owner, key) : null;
      return found ? toRecorded(found) : ok(null);
    },

    /** Returns the records of several keys, by key. It lacks those that only a lookup alone can read. */
    findAllRecorded: async (
      executor: Executor,
      owner: Owner,
      all: readonly Idempotency[],
    ): Promise<ReadonlyMap<string, Recorded<A>>> => {
      const found = await keys.findAll(executor, owner, all);
      return new Map(
        [...found].flatMap(([key, record]) =>
          toRecorded(record)
            .map((it) => [[key, it]] as const)
            .unwrapOr([]),
        ),
      );
    },

    /** Stores a write. Its columns that depend on other rows are `room`. */
    store: async (executor: Executor, owner: Owner, write: Write<A, E>, room?: ColumnValues): Promise<Outcome> => {
      if (write.kind === 'key_only') {
        const { id, version } = write.before.aggregate;
        const record = { aggregate: statements.name, aggregate_id: id, version, ...keyValues(write.key) };
        const values = { owner_id: owner, id, ...record };
        assertTimestamps(values);
        await statements.keys.insert(executor, values);
        return 'written';
      }
      const { insert, update, erase, delete: remove } = statements.write;
      const change = write.kind === 'change' && write.erases ? erase : update;
      const statement = write.kind === 'create' ? insert : write.kind === 'delete' ? remove : change;
      if (!statement) throw new TypeError(`no change of a ${statements.name} erases`);
      const [row] = await statement(executor, valuesOf(owner, write, room));
      if (!row) throw new Error('a write function returned no row');
      return row.outcome;
    },
  };
}

/**
 * Returns the change record of an event that makes `version`. `snapshot` is the aggregate after the change; `null` for a
 * deletion. A record without a type is in no feed.
 *
 * @throws {TypeError} the event has another version: the row, the change record and the key share one value
 */
export function changeValues(
  event: DomainEvent<string>,
  version: number,
  snapshot: object | null,
  isPublished = true,
): ColumnValues {
  if (event.version !== version) {
    throw new TypeError(`the event has version ${event.version}, but its change makes version ${version}`);
  }
  return {
    version,
    event_id: isPublished ? event.id : null,
    type: isPublished ? event.type : null,
    changed: JSON.stringify(event.changed),
    occurred_at: event.occurred_at,
    actor: event.actor,
    external_user_id: event.external_user_id,
    snapshot: snapshot && jsonText(snapshot),
    snapshot_format: SNAPSHOT_FORMAT,
  };
}

/** Returns the row that an aggregate was loaded from. A store has loaded it, as it only gets back what it returned. */
function sourceOf<Row extends object>({ source }: Loaded<unknown>): Row {
  if (typeof source !== 'object' || source === null) throw new TypeError('the aggregate was not loaded by its store');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the port hands back what `load` returned
  return source as Row;
}

/** Returns the aggregate of a snapshot that has all of its members. */
function asAggregate<A>(snapshot: object): A;
function asAggregate(snapshot: object): unknown {
  return snapshot;
}
