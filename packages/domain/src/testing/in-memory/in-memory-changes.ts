import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Owner } from '../../shared/ids.ts';

/** The record of one change of an aggregate: its event, and the aggregate after it. */
export interface Change<A, Event> {
  readonly event: Event;
  /** `null` for a deletion, and after an erasure. */
  readonly snapshot: A | null;
  /** The reason of the change; erased with the snapshot. */
  readonly reason: string | null;
}

/**
 * The change records of the aggregates of one kind, one for each version. They are all that is stored of an aggregate:
 * its current value is the snapshot of the newest record.
 */
export class InMemoryChanges<A, Event extends DomainEvent<string>> {
  readonly #histories = new Map<Owner, Map<string, Change<A, Event>[]>>();

  /** Takes the records of another one, which may go on alone: records never change. */
  copyFrom(other: InMemoryChanges<A, Event>): void {
    this.#histories.clear();
    for (const [owner, changes] of other.#histories)
      this.#histories.set(owner, new Map([...changes].map(([id, records]) => [id, [...records]])));
  }

  /** Returns the changes of an aggregate, oldest first; none for an unknown id. */
  of(owner: Owner, id: string): readonly Change<A, Event>[] {
    return this.#histories.get(owner)?.get(id) ?? [];
  }

  /** Returns the record of a version, if it exists. */
  at(owner: Owner, id: string, version: number): Change<A, Event> | undefined {
    for (const change of this.of(owner, id)) if (change.event.version === version) return change;
    return undefined;
  }

  /** Returns every owner that ever had an aggregate. */
  owners(): readonly Owner[] {
    return [...this.#histories.keys()];
  }

  /** Returns the current aggregates of an owner. */
  current(owner: Owner): readonly A[] {
    const histories = this.#histories.get(owner);
    if (!histories) return [];
    const newest = [...histories.values()].flatMap((changes) => changes.slice(-1));
    return newest.flatMap(({ snapshot }) => snapshot ?? []);
  }

  /**
   * Appends the record of the next version of an aggregate.
   *
   * @throws {Error} if the event has another version than the next one
   */
  append(owner: Owner, id: string, change: Change<A, Event>): void {
    const histories = this.#historiesOf(owner);
    const changes = histories.get(id) ?? [];
    const { version } = change.event;
    const last = changes.at(-1)?.event.version ?? version - 1;
    if (version !== last + 1) throw new Error(`the event has version ${version}, but version ${last + 1} is next`);
    changes.push(change);
    histories.set(id, changes);
  }

  /** Erases every snapshot of an aggregate, as `toErased` does, and the users; the rest of its events stays. */
  erase(owner: Owner, id: string, toErased: (snapshot: A) => A | null): void {
    this.#replace(owner, id, ({ event, snapshot }) => ({
      event: { ...event, external_user_id: null },
      snapshot: snapshot && toErased(snapshot),
      reason: null,
    }));
  }

  /** Removes every snapshot of an aggregate; its events stay. */
  removeSnapshots(owner: Owner, id: string): void {
    this.#replace(owner, id, ({ event }) => ({ event, snapshot: null, reason: null }));
  }

  /** Replaces the newest snapshot of an aggregate, without a version. */
  replaceCurrent(owner: Owner, id: string, current: A): void {
    const last = this.of(owner, id).at(-1);
    this.#replace(owner, id, (change) => (change === last ? { ...change, snapshot: current } : change));
  }

  /** Returns the ids of all aggregates of an owner, sorted. */
  ids(owner: Owner): readonly string[] {
    return [...this.#historiesOf(owner).keys()].toSorted();
  }

  #replace(owner: Owner, id: string, by: (change: Change<A, Event>) => Change<A, Event>): void {
    const changes = this.of(owner, id);
    if (changes.length > 0) this.#historiesOf(owner).set(id, changes.map(by));
  }

  #historiesOf(owner: Owner): Map<string, Change<A, Event>[]> {
    const histories = this.#histories.get(owner) ?? new Map<string, Change<A, Event>[]>();
    this.#histories.set(owner, histories);
    return histories;
  }
}
