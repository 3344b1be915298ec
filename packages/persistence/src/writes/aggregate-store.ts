import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AggregateStore,
  Conflict,
  CreateOf,
  Decided,
  DomainEvent,
  Found,
  Idempotency,
  Loaded,
  Owner,
  Recorded,
  Unavailable,
  Write,
} from '@orders/domain';
import { inConflictOrder } from '@orders/domain';
import { err, type Ok, ok, type Result, ResultAsync } from 'neverthrow';
import { changeValues, readSnapshot } from './change-record.ts';
import type { RepositoryConnections } from '../database-parts.ts';
import type { RecordedWrite } from './idempotency-statements.ts';
import { type Creation, type Rejection, storeTogether } from './creates-together.ts';
import { RecentCreates } from './recent-creates.ts';
import { type FoundRecord, keyValues, RecordedKeys } from './recorded-keys.ts';
import { errorCode } from '../postgres/error-code.ts';
import type { Executor } from '../postgres/executor.ts';
import { type ConstraintFault, classify, toResultAsync, toUnavailable } from '../postgres/postgres-errors.ts';
import { jitter, retryAfterTableLock } from '../postgres/retry.ts';
import { assertTimestamps } from '../tables/timestamp-type.ts';
import type { AggregateKind } from './aggregate-kind.ts';
import {
  type ColumnValues,
  CUSTOMERS_ERASED,
  ORDERS_CUSTOMER_ERASED,
  type Outcome,
  type WriteStatement,
  type WriteValues,
} from './write-functions.ts';

/** The conflict with the record of a key. */
type KeyUsed<A> = Extract<Conflict<A, never>, { readonly type: 'key_used' }>;

/** A row that was loaded, as the source of an aggregate. */
interface LoadedRow<A, Row> extends Loaded<A> {
  readonly source: Row;
}

/** The result of an attempt; `again` when what it conflicted with is gone. */
type Attempt<T, A, Refused> = Promise<Result<T, Conflict<A, Refused> | Unavailable> | 'again'>;

/**
 * Returns the store of one kind of aggregate. A create is one command, a change or deletion a read and a command. What it
 * created lately, it changes without reading it.
 */
export function aggregateStore<
  A extends { readonly id: string; readonly version: number },
  E extends DomainEvent<string>,
  Refused,
  Row extends object,
  Record extends RecordedWrite,
>(
  { primary, conflicts, writeListeners }: RepositoryConnections,
  kind: AggregateKind<A, E, Refused, Row, Record>,
): AggregateStore<A, E, Refused> {
  const { statements } = kind;
  const keys = new RecordedKeys(statements.keys);
  const recent = new RecentCreates();

  const load = async (executor: Executor, owner: Owner, id: string): Promise<Ok<LoadedRow<A, Row> | null, never>> => {
    const [row] = await statements.find(executor, { target: { owner_id: owner, id } });
    return ok(row ? { aggregate: kind.toAggregate(row, owner), source: row } : null);
  };

  /** Returns what a write gets that finds a record. */
  const toRecorded = ({ record, sameCommand }: FoundRecord<Record>): Result<Recorded<A>, Unavailable> => {
    const id = record.aggregate_id;
    if (!sameCommand) return ok({ sameCommand, id, aggregate: null });
    return readSnapshot(record).map((snapshot) => ({
      sameCommand,
      id,
      aggregate: snapshot && kind.restore(snapshot, record),
    }));
  };

  const findRecorded = async (
    executor: Executor,
    owner: Owner,
    key: Idempotency,
  ): Promise<Result<Recorded<A> | null, Unavailable>> => {
    const found = await keys.find(executor, owner, key);
    return found ? toRecorded(found) : ok(null);
  };

  /** Returns the columns of the change record and the idempotency record of a write. */
  const recordsOf = (owner: Owner, write: Exclude<Write<A, E>, { readonly kind: 'key_only' }>): WriteValues => {
    const { kind: name, event, key } = write;
    const { id, version } = name === 'create' ? write.after : write.before.aggregate;
    const reason = name === 'change' ? (write.reason ?? null) : null;
    const snapshot = name === 'delete' ? null : kind.toSnapshot(write.after, reason);
    const change = changeValues(
      event,
      name === 'create' ? version : version + 1,
      snapshot,
      kind.isPublished?.(event) ?? true,
    );
    return { owner_id: owner, id, loaded_version: version, ...change, ...keyValues(key) };
  };

  /** Stores several creates, or nothing because of a conflict. */
  const insertAll = async (owner: Owner, creates: readonly Creation<A, E>[]): Promise<Result<boolean, Unavailable>> => {
    try {
      const call = { owner_id: owner, ...statements.byColumn(creates.map(({ values }) => values)) };
      const [row] = (await statements.write.insertAll?.(primary, { call })) ?? [];
      const isWritten = row?.outcome === 'written';
      if (isWritten) for (const { write } of creates) announce(owner, write);
      return ok(isWritten);
    } catch (thrown) {
      // Two of them took each other's references or keys. Each create alone takes them in one order.
      if (errorCode(thrown) === '40P01') return ok(false);
      const fault = classify(thrown);
      if (fault.type === 'unavailable') return err(fault);
      if (isExistingId(fault) || CONFLICTS.has(fault.constraint)) return ok(false);
      throw thrown;
    }
  };

  /** Returns why each of several creates conflicts. */
  const findRejections = async (
    owner: Owner,
    creates: readonly Creation<A, E>[],
  ): Promise<Ok<readonly Rejection<A, Refused>[], never>> => {
    const call = { owner_id: owner, ...statements.byColumn(creates.map(({ values }) => values)) };
    const [row] = (await statements.write.conflicts?.(primary, { call })) ?? [];
    const found = creates.map(({ write }, index) => ({ write, conflict: row?.outcome[index] }));
    const used = found.flatMap(({ write, conflict }) => (conflict?.is_key_used && write.key ? [write.key] : []));
    const records = await keys.findAll(primary, owner, used);
    const rejections = found.map(({ write, conflict }): Rejection<A, Refused> => {
      if (!conflict) return 'unclear';
      if (conflict.is_key_used) {
        const record = records.get(write.key?.key ?? '');
        const recorded = record && toRecorded(record);
        return recorded?.isOk() ? { type: 'key_used', recorded: recorded.value } : 'unclear';
      }
      if (conflict.is_id_taken) return { type: 'id_taken' };
      for (const check of inConflictOrder(kind.conflictsOf?.(write, conflict) ?? {})) {
        const reason = check();
        if (reason !== null) return { type: 'refused', reason };
      }
      return null;
    });
    return ok(rejections);
  };

  const storeAll = async (owner: Owner, writes: readonly CreateOf<A, E>[], isWhole: boolean) => {
    if (!statements.write.insertAll) return ok(writes.map(() => null));
    const creates = writes.map((write) => {
      const { after } = write;
      const values = { ...kind.toColumns(after, null), ...kind.toGuard?.(write), ...recordsOf(owner, write) };
      assertTimestamps(values);
      return { write, values };
    });
    return await storeTogether<A, E, Refused>(creates, {
      unique: statements.unique,
      isWhole,
      insert: (some) => insertAll(owner, some),
      findRejections: (some) => toResultAsync(findRejections(owner, some)),
    });
  };

  /** Stores a write. `executor` may be part of a transaction, which then fails as a whole. */
  const store = async (
    executor: Executor,
    owner: Owner,
    write: Write<A, E>,
    room: ColumnValues = {},
  ): Promise<Outcome> => {
    const { id, version } = write.kind === 'create' ? write.after : write.before.aggregate;
    const target = { owner_id: owner, id };
    if (write.kind === 'key_only') {
      const values = { ...target, aggregate: statements.name, aggregate_id: id, version, ...keyValues(write.key) };
      assertTimestamps(values);
      await statements.keys.insert(executor, { write: values });
      return 'written';
    }
    const records = recordsOf(owner, write);
    const { kind: name } = write;
    if (name === 'delete') return await call(statements.write.delete, executor, records);
    const columns = kind.toColumns(write.after, name === 'create' ? null : sourceOf(write.before));
    const { insert, update, erase } = statements.write;
    const statement = name === 'create' ? insert : write.erases ? erase : update;
    if (!statement) throw new TypeError(`no change of a ${statements.name} erases`);
    const values = {
      ...columns,
      ...kind.toGuard?.(write),
      ...room,
      ...records,
    };
    const outcome = await call(statement, executor, values);
    // Changes of a transaction lock first, and use no kept create.
    if (name === 'create' && outcome === 'written') recent.add(values);
    return outcome;
  };

  /** Returns the row that an aggregate was loaded from. This store has loaded it, as it only gets back what it returned. */
  const sourceOf = ({ source }: Loaded<A>): Row => {
    if (typeof source !== 'object' || source === null) throw new TypeError('the aggregate was not loaded by its store');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the port hands back what `load` returned
    return source as Row;
  };

  /** Returns the conflict with the record of the write's key, which comes before the reasons that other rows give. */
  const findKeyUse = async (
    owner: Owner,
    { key }: Write<A, E>,
  ): Promise<Result<never, KeyUsed<A> | Unavailable> | null> => {
    const found = key ? await findRecorded(primary, owner, key) : ok(null);
    if (found.isErr()) return err(found.error);
    return found.value && err({ type: 'key_used', recorded: found.value });
  };

  /** Returns the first rule that a write violates, of those that the database may check in another order. */
  const findConflict = async (owner: Owner, write: Write<A, E>, isIdTaken = false): Attempt<never, A, Refused> => {
    const keyUse = await findKeyUse(owner, write);
    if (keyUse) return keyUse;
    if (isIdTaken) return err({ type: 'id_taken' });
    for (const check of inConflictOrder(kind.rulesOf?.(owner, write) ?? {})) {
      const reason = await check();
      if (reason === null) continue;
      // The id comes before the reason, but the next attempt finds it, if that is gone.
      const target = { owner_id: owner, id: write.kind === 'create' ? write.after.id : write.before.aggregate.id };
      const isUsed = write.kind === 'create' && (await statements.anyVersion(primary, { target })).length > 0;
      return err(isUsed ? { type: 'id_taken' } : { type: 'refused', reason });
    }
    return 'again';
  };

  /** Returns why the database has rejected a write. */
  const explain = async (thrown: unknown, owner: Owner, write: Write<A, E>): Attempt<never, A, Refused> => {
    const fault = classify(thrown);
    if (fault.type === 'unavailable') return err(fault);
    const isIdTaken = write.kind === 'create' && isExistingId(fault);
    if (isIdTaken || CONFLICTS.has(fault.constraint)) return await findConflict(owner, write, isIdTaken);
    // A retry of what the constraint of a host rejects.
    const keyUse = await findKeyUse(owner, write);
    if (keyUse) return keyUse;
    throw thrown;
  };

  /**
   * Attempts a write until an attempt has a result. Other clients may take and release a reference, an email or an expired
   * key faster than this write can look up its holder. Then it is repeated, first at once, then after a random wait, for a
   * limited time: a fixed number of attempts would fail by chance.
   */
  const untilDecided = async <T>(
    owner: Owner,
    attempt: () => Attempt<T, A, Refused>,
    attempted: () => Write<A, E> | null,
  ): Promise<Result<T, Conflict<A, Refused> | Unavailable>> => {
    const end = performance.now() + conflicts.retriedForMs;
    let cause: unknown;
    for (let count = 0; ; count += 1) {
      const result = await attempt().catch((thrown: unknown) => {
        cause = thrown;
        const write = attempted();
        if (write) return explain(thrown, owner, write);
        throw thrown;
      });
      if (result !== 'again') {
        const write = result.isOk() && attempted();
        if (write) announce(owner, write);
        return result;
      }
      const wait = count === 0 ? 0 : jitter(count);
      if (performance.now() + wait >= end) {
        // Made only here, because the stack of an error takes longer than anything else in a write.
        const last = cause ?? new Error('every attempt of the write met a concurrent one');
        return err({ type: 'unavailable', cause: await conflicts.unresolved(last) });
      }
      await sleep(wait);
    }
  };

  const announce = (owner: Owner, { key }: Write<A, E>): void => {
    keys.addRecent(key);
    for (const listener of writeListeners) listener.written(owner, statements.name);
  };

  return {
    load: (owner, id) => toResultAsync(load(primary, owner, id)),

    findKept: (owner, id) => {
      const values = recent.take(owner, id);
      if (!values) return null;
      const row = statements.rowOf(values);
      return { aggregate: kind.toAggregate(row, owner), source: row };
    },

    findRecorded: (owner, key) => toResultAsync(findRecorded(primary, owner, key)),

    // Inside a transaction, a write that meets an expired record is not repeated.
    plan: (key) => ({
      lookUpFirst: primary.isTransaction || keys.isRecent(key),
      lockFirst: primary.isTransaction,
    }),

    commit: (owner, write) => {
      const attempt = async (): Attempt<null, A, Refused> => {
        const room =
          write.kind === 'create' && kind.findRoom ? await kind.findRoom(primary, owner, write.after) : ok({});
        if (room.isErr()) return (await findKeyUse(owner, write)) ?? err({ type: 'refused', reason: room.error });
        const outcome = await store(primary, owner, write, room.value);
        if (outcome === 'id_taken') return await findConflict(owner, write, true);
        return outcome === 'stale' ? err({ type: 'stale' }) : ok(null);
      };
      return toResultAsync(untilDecided(owner, attempt, () => write));
    },

    commitAll: (owner, creates, isWhole) => toResultAsync(storeAll(owner, creates, isWhole)),

    commitLocked: <R>(
      owner: Owner,
      id: string,
      lookUp: Idempotency | undefined,
      decide: (found: Found<A>) => Decided<A, E, R>,
    ) => {
      let attempted: Write<A, E> | null = null;
      const work = () =>
        primary.transaction(async (transaction): Attempt<R, A, Refused> => {
          attempted = null;
          await statements.lock(transaction, { target: { owner_id: owner, id } });
          const recorded = lookUp ? await findRecorded(transaction, owner, lookUp) : ok(null);
          if (recorded.isErr()) return err(recorded.error);
          const loaded = recorded.value ? ok(null) : await load(transaction, owner, id);
          const { write, result } = decideOrThrow(decide, { loaded: loaded.value, recorded: recorded.value });
          attempted = write;
          // An aggregate that did not exist when it was to be locked may change after it was loaded.
          if (write && (await store(transaction, owner, write)) === 'stale') return 'again';
          return ok(result);
        }, owner);
      const attempt = () => {
        if (primary.isTransaction) return work();
        const began = performance.now();
        return work().catch((cause: unknown) => retryAfterTableLock(primary, work, cause, began));
      };
      const result = untilDecided(owner, attempt, () => attempted).catch((thrown: unknown) => {
        if (thrown instanceof DecisionThrew) throw thrown.cause;
        return err(toUnavailable(thrown));
      });
      return new ResultAsync(result);
    },
  };
}

/** An exception of a decision: a bug of the domain, never an error of the database, which it may look like. */
class DecisionThrew extends Error {
  constructor(cause: unknown) {
    super('the decision about an aggregate threw', { cause });
  }
}

function decideOrThrow<A, E, R>(decide: (found: Found<A>) => Decided<A, E, R>, found: Found<A>): Decided<A, E, R> {
  try {
    return decide(found);
  } catch (cause) {
    throw new DecisionThrew(cause);
  }
}

/** Calls a write function. */
async function call(statement: WriteStatement, executor: Executor, values: WriteValues): Promise<Outcome> {
  assertTimestamps(values);
  const [row] = await statement(executor, { call: values });
  if (!row) throw new Error('a write function returned no row');
  return row.outcome;
}

/**
 * The constraints that concurrent writes violate. Any other is one that the host has added, such as a foreign key to
 * orders, and stays violated when the write is retried.
 */
const CONFLICTS = new Set([
  'idempotency_pkey',
  'orders_reference_unique',
  'orders_customer_foreign',
  ORDERS_CUSTOMER_ERASED,
  CUSTOMERS_ERASED,
  'customers_email_unique',
  'webhook_endpoints_slot_unique',
]);

/** Whether a write violated the primary key of its row or change record: the id exists, or its versions do. */
function isExistingId({ type, constraint }: ConstraintFault): boolean {
  return type === 'unique_violation' && constraint.endsWith('_pkey') && constraint !== 'idempotency_pkey';
}
