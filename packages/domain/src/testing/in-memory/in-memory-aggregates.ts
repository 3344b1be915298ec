import { err, ok, type Result } from 'neverthrow';
import type { Timestamp } from '../../shared/clock.ts';
import type { Owner } from '../../shared/ids.ts';
import type { KeyReused, Idempotency } from '../../shared/idempotency.ts';
import type { Page } from '../../shared/page.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import type { InMemoryKeys } from './in-memory-keys.ts';
import { assertStorable, copy } from './stored-values.ts';

/** What every aggregate has. */
interface Aggregate {
  /** A UUID in lower case. */
  readonly id: string;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** What a write did; see the ports. */
export interface Done<A, Event> {
  readonly aggregate: A;
  readonly event: Event | null;
  readonly replayed: boolean;
}

/** What one kind of aggregate has of its own. */
export interface Kind<A, Event, NotFound, Refused, DeletionRefused, Forgotten> {
  readonly notFound: (id: string) => NotFound;
  /** The aggregate with its ids in lower case. */
  readonly withLowerIds: (aggregate: A) => A;
  /** The members that no update changes. */
  readonly fixed: (aggregate: A) => Partial<A>;
  /** What other rows say against keeping `aggregate`. */
  readonly refuse: (owner: Owner, aggregate: A) => Refused | null;
  /** What other rows say against deleting `aggregate`. */
  readonly refuseDeletion: (owner: Owner, aggregate: A) => DeletionRefused | null;
  /** Answers a repeat whose aggregate was deleted and forgotten; `null` where keys remember what was deleted. */
  readonly forgotten: ((id: string) => Forgotten) | null;
  readonly record: (event: Event) => void;
}

/**
 * One kind of aggregate in memory. Every method runs to its end before another begins, which is what makes each of them
 * one transaction. What comes in and goes out is copied.
 */
export class InMemoryAggregates<A extends Aggregate, Event, NotFound, Refused, DeletionRefused, Forgotten> {
  readonly #owners = new Map<Owner, Map<string, A>>();
  /** What writes left, by the record of their key and as long as that: a copy, `null` for what was deleted or erased. */
  readonly #results = new WeakMap<Idempotency, { readonly id: string; readonly aggregate: A | null }>();
  readonly #keys: InMemoryKeys;
  readonly #kind: Kind<A, Event, NotFound, Refused, DeletionRefused, Forgotten>;

  constructor(keys: InMemoryKeys, kind: Kind<A, Event, NotFound, Refused, DeletionRefused, Forgotten>) {
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
  ): Result<Done<A, Event>, Forgotten | Refused | KeyReused> {
    return this.#unlessRecorded(owner, idempotency, () => {
      if (this.#stored(owner, aggregate.id)) throw new Error(`the id ${aggregate.id} exists: ids must be unique`);
      return this.#keep(owner, aggregate, event, idempotency);
    });
  }

  update<E>(
    owner: Owner,
    id: string,
    change: (aggregate: A) => Result<{ readonly aggregate: A; readonly event: Event | null }, E>,
    idempotency?: Idempotency,
  ): Result<Done<A, Event>, E | NotFound | Forgotten | Refused | KeyReused> {
    return this.#unlessRecorded(owner, idempotency, () =>
      this.find(owner, id)
        .andThen(change)
        .andThen(({ aggregate, event }) => {
          const stored = this.#stored(owner, id) ?? aggregate;
          return event === null
            ? ok(this.#unchanged(owner, stored, idempotency))
            : this.#keep(owner, { ...aggregate, ...this.#kind.fixed(stored) }, event, idempotency);
        }),
    );
  }

  delete<E>(
    owner: Owner,
    id: string,
    judge: (aggregate: A) => Result<Event, E>,
    idempotency?: Idempotency,
  ): Result<{ event: Event | null; replayed: boolean }, E | NotFound | DeletionRefused | KeyReused> {
    const earlier = this.#keys.recall(owner, idempotency);
    if (earlier.isErr()) return err(earlier.error);
    if (earlier.value !== null) return ok({ event: null, replayed: true });
    return this.find(owner, id).andThen((aggregate) =>
      judge(aggregate).andThen((event) => {
        const refused = this.#kind.refuseDeletion(owner, aggregate);
        if (refused !== null) return err<{ event: Event; replayed: boolean }, DeletionRefused>(refused);
        assertStorable(event);
        this.#remove(owner, aggregate.id);
        this.#kind.record(copy(event));
        if (this.#kind.forgotten) this.#forget(aggregate.id);
        this.#leave(owner, idempotency, aggregate.id, null);
        return ok({ event, replayed: false });
      }),
    );
  }

  /** One page of what `matches`, of as many as it has room for, or one. */
  page(
    owner: Owner,
    query: PageQuery,
    matches: (aggregate: A) => boolean,
    room: () => (aggregate: A) => boolean,
  ): Page<A, Timestamp> {
    const direction = query.sort.startsWith('-') ? -1 : 1;
    const value = ({ created_at, updated_at }: A) => (query.sort.endsWith('created_at') ? created_at : updated_at);
    const compare = (left: readonly [string, string], right: readonly [string, string]) =>
      direction * (compareText(left[0], right[0]) || compareText(left[1], right[1]));
    const position = (aggregate: A) => [value(aggregate), aggregate.id] as const;
    const { after } = query;
    const rest = this.all(owner)
      .filter(matches)
      .toSorted((left, right) => compare(position(left), position(right)))
      .filter((aggregate) => after === null || compare(position(aggregate), [after.value, after.id.toLowerCase()]) > 0)
      .slice(query.offset);
    const fits = room();
    const end = rest.findIndex((aggregate, index) => index === query.limit || (!fits(aggregate) && index > 0));
    const data = copy(end < 0 ? rest : rest.slice(0, end));
    const last = data.at(-1);
    return { data, next: last && data.length < rest.length ? { value: value(last), id: last.id } : null };
  }

  #stored(owner: Owner, id: string): A | undefined {
    return this.#owners.get(owner)?.get(id.toLowerCase());
  }

  #remove(owner: Owner, id: string): void {
    const aggregates = this.#owners.get(owner);
    aggregates?.delete(id);
    if (aggregates?.size === 0) this.#owners.delete(owner);
  }

  /** Answers with what the key's record holds, if there is one, and acts otherwise. */
  #unlessRecorded<E>(
    owner: Owner,
    idempotency: Idempotency | undefined,
    act: () => Result<Done<A, Event>, E>,
  ): Result<Done<A, Event>, E | Forgotten | KeyReused> {
    const earlier = this.#keys.recall(owner, idempotency);
    if (earlier.isErr()) return err(earlier.error);
    const left = earlier.value === null ? undefined : this.#results.get(earlier.value);
    if (!left) return act();
    if (left.aggregate === null) {
      // Otherwise a record without an aggregate belongs to a deletion, whose fingerprint no other write has.
      if (!this.#kind.forgotten) throw new Error('a deletion was recorded under the fingerprint of another write');
      return err(this.#kind.forgotten(left.id));
    }
    return ok({ aggregate: copy(left.aggregate), event: null, replayed: true });
  }

  #leave(owner: Owner, idempotency: Idempotency | undefined, id: string, aggregate: A | null): void {
    if (idempotency) this.#results.set(this.#keys.take(owner, idempotency), { id, aggregate: copy(aggregate) });
  }

  /** Drops what is left of an aggregate under keys; the keys stay taken. */
  #forget(id: string): void {
    for (const record of this.#keys.records()) {
      if (this.#results.get(record)?.id === id) this.#results.set(record, { id, aggregate: null });
    }
  }

  /** Leaves a decision without an event: nothing is stored but the key. */
  #unchanged(owner: Owner, stored: A, idempotency: Idempotency | undefined): Done<A, Event> {
    this.#leave(owner, idempotency, stored.id, stored);
    return { aggregate: copy(stored), event: null, replayed: false };
  }

  #keep(owner: Owner, given: A, event: Event, idempotency: Idempotency | undefined): Result<Done<A, Event>, Refused> {
    const aggregate = copy(this.#kind.withLowerIds(given));
    assertStorable(aggregate);
    assertStorable(event);
    const refused = this.#kind.refuse(owner, aggregate);
    if (refused !== null) return err(refused);
    const aggregates = this.#owners.get(owner) ?? new Map<string, A>();
    this.#owners.set(owner, aggregates.set(aggregate.id, aggregate));
    this.#kind.record(copy(event));
    this.#leave(owner, idempotency, aggregate.id, aggregate);
    return ok({ aggregate: copy(aggregate), event, replayed: false });
  }
}

function compareText(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}
