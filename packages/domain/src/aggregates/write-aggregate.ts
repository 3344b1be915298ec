import { err, errAsync, ok, okAsync, type Result, ResultAsync } from 'neverthrow';
import { type Clock, currentTimestamp, laterTimestamp, type Timestamp } from '../shared/clock.ts';
import { createEvent, type DomainEvent, type EventOutline, type Versioned } from '../shared/domain-event.ts';
import { type Idempotency, idempotencyFor, type KeyReused } from '../shared/idempotency.ts';
import { type IdSource, type Owner, parseId, type ResourceId } from '../shared/ids.ts';
import type { Unavailable } from '../shared/unavailable.ts';
import { readAuthorOfChange } from '../shared/author.ts';
import type { ChangeOptions, ExpectedVersion, PreconditionFailed } from '../shared/version.ts';
import type { AggregateStore, Conflict, Decided, Found, Recorded } from './aggregate-store.ts';
import type { NotFound } from './get-aggregate.ts';

/** Where a write goes, and the key under which it is recorded. */
export interface Destination<A, E, Refused, Missing extends string> {
  readonly store: AggregateStore<A, E, Refused>;
  readonly owner: Owner;
  readonly key: Idempotency | undefined;
  /** Type of the error of an aggregate that does not exist. */
  readonly missing: Missing;
  /**
   * Returns whether an aggregate is erased. A retry whose recorded version is missing then has the aggregate as it is now.
   * Default: never.
   */
  readonly isErased?: (aggregate: A) => boolean;
}

/** The result of a write. A replay has no event: the first write recorded it. Nor has a command that changes nothing. */
export interface Written<A, E> {
  readonly aggregate: A;
  readonly event: E | null;
  readonly replayed: boolean;
}

/** What a change makes of an aggregate. Without an event, nothing is stored. */
export interface Decision<A, E> {
  readonly after: A;
  readonly event: E | null;
  /** Kept with the version. Default: none. */
  readonly reason?: string | null | undefined;
  /** Whether the personal data of all earlier versions is erased. Default: `false`. */
  readonly erases?: boolean | undefined;
}

/** A result without an aggregate is that of a deletion, or of a write whose version was erased since. */
type Settled<A, E> = Written<A | null, E> & { readonly id: string };

/** Returns the result of an earlier write with the same key; `null` when the key is unused, and without a key. */
export function findRecordedResult<A, E, Missing extends string>(
  destination: Destination<A, E, unknown, Missing>,
): ResultAsync<Written<A, E> | null, NotFound<Missing> | KeyReused | Unavailable> {
  const { store, owner, key } = destination;
  if (!key) return okAsync(null);
  type Result = ResultAsync<Written<A, E> | null, NotFound<Missing> | KeyReused | Unavailable>;
  return store
    .findRecorded(owner, key)
    .andThen((recorded): Result =>
      recorded ? replay<A, E>(recorded).asyncAndThen((settled) => orMissing(destination, settled)) : okAsync(null),
    );
}

/**
 * Creates an aggregate, whose id must be a new one, unless `decide` returns why not. `build` is called once at most, and not for a
 * retry whose key is looked up first.
 */
export function createAggregate<A, E, Refused, Missing extends string, Rejected = never>(
  destination: Destination<A, E, Refused, Missing>,
  build: () => { readonly after: A; readonly event: E },
  decide: (after: A) => Result<unknown, Rejected> = () => ok(null),
): ResultAsync<Written<A, E>, Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable> {
  const { store, owner, key } = destination;
  type Failure = Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable;
  const create = async (): Promise<Result<Written<A, E>, Failure>> => {
    const { lookUpFirst } = store.plan(key);
    if (lookUpFirst) {
      const recorded = await findRecordedResult(destination);
      if (recorded.isErr()) return err(recorded.error);
      if (recorded.value) return ok(recorded.value);
    }
    const { after, event } = build();
    const decided = decide(after);
    if (decided.isErr()) {
      // As for a change, the result of the key takes precedence.
      const recorded = lookUpFirst ? ok(null) : await findRecordedResult(destination);
      if (recorded.isErr()) return err(recorded.error);
      return recorded.value ? ok(recorded.value) : err(decided.error);
    }
    const committed = await store.commit(owner, { kind: 'create', after, event, key });
    if (committed.isOk()) return ok({ aggregate: after, event, replayed: false });
    return await explain<A, E, Refused>(committed.error).asyncAndThen((settled) => orMissing(destination, settled));
  };
  return new ResultAsync(create());
}

/** Returns the result of a create that its store rejected, of a kind without {@link Destination.isErased}. */
export function explainCreate<A, E, Refused, Missing extends string>(
  conflict: Conflict<A, Refused> | Unavailable,
  missing: Missing,
): Result<Written<A, E>, NotFound<Missing> | Refused | KeyReused | Unavailable> {
  return explain<A, E, Refused>(conflict).andThen(({ id, aggregate, event, replayed }) =>
    aggregate === null ? err({ type: missing, id }) : ok({ aggregate, event, replayed }),
  );
}

/** Changes an aggregate by a decision about its newest version, a pure function that may run again on a newer one. */
export function changeAggregate<A, E, Refused, Missing extends string, Rejected>(
  destination: Destination<A, E, Refused, Missing>,
  id: string,
  decide: (before: A) => Result<Decision<A, E>, Rejected>,
): ResultAsync<Written<A, E>, Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable> {
  const change = async () => {
    const settled = await overwrite(destination, id, decide);
    return settled.isErr() ? err(settled.error) : await orMissing(destination, settled.value);
  };
  return new ResultAsync(change());
}

/** Deletes an aggregate if `decide`, a pure function, returns an event for its newest version. */
export function deleteAggregate<A, E, Refused, Missing extends string, Rejected>(
  destination: Destination<A, E, Refused, Missing>,
  id: string,
  decide: (before: A) => Result<E, Rejected>,
): ResultAsync<
  Pick<Written<A, E>, 'event' | 'replayed'>,
  Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable
> {
  const end = (before: A) => decide(before).map((event) => ({ after: null, event }));
  return new ResultAsync(overwrite(destination, id, end)).map(({ event, replayed }) => ({ event, replayed }));
}

/** Checks the precondition of a caller on the current version; returns `precondition_failed` if it is not met. */
export function checkVersion(version: number, expected: ExpectedVersion): Result<null, PreconditionFailed> {
  const { ifVersion, unlessVersion } = expected;
  const isExpected = ifVersion?.includes(version) ?? true;
  const isExcluded = unlessVersion === 'any' || (unlessVersion?.includes(version) ?? false);
  return isExpected && !isExcluded ? ok(null) : err({ type: 'precondition_failed', current_version: version });
}

/** What commands need besides a store. */
interface CommandPorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly idempotencyTtlMs?: number | undefined;
}

/** An aggregate that a command is about, whose id is not parsed yet. */
interface Target<A, Type extends string, Refused, Missing extends string> extends Omit<
  Destination<A, DomainEvent<Type>, Refused, Missing>,
  'key'
> {
  readonly id: string | ResourceId;
  /** With the id and the command, it is the fingerprint of a retry. */
  readonly operation: string;
}

/**
 * Changes an aggregate by a command: once it and the options are validated, by what `decide`, a pure function, makes of the
 * newest version.
 */
export function changeByCommand<
  A extends Versioned,
  Type extends string,
  Refused,
  Missing extends string,
  Command,
  Invalid,
  Rejected,
>(
  ports: CommandPorts,
  { id: given, operation, ...destination }: Target<A, Type, Refused, Missing>,
  parsed: Result<Command, Invalid>,
  options: ChangeOptions,
  decide: (before: A, command: Command, now: Timestamp) => Result<Decision<A, EventOutline<Type>>, Rejected>,
): ResultAsync<
  Written<A, DomainEvent<Type>>,
  Invalid | PreconditionFailed | Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable
> {
  const author = readAuthorOfChange(options);
  return parsed.asyncAndThen((command) =>
    parseId(given, destination.missing).asyncAndThen((id) => {
      const key = idempotencyFor(ports, options, operation, id, command);
      return changeAggregate({ ...destination, key }, id, (before: A) =>
        checkVersion(before.version, options)
          .andThen(() => decide(before, command, currentTimestamp(ports.clock)))
          .map(({ after, event, ...others }) => ({
            ...others,
            after,
            event: event && createEvent(ports.ids, destination.owner, author, event, after),
          })),
      );
    }),
  );
}

/**
 * Deletes an aggregate by a command, if `check`, a pure function, allows it for the newest version. The event has the type
 * `type`. Default: allowed.
 */
export function deleteByCommand<
  A extends Versioned,
  Type extends string,
  Refused,
  Missing extends string,
  Rejected = never,
>(
  ports: CommandPorts,
  { id: given, operation, type, ...destination }: Target<A, Type, Refused, Missing> & { readonly type: Type },
  options: ChangeOptions,
  check: (before: A, now: Timestamp) => Result<unknown, Rejected> = () => ok(null),
): ResultAsync<
  Pick<Written<A, DomainEvent<Type>>, 'event' | 'replayed'>,
  PreconditionFailed | Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable
> {
  const author = readAuthorOfChange(options);
  return parseId(given, destination.missing).asyncAndThen((id) =>
    deleteAggregate({ ...destination, key: idempotencyFor(ports, options, operation, id) }, id, (before: A) =>
      checkVersion(before.version, options)
        .map(() => currentTimestamp(ports.clock))
        .andThrough((now) => check(before, now))
        .map((now) => {
          // A deletion is a version of its own.
          const deleted = { id, version: before.version + 1, updated_at: laterTimestamp(before.updated_at, now) };
          return createEvent(ports.ids, destination.owner, author, { type, changed: [] }, deleted);
        }),
    ),
  );
}

async function overwrite<A, E, Refused, Missing extends string, Rejected>(
  { store, owner, key, missing }: Destination<A, E, Refused, Missing>,
  id: string,
  decide: (before: A) => Result<Decision<A, E> | (Decision<null, E> & { readonly event: E }), Rejected>,
): Promise<Result<Settled<A, E>, Rejected | NotFound<Missing> | Refused | KeyReused | Unavailable>> {
  type Outcome = Result<Settled<A, E>, Rejected | NotFound<Missing> | KeyReused>;
  const { lookUpFirst, lockFirst } = store.plan(key);
  const lookUp = lookUpFirst ? key : undefined;

  const decideAbout = ({ loaded, recorded }: Found<A>): Decided<A, E, Outcome> => {
    if (recorded) return { write: null, result: replay(recorded) };
    if (!loaded) return { write: null, result: err({ type: missing, id }) };
    const decided = decide(loaded.aggregate);
    if (decided.isErr()) return { write: null, result: err(decided.error) };
    const { after, event, reason, erases } = decided.value;
    const result = ok({ id, aggregate: after, event, replayed: false });
    if (event === null) return { write: key ? { kind: 'key_only', before: loaded, key } : null, result };
    if (after === null) return { write: { kind: 'delete', before: loaded, event, key }, result };
    return { write: { kind: 'change', before: loaded, after, event, reason, erases, key }, result };
  };

  const commitUnlocked = async (): Promise<Result<Outcome, Conflict<A, Refused> | Unavailable>> => {
    const recorded = lookUp ? await store.findRecorded(owner, lookUp) : ok(null);
    if (recorded.isErr()) return err(recorded.error);
    if (recorded.value) return err({ type: 'key_used', recorded: recorded.value });
    const loaded = await store.load(owner, id);
    if (loaded.isErr()) return err(loaded.error);
    const { write, result } = decideAbout({ loaded: loaded.value, recorded: null });
    const committed = write ? await store.commit(owner, write) : ok(null);
    return committed.isErr() ? err(committed.error) : ok(result);
  };

  const first = lockFirst ? null : await commitUnlocked();
  const needsLock = first === null || (first.isErr() && first.error.type === 'stale');
  // A write that holds the lock cannot lose again.
  const committed = needsLock ? await store.commitLocked(owner, id, lookUp, decideAbout) : first;
  if (committed.isErr()) return explain(committed.error);
  if (committed.value.isOk() || !key) return committed.value;
  // The write of the key may be the reason why the command is rejected now. Its result takes precedence.
  const recorded = await store.findRecorded(owner, key);
  if (recorded.isErr()) return err(recorded.error);
  return recorded.value ? replay(recorded.value) : committed.value;
}

/** Returns the result of a retry. */
function replay<A, E>({ sameCommand, id, aggregate }: Recorded<A>): Result<Settled<A, E>, KeyReused> {
  return sameCommand ? ok({ id, aggregate, event: null, replayed: true }) : err({ type: 'idempotency_key_reused' });
}

/** Returns the result of a write that its store rejected. */
function explain<A, E, Refused>(
  conflict: Conflict<A, Refused> | Unavailable,
): Result<Settled<A, E>, Refused | KeyReused | Unavailable> {
  switch (conflict.type) {
    case 'key_used':
      return replay(conflict.recorded);
    case 'refused':
      return err(conflict.reason);
    case 'unavailable':
      return err(conflict);
    case 'id_taken':
      throw new Error('an id exists already: ids must be unique');
    case 'stale':
      throw new Error('the store lost a write that does not depend on a version, or that held the lock');
  }
}

/** Returns the result of a write. Without an aggregate, it is that of a retry. */
function orMissing<A, E, Missing extends string>(
  { store, owner, missing, isErased }: Destination<A, E, unknown, Missing>,
  { id, aggregate, event, replayed }: Settled<A, E>,
): ResultAsync<Written<A, E>, NotFound<Missing> | Unavailable> {
  if (aggregate !== null) return okAsync({ aggregate, event, replayed });
  const error = { type: missing, id };
  if (!isErased) return errAsync(error);
  return store
    .load(owner, id)
    .andThen((now) =>
      now && isErased(now.aggregate) ? ok({ aggregate: now.aggregate, event, replayed }) : err(error),
    );
}

/** Returns a result without the errors of `types`, as {@link except} does. */
export function withoutErrors<T, Failure extends { readonly type: string }, Type extends string>(
  result: ResultAsync<T, Failure>,
  ...types: readonly Type[]
): ResultAsync<T, Exclude<Failure, { readonly type: Type }>> {
  return mapBoth(result, (value) => value, except(...types));
}

/**
 * Returns a function for the errors of a write, without those of `types`: the rules of a store concern only some of its
 * writes.
 */
export function except<Type extends string>(...types: readonly Type[]) {
  return <Failure extends { readonly type: string }>(error: Failure): Exclude<Failure, { readonly type: Type }> => {
    if (isOther(error, types)) return error;
    throw new Error(`the store returned ${error.type} for a write that cannot cause it`);
  };
}

/** Returns a function for the errors of a write that has only those of `types`. */
export function only<Type extends string>(types: readonly Type[]) {
  return <Failure extends { readonly type: string }>(error: Failure): Extract<Failure, { readonly type: Type }> => {
    if (isOneOf(error, types)) return error;
    throw new Error(`${error.type} is no error of this write`);
  };
}

function isOther<Failure extends { readonly type: string }, Type extends string>(
  error: Failure,
  types: readonly Type[],
): error is Exclude<Failure, { readonly type: Type }> {
  return !isOneOf(error, types);
}

function isOneOf<Failure extends { readonly type: string }, Type extends string>(
  error: Failure,
  types: readonly Type[],
): error is Extract<Failure, { readonly type: Type }> {
  return types.some((type) => type === error.type);
}

/**
 * Returns a result with its value and its error converted, in one step. The methods `map`, `mapErr` and `orElse` of a
 * ResultAsync are compiled to generators. V8 gives each generator function an object of the old heap, which keeps all that
 * the function refers to until a full collection: of every request, several kilobytes.
 */
export function mapBoth<T, E, U, F>(
  result: ResultAsync<T, E>,
  mapValue: (value: T) => U,
  mapError: (error: E) => F,
): ResultAsync<U, F> {
  return new ResultAsync(
    result.match(
      (value) => ok(mapValue(value)),
      (error) => err(mapError(error)),
    ),
  );
}
