import { err, ok, type Result } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency, KeyReused } from '../../shared/idempotency.ts';
import type { Page } from '../../shared/page.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import type { InMemoryKeys } from './in-memory-keys.ts';
import { assertStorable, copy } from './stored-values.ts';

/** The members of every aggregate. */
interface Aggregate {
  /** UUID in lower case. */
  readonly id: string;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** The result of a write; see the repository ports. */
export interface WriteResult<A, Event> {
  readonly aggregate: A;
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** The rules of one kind of aggregate: orders or customers. */
export interface AggregateKind<A, Event, NotFound, Violation, DeletionViolation, Erased> {
  readonly notFound: (id: string) => NotFound;
  /** Returns the aggregate with its ids in lower case. */
  readonly lowerCaseIds: (aggregate: A) => A;
  /** Returns the members that no update changes. */
  readonly fixed: (aggregate: A) => Partial<A>;
  /** Returns the constraint that `aggregate` violates, or `null`. */
  readonly findViolation: (owner: Owner, aggregate: A) => Violation | null;
  /** Returns the constraint that the deletion of `aggregate` violates, or `null`. */
  readonly findDeletionViolation: (owner: Owner, aggregate: A) => DeletionViolation | null;
  /**
   * Returns the error of a retry whose recorded aggregate was erased by its deletion. `null` for a kind whose recorded
   * results are not erased.
   */
  readonly erasedError: ((id: string) => Erased) | null;
  readonly record: (event: Event) => void;
}

/**
 * The aggregates of one kind, in memory. Each method is one transaction, as it runs synchronously. Arguments and return
 * values are copied.
 */
export class InMemoryAggregates<A extends Aggregate, Event, NotFound, Violation, DeletionViolation, Erased> {
  readonly #owners = new Map<Owner, Map<string, A>>();
  /**
   * The recorded results of writes, by the record of their idempotency key. The aggregate is `null` after a deletion
   * or an erasure.
   */
  readonly #results = new WeakMap<Idempotency, { readonly id: string; readonly aggregate: A | null }>();
  readonly #keys: InMemoryKeys;
  readonly #kind: AggregateKind<A, Event, NotFound, Violation, DeletionViolation, Erased>;

  constructor(keys: InMemoryKeys, kind: AggregateKind<A, Event, NotFound, Violation, DeletionViolation, Erased>) {
    this.#keys = keys;
    this.#kind = kind;
  }

  all(owner: Owner): readonly A[] {
    return [...(this.#owners.get(owner)?.values() ?? [])];
  }

  find(owner: Owner, id: string): Result<A, NotFound> {
    const found = this.#stored(owner, id);
    return found ? ok(copy(found)) : err(this.#kind.notFound(id));
  }

  insert(
    owner: Owner,
    aggregate: A,
    event: Event,
    idempotency?: Idempotency,
  ): Result<WriteResult<A, Event>, Erased | Violation | KeyReused> {
    return this.#replayOr(owner, idempotency, () => {
      if (this.#stored(owner, aggregate.id)) throw new Error(`the id ${aggregate.id} exists: ids must be unique`);
      return this.#store(owner, aggregate, event, idempotency);
    });
  }

  update<E>(
    owner: Owner,
    id: string,
    change: (aggregate: A) => Result<{ readonly aggregate: A; readonly event: Event | null }, E>,
    idempotency?: Idempotency,
  ): Result<WriteResult<A, Event>, E | NotFound | Erased | Violation | KeyReused> {
    return this.#replayOr(owner, idempotency, () =>
      this.find(owner, id)
        .andThen(change)
        .andThen(({ aggregate, event }) => {
          const stored = this.#stored(owner, id) ?? aggregate;
          return event === null
            ? ok(this.#recordUnchanged(owner, stored, idempotency))
            : this.#store(owner, { ...aggregate, ...this.#kind.fixed(stored) }, event, idempotency);
        }),
    );
  }

  delete<E>(
    owner: Owner,
    id: string,
    decide: (aggregate: A) => Result<Event, E>,
    idempotency?: Idempotency,
  ): Result<{ event: Event | null; replayed: boolean }, E | NotFound | DeletionViolation | KeyReused> {
    const recorded = this.#keys.findRecord(owner, idempotency);
    if (recorded.isErr()) return err(recorded.error);
    if (recorded.value !== null) return ok({ event: null, replayed: true });
    return this.find(owner, id).andThen((aggregate) =>
      decide(aggregate).andThen((event) => {
        const violation = this.#kind.findDeletionViolation(owner, aggregate);
        if (violation !== null) return err<{ event: Event; replayed: boolean }, DeletionViolation>(violation);
        assertStorable(event);
        this.#remove(owner, aggregate.id);
        this.#kind.record(copy(event));
        if (this.#kind.erasedError) this.#eraseResults(aggregate.id);
        this.#recordResult(owner, idempotency, aggregate.id, null);
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
    createLimit: () => (aggregate: A) => boolean,
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
    const fits = createLimit();
    const end = remaining.findIndex((aggregate, index) => index === query.limit || (!fits(aggregate) && index > 0));
    const data = copy(end < 0 ? remaining : remaining.slice(0, end));
    const last = data.at(-1);
    return { data, next: last && data.length < remaining.length ? { value: value(last), id: last.id } : null };
  }

  #stored(owner: Owner, id: string): A | undefined {
    return this.#owners.get(owner)?.get(id.toLowerCase());
  }

  #remove(owner: Owner, id: string): void {
    const aggregates = this.#owners.get(owner);
    aggregates?.delete(id);
    if (aggregates?.size === 0) this.#owners.delete(owner);
  }

  /** Returns the recorded result of the idempotency key if there is one, and runs `write` otherwise. */
  #replayOr<E>(
    owner: Owner,
    idempotency: Idempotency | undefined,
    write: () => Result<WriteResult<A, Event>, E>,
  ): Result<WriteResult<A, Event>, E | Erased | KeyReused> {
    const recorded = this.#keys.findRecord(owner, idempotency);
    if (recorded.isErr()) return err(recorded.error);
    const result = recorded.value === null ? undefined : this.#results.get(recorded.value);
    if (!result) return write();
    if (result.aggregate === null) {
      // Without erasure, a record without an aggregate belongs to a deletion, whose fingerprint no other write has.
      if (!this.#kind.erasedError) throw new Error('a deletion was recorded under the fingerprint of another write');
      return err(this.#kind.erasedError(result.id));
    }
    return ok({ aggregate: copy(result.aggregate), event: null, replayed: true });
  }

  #recordResult(owner: Owner, idempotency: Idempotency | undefined, id: string, aggregate: A | null): void {
    if (idempotency) this.#results.set(this.#keys.claim(owner, idempotency), { id, aggregate: copy(aggregate) });
  }

  /** Erases an aggregate from the recorded results; their keys stay used. */
  #eraseResults(id: string): void {
    for (const record of this.#keys.records()) {
      if (this.#results.get(record)?.id === id) this.#results.set(record, { id, aggregate: null });
    }
  }

  /** Records a decision without an event, which stores only the idempotency key. */
  #recordUnchanged(owner: Owner, stored: A, idempotency: Idempotency | undefined): WriteResult<A, Event> {
    this.#recordResult(owner, idempotency, stored.id, stored);
    return { aggregate: copy(stored), event: null, replayed: false };
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
    const aggregates = this.#owners.get(owner) ?? new Map<string, A>();
    this.#owners.set(owner, aggregates.set(aggregate.id, aggregate));
    this.#kind.record(copy(event));
    this.#recordResult(owner, idempotency, aggregate.id, aggregate);
    return ok({ aggregate: copy(aggregate), event, replayed: false });
  }
}

function compareText(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}
