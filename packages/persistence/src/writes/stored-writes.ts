import type { DomainEvent, Idempotency, Loaded, Owner, Recorded, Unavailable, Write } from '@orders/domain';
import { type Ok, ok, type Result } from 'neverthrow';
import type { Executor } from '../postgres/executor.ts';
import { jsonText } from '../sql/statement.ts';
import { assertTimestamps } from '../tables/timestamp-type.ts';
import type { AggregateKind, StoredWrite } from './aggregate-kind.ts';
import { readSnapshot, SNAPSHOT_FORMAT } from './change-record.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import { type FoundRecord, keyValues, RecordedKeys } from './recorded-keys.ts';
import type { ColumnValues, Outcome, WriteValues } from './write-functions.ts';

/** A row that was loaded, as the source of an aggregate. */
interface LoadedRow<A, Row> extends Loaded<A> {
  readonly source: Row;
}

/** Reads and stores aggregates of one kind, over an executor that may be part of a transaction, which then fails as a whole. */
export class StoredWrites<
  A extends { readonly id: string; readonly version: number },
  E extends DomainEvent<string>,
  Refused,
  Row extends object,
  Record extends RecordedWrite,
> {
  readonly keys: RecordedKeys<Record>;
  readonly #kind: AggregateKind<A, E, Refused, Row, Record>;

  constructor(kind: AggregateKind<A, E, Refused, Row, Record>) {
    this.#kind = kind;
    this.keys = new RecordedKeys(kind.statements.keys);
  }

  async load(executor: Executor, owner: Owner, id: string): Promise<Ok<LoadedRow<A, Row> | null, never>> {
    const [row] = await this.#kind.statements.find(executor, { target: { owner_id: owner, id } });
    return ok(row ? { aggregate: this.#kind.toAggregate(row, owner), source: row } : null);
  }

  /** Returns the record of a key; `null` without a key, and without a record. */
  async findRecorded(
    executor: Executor,
    owner: Owner,
    key: Idempotency | undefined,
  ): Promise<Result<Recorded<A> | null, Unavailable>> {
    const found = key ? await this.keys.find(executor, owner, key) : null;
    return found ? this.toRecorded(found) : ok(null);
  }

  /** Returns what a write gets that finds a record. */
  toRecorded({ record, sameCommand }: FoundRecord<Record>): Result<Recorded<A>, Unavailable> {
    const id = record.aggregate_id;
    if (!sameCommand) return ok({ sameCommand, id, aggregate: null });
    return readSnapshot(record).map((snapshot) => ({
      sameCommand,
      id,
      aggregate: snapshot && this.#kind.restore(snapshot, record),
    }));
  }

  /** Stores a write. Its columns that depend on other rows are `room`. */
  async store(
    executor: Executor,
    owner: Owner,
    write: Write<A, E>,
    room: ColumnValues = {},
  ): Promise<{ readonly outcome: Outcome; readonly values: WriteValues }> {
    const { statements } = this.#kind;
    if (write.kind === 'key_only') {
      const { id, version } = write.before.aggregate;
      const record = { aggregate: statements.name, aggregate_id: id, version, ...keyValues(write.key) };
      const values = { owner_id: owner, id, ...record };
      assertTimestamps(values);
      await statements.keys.insert(executor, { write: values });
      return { outcome: 'written', values };
    }
    const { insert, update, erase, delete: remove } = statements.write;
    const change = write.kind === 'change' && write.erases ? erase : update;
    const statement = write.kind === 'create' ? insert : write.kind === 'delete' ? remove : change;
    if (!statement) throw new TypeError(`no change of a ${statements.name} erases`);
    const values = this.valuesOf(owner, write, room);
    const [row] = await statement(executor, { call: values });
    if (!row) throw new Error('a write function returned no row');
    return { outcome: row.outcome, values };
  }

  /** Returns the values of a write: of its row, its change record and the record of its key. */
  valuesOf(owner: Owner, write: StoredWrite<A, E>, room: ColumnValues = {}): WriteValues {
    const { toColumns, toGuard, toSnapshot, statements } = this.#kind;
    const { kind, event, key } = write;
    const { id, version } = kind === 'create' ? write.after : write.before.aggregate;
    const next = kind === 'create' ? version : version + 1;
    const reason = kind === 'change' ? (write.reason ?? null) : null;
    const snapshot = kind === 'delete' ? null : toSnapshot(write.after, reason);
    const values = {
      ...(kind !== 'delete' && toColumns(write.after, kind === 'create' ? null : sourceOf<Row>(write.before))),
      ...(kind !== 'delete' && toGuard?.(write)),
      ...room,
      owner_id: owner,
      id,
      loaded_version: version,
      ...changeValues(event, next, snapshot, statements.isPublished(event.type)),
      ...keyValues(key),
    };
    assertTimestamps(values);
    return values;
  }
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
