import { err, ok, type Result, ResultAsync } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency, KeyReused } from '../../shared/idempotency.ts';
import type { Page, Position } from '../../shared/page.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import { type Change, InMemoryChanges } from './in-memory-changes.ts';
import type { InMemoryKeys, VersionReference } from './in-memory-keys.ts';
import { assertStorable, copy } from './stored-values.ts';

/** The members of every aggregate. */
interface Aggregate {
  /** UUID in lower case. */
  readonly id: string;
  readonly version: number;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** The result of a write; see the repository ports. */
export interface WriteResult<A, Event> {
  readonly aggregate: A;
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** The rules of one kind of aggregate, such as orders. */
export interface AggregateKind<A, Event, NotFound, CreationViolation, Violation, DeletionViolation, Erased> {
  readonly name: VersionReference['aggregate'];
  readonly notFound: (id: string) => NotFound;
  /** Returns the aggregate with its ids in lower case. */
  readonly lowerCaseIds: (aggregate: A) => A;
  /** Returns the members that no update changes. */
  readonly fixed: (aggregate: A) => Partial<A>;
  /** Returns the constraint that one more aggregate violates, or `null`. */
  readonly findCreationViolation: (owner: Owner) => CreationViolation | null;
  /** Returns the constraint that `aggregate` violates, or `null`. */
  readonly findViolation: (owner: Owner, aggregate: A) => Violation | null;
  /** Returns the constraint that the deletion of `aggregate` violates, or `null`. */
  readonly findDeletionViolation: (owner: Owner, aggregate: A) => DeletionViolation | null;
  /** Returns the error of a retry whose version was erased. `null` for a kind whose deletion erases no version. */
  readonly erasedError: ((id: string) => Erased) | null;
  /** Appends an event to those of all aggregates. */
  readonly publish: (event: Event) => void;
}

/** Returns a stateful predicate that accepts elements until a page is full. */
export type CreatePageLimit<Element> = () => (element: Element) => boolean;

/**
 * The aggregates of one kind, in memory. Each method is one transaction, as it runs synchronously. Arguments and return
 * values are copied.
 */
export class InMemoryAggregates<
  A extends Aggregate,
  Event extends DomainEvent<string>,
  NotFound,
  CreationViolation,
  Violation,
  DeletionViolation,
  Erased,
> {
  readonly #changes = new InMemoryChanges<A, Event>();
  readonly #keys: InMemoryKeys;
  readonly #kind: AggregateKind<A, Event, NotFound, CreationViolation, Violation, DeletionViolation, Erased>;

  constructor(
    keys: InMemoryKeys,
    kind: AggregateKind<A, Event, NotFound, CreationViolation, Violation, DeletionViolation, Erased>,
  ) {
    this.#keys = keys;
    this.#kind = kind;
  }

  /** Returns every owner that ever had an aggregate. */
  owners(): readonly Owner[] {
    return this.#changes.owners();
  }

  all(owner: Owner): readonly A[] {
    return this.#changes.current(owner);
  }

  find(owner: Owner, id: string): Result<A, NotFound> {
    const found = this.#changes.of(owner, id).at(-1)?.snapshot;
    return found ? ok(copy(found)) : err(this.#kind.notFound(id));
  }

  insert(
    owner: Owner,
    aggregate: A,
    event: Event,
    idempotency?: Idempotency,
  ): Result<WriteResult<A, Event>, Erased | CreationViolation | Violation | KeyReused> {
    return this.#replayOr(owner, idempotency, (): Result<WriteResult<A, Event>, CreationViolation | Violation> => {
      const violation = this.#kind.findCreationViolation(owner);
      if (violation !== null) return err(violation);
      if (this.#changes.of(owner, aggregate.id).length > 0)
        throw new Error(`the id ${aggregate.id} exists: ids must be unique`);
      return this.#store(owner, aggregate, event, idempotency);
    });
  }

  /** Returns the recorded result of the idempotency key; `null` without one. */
  findReplay(
    owner: Owner,
    idempotency: Idempotency | undefined,
  ): Result<WriteResult<A, Event> | null, Erased | KeyReused> {
    const recorded = this.#keys.findReference(owner, this.#kind.name, idempotency);
    if (recorded.isErr()) return err(recorded.error);
    if (recorded.value === null) return ok(null);
    const { id, version } = recorded.value;
    const snapshot = this.#changes.snapshotOf(owner, id, version);
    if (snapshot) return ok({ aggregate: copy(snapshot), event: null, replayed: true });
    // Without erasure, only a deletion has no snapshot, and no other write has its fingerprint.
    if (!this.#kind.erasedError) throw new Error('a deletion was recorded under the fingerprint of another write');
    return err(this.#kind.erasedError(id));
  }

  update<E>(
    owner: Owner,
    id: string,
    change: (aggregate: A) => Result<{ readonly aggregate: A; readonly event: Event | null }, E>,
    idempotency?: Idempotency,
  ): Result<WriteResult<A, Event>, E | NotFound | Erased | Violation | KeyReused> {
    return this.#replayOr(owner, idempotency, () =>
      this.find(owner, id).andThen((stored) =>
        change(copy(stored)).andThen(({ aggregate, event }) =>
          event === null
            ? ok(this.#recordUnchanged(owner, stored, idempotency))
            : this.#store(owner, { ...aggregate, ...this.#kind.fixed(stored) }, event, idempotency),
        ),
      ),
    );
  }

  delete<E>(
    owner: Owner,
    id: string,
    decide: (aggregate: A) => Result<Event, E>,
    idempotency?: Idempotency,
  ): Result<{ event: Event | null; replayed: boolean }, E | NotFound | DeletionViolation | KeyReused> {
    const recorded = this.#keys.findReference(owner, this.#kind.name, idempotency);
    if (recorded.isErr()) return err(recorded.error);
    if (recorded.value !== null) return ok({ event: null, replayed: true });
    return this.find(owner, id).andThen((aggregate) =>
      decide(aggregate).andThen((event) => {
        const violation = this.#kind.findDeletionViolation(owner, aggregate);
        if (violation !== null) return err<{ event: Event; replayed: boolean }, DeletionViolation>(violation);
        assertStorable(event);
        this.#append(owner, aggregate.id, event, null);
        if (this.#kind.erasedError) this.#changes.erase(owner, aggregate.id);
        this.#recordKey(owner, idempotency, aggregate.id, event.version);
        return ok({ event, replayed: false });
      }),
    );
  }

  /**
   * Returns one page of the aggregates that match. It ends before the first aggregate that `createLimit` rejects, but
   * has at least one.
   */
  page(
    owner: Owner,
    query: PageQuery,
    matches: (aggregate: A) => boolean,
    createLimit: CreatePageLimit<A>,
  ): Page<A, Timestamp> {
    const direction = query.sort.startsWith('-') ? -1 : 1;
    const value = ({ created_at, updated_at }: A) => (query.sort.endsWith('created_at') ? created_at : updated_at);
    const compare = (left: readonly [string, string], right: readonly [string, string]) =>
      direction * (compareText(left[0], right[0]) || compareText(left[1], right[1]));
    const position = (aggregate: A) => [value(aggregate), aggregate.id] as const;
    const { after } = query;
    const remaining = this.all(owner)
      .filter(matches)
      .toSorted((left, right) => compare(position(left), position(right)))
      .filter((aggregate) => after === null || compare(position(aggregate), [after.value, after.id.toLowerCase()]) > 0)
      .slice(query.offset);
    return firstPage(remaining, query.limit, createLimit, (last) => ({ value: value(last), id: last.id }));
  }

  /** Returns the changes of an aggregate, newest first, also after its deletion. */
  versions(owner: Owner, id: string): readonly Change<A, Event>[] {
    return copy(this.#changes.of(owner, id).toReversed());
  }

  /** Returns the aggregate at a version, or `null` for a deletion and after an erasure. The caller must not change it. */
  snapshotOf(owner: Owner, id: string, version: number): A | null {
    return this.#changes.snapshotOf(owner, id, version);
  }

  /** Returns the recorded result of the idempotency key if there is one, and runs `write` otherwise. */
  #replayOr<E>(
    owner: Owner,
    idempotency: Idempotency | undefined,
    write: () => Result<WriteResult<A, Event>, E>,
  ): Result<WriteResult<A, Event>, E | Erased | KeyReused> {
    return this.findReplay(owner, idempotency).andThen((replay): Result<WriteResult<A, Event>, E> =>
      replay === null ? write() : ok(replay),
    );
  }

  #recordKey(owner: Owner, idempotency: Idempotency | undefined, id: string, version: number): void {
    if (idempotency) this.#keys.record(owner, idempotency, { aggregate: this.#kind.name, id, version });
  }

  /** Records a decision without an event, which stores only the idempotency key. */
  #recordUnchanged(owner: Owner, stored: A, idempotency: Idempotency | undefined): WriteResult<A, Event> {
    this.#recordKey(owner, idempotency, stored.id, stored.version);
    return { aggregate: stored, event: null, replayed: false };
  }

  #store(
    owner: Owner,
    decided: A,
    event: Event,
    idempotency: Idempotency | undefined,
  ): Result<WriteResult<A, Event>, Violation> {
    const aggregate = copy(this.#kind.lowerCaseIds(decided));
    assertStorable(aggregate);
    assertStorable(event);
    const violation = this.#kind.findViolation(owner, aggregate);
    if (violation !== null) return err(violation);
    if (aggregate.version !== event.version)
      throw new Error(`the event has version ${event.version}, but its ${this.#kind.name} has ${aggregate.version}`);
    this.#append(owner, aggregate.id, event, aggregate);
    this.#recordKey(owner, idempotency, aggregate.id, event.version);
    return ok({ aggregate: copy(aggregate), event, replayed: false });
  }

  #append(owner: Owner, aggregate_id: string, event: Event, snapshot: A | null): void {
    const stored = { ...copy(event), id: event.id.toLowerCase(), aggregate_id };
    this.#changes.append(owner, aggregate_id, { event: stored, snapshot });
    this.#kind.publish(stored);
  }
}

/**
 * Returns the first page of `remaining`. It ends before the first element that `createLimit` rejects, but has at least
 * one; `positionOf` makes the position at which the next page starts.
 */
export function firstPage<Element, Value>(
  remaining: readonly Element[],
  limit: number,
  createLimit: CreatePageLimit<Element>,
  positionOf: (last: Element) => Position<Value>,
): Page<Element, Value> {
  const fits = createLimit();
  const end = remaining.findIndex((element, index) => index === limit || (!fits(element) && index > 0));
  const data = copy(end === -1 ? remaining : remaining.slice(0, end));
  const last = data.at(-1);
  return { data, next: last && data.length < remaining.length ? positionOf(last) : null };
}

function compareText(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}

/** Runs `write` synchronously, as one transaction. An exception is a bug of the caller and rejects the result. */
export function toResultAsync<T, E>(write: () => Result<T, E>): ResultAsync<T, E> {
  return new ResultAsync(new Promise((resolve) => resolve(write())));
}
