import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type {
  AggregateStore,
  Conflict,
  CreateOf,
  Decided,
  Found,
  Loaded,
  Recorded,
  Write,
  WritePlan,
} from '../../aggregates/aggregate-store.ts';
import { type ConflictChecks, inConflictOrder } from '../../aggregates/conflict-order.ts';
import type { Timestamp } from '../../shared/clock.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import {
  type FilterValues,
  type ListFilter,
  type ListFilters,
  matchesFilter,
  SCANNED_ELEMENTS_MAX,
  scanningFilters,
} from '../../shared/list-filters.ts';
import type { Page, Position } from '../../shared/page.ts';
import type { PageQuery } from '../../shared/page-query.ts';
import type { Gate } from './gate.ts';
import { type Change, InMemoryChanges } from './in-memory-changes.ts';
import type { InMemoryKeys } from './in-memory-keys.ts';
import { copy } from './copy.ts';

/** The members of every aggregate. */
interface Aggregate {
  /** UUID in lower case. */
  readonly id: string;
  readonly version: number;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** The rules of one kind of aggregate, such as orders. */
export interface KindRules<A, Event, Refused> {
  readonly name: string;
  /** Returns the checks of the rules about several aggregates, each with the reason for which it does not allow a write. */
  readonly rulesOf: (owner: Owner, write: StoredWrite<A, Event>) => ConflictChecks<Refused | null>;
  /** Whether the deletion erases all versions of an aggregate. */
  readonly erases: boolean;
  /** Returns what an erasing change leaves of an earlier version. */
  readonly toErased: (snapshot: A) => A | null;
  /** Appends an event to those of all aggregates. */
  readonly publish: (event: Event) => void;
}

/** What the aggregates of all kinds of a store share. */
export interface StoreParts {
  readonly gate: Gate;
  readonly keys: InMemoryKeys;
}

/** The reason of a create whose id is known. */
const ID_TAKEN = Symbol('id_taken');

/** A write of an aggregate, and not of a key alone. */
type StoredWrite<A, Event> = Exclude<Write<A, Event>, { readonly kind: 'key_only' }>;

/** Returns a stateful predicate that accepts elements until a page is full. */
export type CreatePageLimit<Element> = () => (element: Element) => boolean;

/**
 * The aggregates of one kind, in memory. Each method is one transaction, as it runs synchronously. Arguments and return
 * values are copied.
 */
export class InMemoryAggregates<
  A extends Aggregate,
  Event extends DomainEvent<string>,
  Refused,
> implements AggregateStore<A, Event, Refused> {
  protected readonly gate: Gate;
  protected readonly changes = new InMemoryChanges<A, Event>();
  readonly #keys: InMemoryKeys;
  readonly #kind: KindRules<A, Event, Refused>;

  constructor({ gate, keys }: StoreParts, kind: KindRules<A, Event, Refused>) {
    this.gate = gate;
    this.#keys = keys;
    this.#kind = kind;
  }

  /** Takes what other aggregates of the kind have, in place of its own. */
  copyFrom(other: InMemoryAggregates<A, Event, Refused>): void {
    this.changes.copyFrom(other.changes);
  }

  // The methods of the port are properties, so that a copy of the store has them too: `{ ...store, load }`.
  readonly load = (owner: Owner, id: string): ResultAsync<Loaded<A> | null, never> =>
    this.gate.read(() => ok(this.#load(owner, id)));

  readonly findRecorded = (owner: Owner, key: Idempotency): ResultAsync<Recorded<A> | null, never> =>
    this.gate.read(() => ok(this.#findRecorded(owner, key)));

  readonly plan = (): WritePlan => ({ lookUpFirst: true, lockFirst: false });

  readonly commit = (owner: Owner, write: Write<A, Event>): ResultAsync<null, Conflict<A, Refused>> =>
    this.gate.write(() => this.#commit(owner, write));

  readonly commitAll = (
    owner: Owner,
    creates: readonly CreateOf<A, Event>[],
    isWhole: boolean,
  ): ResultAsync<readonly (Result<null, Conflict<A, Refused>> | null)[], never> =>
    this.gate.write(() => ok(creates.map((write) => (isWhole ? null : this.#commit(owner, write)))));

  readonly commitLocked = <R>(
    owner: Owner,
    id: string,
    lookUp: Idempotency | undefined,
    decide: (found: Found<A>) => Decided<A, Event, R>,
  ): ResultAsync<R, Conflict<A, Refused>> =>
    this.gate.write(() => {
      const recorded = lookUp ? this.#findRecorded(owner, lookUp) : null;
      const { write, result } = decide({ loaded: recorded ? null : this.#load(owner, id), recorded });
      return (write ? this.#commit(owner, write) : ok(null)).map(() => result);
    });

  /** Returns every owner that ever had an aggregate. */
  owners(): readonly Owner[] {
    return this.changes.owners();
  }

  all(owner: Owner): readonly A[] {
    return this.changes.current(owner);
  }

  has(owner: Owner, id: string): boolean {
    return this.find(owner, id) !== null;
  }

  /** Returns the current aggregate, or `null`. The caller must not change it. */
  find(owner: Owner, id: string): A | null {
    return this.changes.of(owner, id).at(-1)?.snapshot ?? null;
  }

  /**
   * Returns one page of the aggregates that match all `filters`. It ends before the first aggregate that `createLimit` rejects, but
   * has at least one.
   */
  page<Filters extends ListFilters>(
    owner: Owner,
    query: PageQuery & FilterValues<Filters>,
    filters: Filters,
    createLimit: CreatePageLimit<A>,
    memberOf: (aggregate: A, name: string) => unknown = (aggregate, name) => Reflect.get(aggregate, name),
  ): Page<A, Timestamp> {
    const scanning = scanningFilters(filters, query);
    const matches = (aggregate: A, isScanning: boolean) => {
      for (const name in filters) {
        const filter: ListFilter | undefined = filters[name];
        if (!filter || query[name] === null || scanning.includes(name) !== isScanning) continue;
        if (!matchesFilter(filter, memberOf(aggregate, filter.of), query[name])) return false;
      }
      return true;
    };
    const direction = query.sort.startsWith('-') ? -1 : 1;
    const member = query.sort.replace('-', '');
    const compareValues = member === 'reference' ? compareCodePoints : compareText;
    const positionOf = (aggregate: A) => ({ value: String(Reflect.get(aggregate, member)), id: aggregate.id });
    const compare = (left: Position<string>, right: Position<string>) =>
      direction * (compareValues(left.value, right.value) || compareText(left.id, right.id));
    const { after } = query;
    const remaining = this.all(owner)
      .filter((aggregate) => matches(aggregate, false))
      .toSorted((left, right) => compare(positionOf(left), positionOf(right)))
      .filter((aggregate) => after === null || compare(positionOf(aggregate), after) > 0)
      .slice(query.offset);
    if (scanning.length === 0) return firstPage(remaining, query.limit, createLimit, positionOf);
    const scanned = remaining.slice(0, SCANNED_ELEMENTS_MAX);
    const found = scanned.filter((aggregate) => matches(aggregate, true));
    const page = firstPage(found, query.limit, createLimit, positionOf);
    const last = scanned.length < remaining.length ? scanned.at(-1) : undefined;
    return { ...page, next: page.next ?? (last ? positionOf(last) : null) };
  }

  /** Returns the changes of an aggregate, newest first, also after its deletion. */
  versions(owner: Owner, id: string): readonly Change<A, Event>[] {
    return copy(this.changes.of(owner, id).toReversed());
  }

  /** Returns the record of a version, if it exists. The caller must not change it. */
  recordOf(owner: Owner, id: string, version: number): Change<A, Event> | undefined {
    return this.changes.at(owner, id, version);
  }

  #load(owner: Owner, id: string): Loaded<A> | null {
    const found = this.find(owner, id);
    return found ? { aggregate: copy(found) } : null;
  }

  #findRecorded(owner: Owner, key: Idempotency): Recorded<A> | null {
    const record = this.#keys.find(owner, key);
    if (!record) return null;
    const { aggregate: name, id, version, fingerprint } = record;
    const sameCommand = fingerprint === key.fingerprint && name === this.#kind.name;
    return { sameCommand, id, aggregate: copy(this.changes.at(owner, id, version)?.snapshot ?? null) };
  }

  #commit(owner: Owner, write: Write<A, Event>): Result<null, Conflict<A, Refused>> {
    const { key } = write;
    const recorded = key ? this.#findRecorded(owner, key) : null;
    if (recorded) return err({ type: 'key_used', recorded });
    const { id, version } = write.kind === 'create' ? write.after : write.before.aggregate;
    if (write.kind === 'key_only') {
      this.#keys.record(owner, write.key, { aggregate: this.#kind.name, id, version });
      return ok(null);
    }
    const changes = this.changes.of(owner, id);
    if (write.kind !== 'create' && changes.at(-1)?.snapshot?.version !== version) return err({ type: 'stale' });
    const reason = firstOf<Refused | typeof ID_TAKEN>({
      id_taken: () => (write.kind === 'create' && changes.length > 0 ? ID_TAKEN : null),
      ...this.#kind.rulesOf(owner, write),
    });
    if (reason === ID_TAKEN) return err({ type: 'id_taken' });
    if (reason !== null) return err({ type: 'refused', reason });
    const event = copy(write.event);
    const snapshot = write.kind === 'delete' ? null : copy(write.after);
    if (write.kind === 'change' && write.erases) this.changes.erase(owner, id, this.#kind.toErased);
    this.changes.append(owner, id, {
      event,
      snapshot,
      reason: write.kind === 'change' ? (write.reason ?? null) : null,
    });
    if (write.kind === 'delete' && this.#kind.erases) this.changes.removeSnapshots(owner, id);
    if (key) this.#keys.record(owner, key, { aggregate: this.#kind.name, id, version: event.version });
    this.#kind.publish(event);
    return ok(null);
  }
}

/** Returns what the first check finds that finds something. */
function firstOf<Found>(checks: ConflictChecks<Found | null>): Found | null {
  for (const check of inConflictOrder(checks)) {
    const found = check();
    if (found !== null) return found;
  }
  return null;
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

/** Compares texts by code units. */
export function compareText(left: string, right: string): number {
  return Number(left > right) - Number(left < right);
}

/** Compares texts by code points. JavaScript compares code units, in which those above U+FFFF come before U+E000. */
function compareCodePoints(left: string, right: string): number {
  const [one = '', other = ''] = [left, right].map((text) => text.replaceAll(/[\uE000-\uFFFF]/gu, '\uD7FF$&'));
  return compareText(one, other);
}
