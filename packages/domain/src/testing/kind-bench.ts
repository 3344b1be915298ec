import { ok } from 'neverthrow';
import type { AggregateStore, Recorded } from '../aggregates/aggregate-store.ts';
import {
  changeAggregate,
  createAggregate,
  type Decision,
  deleteAggregate,
  type Written,
} from '../aggregates/write-aggregate.ts';
import type { Timestamp } from '../shared/clock.ts';
import type { DomainEvent } from '../shared/domain-event.ts';
import type { Idempotency } from '../shared/idempotency.ts';
import type { Owner } from '../shared/ids.ts';
import * as assert from './assertions.ts';
import { loaded, succeeds } from './contract-subject.ts';

/** The time of changes, after that of what the builders make. */
export const LATER = '2026-01-02T03:05:00.000Z';

/** The members of a write that a test decides. */
export interface WriteMembers<E> extends Pick<Decision<unknown, E>, 'reason' | 'erases'> {
  /** Default: {@link LATER}. */
  readonly at?: Timestamp | undefined;
  readonly event?: Partial<E> | undefined;
  readonly key?: Idempotency | undefined;
}

/** How the aggregates of a kind are made. */
interface Builders<A, E extends DomainEvent<string>> {
  readonly build: () => A;
  readonly eventOf: (owner: Owner, aggregate: A, event?: Partial<E>) => E;
  /** Type of the event of a deletion. */
  readonly deleted: E['type'];
}

/** The aggregates of one kind and owner in a store under test, which are written with the steps of the domain. */
export class KindBench<
  A extends { readonly version: number },
  E extends DomainEvent<string>,
  Refused,
  Store extends AggregateStore<A, E, Refused>,
> {
  readonly store: Store;
  readonly owner: Owner;
  readonly #builders: Builders<A, E>;

  constructor(store: Store, owner: Owner, builders: Builders<A, E>) {
    this.store = store;
    this.owner = owner;
    this.#builders = builders;
  }

  /** Returns an event of an aggregate with default values, which `event` overrides. */
  eventOf(aggregate: A, event?: Partial<E>): E {
    return this.#builders.eventOf(this.owner, aggregate, event);
  }

  deletionOf(aggregate: A, event: Partial<E> = {}): E {
    return this.eventOf(aggregate, { type: this.#builders.deleted, ...event });
  }

  async get(id: string): Promise<A> {
    return (await loaded(this.store, this.owner, id)).aggregate;
  }

  /** Returns what the store has recorded of a write with `key`. */
  async recorded(key: Idempotency): Promise<Recorded<A> | null> {
    return await succeeds(this.store.findRecorded(this.owner, key));
  }

  tryStore(after: A = this.#builders.build(), { event, key }: WriteMembers<E> = {}) {
    return createAggregate(this.#with(key), () => ({ after, event: this.eventOf(after, event) }));
  }

  async stored(after?: A, key?: Idempotency): Promise<A> {
    return (await succeeds(this.tryStore(after, { key }))).aggregate;
  }

  /** Attempts to change an aggregate as `decide` says. */
  tryChange(id: string, decide: (before: A) => Decision<A, E>, key?: Idempotency) {
    return changeAggregate(this.#with(key), id, (before: A) => ok(decide(before)));
  }

  trySet(id: string, fields: Partial<A>, { at = LATER, event, key, reason, erases }: WriteMembers<E> = {}) {
    const decide = (before: A): Decision<A, E> => {
      const after = { ...before, ...fields, version: before.version + 1, updated_at: at };
      return { after, event: this.eventOf(after, event), reason, erases };
    };
    return this.tryChange(id, decide, key);
  }

  /** Sets members of an aggregate as they are, and returns what was written. */
  async set(id: string, fields: Partial<A>, members?: WriteMembers<E>): Promise<Written<A, E>> {
    return await succeeds(this.trySet(id, fields, members));
  }

  tryRemove(id: string, event?: Partial<E>) {
    return deleteAggregate(this.#with(undefined), id, (before: A) => ok(this.deletionOf(before, event)));
  }

  async remove(id: string, event?: Partial<E>): Promise<E> {
    return (await succeeds(this.tryRemove(id, event))).event ?? assert.fail('the deletion recorded no event');
  }

  #with(key: Idempotency | undefined) {
    const { store, owner } = this;
    return { store, owner, key, missing: 'not_found' } as const;
  }
}
