import type { ResultAsync } from 'neverthrow';
import type { AggregateStore, Found, Loaded, Write } from '../../aggregates/aggregate-store.ts';
import type { ConflictRule } from '../../aggregates/conflict-order.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import type { Idempotency } from '../../shared/idempotency.ts';
import type { Owner } from '../../shared/ids.ts';
import type { Timestamp } from '../../shared/clock.ts';
import type { PageQueryInput } from '../../shared/page-query.ts';
import type { Page } from '../../shared/page.ts';
import type { Unavailable } from '../../shared/unavailable.ts';
import * as assert from '../assertions.ts';
import { EVERY_EVENT, loaded, succeeds } from '../contract-subject.ts';
import type { StoreBench } from '../store-bench.ts';

/** An aggregate of any kind. */
export interface Aggregate {
  readonly id: string;
  readonly version: number;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
}

/** What makes a write violate a rule about several aggregates: members of the aggregate, if it has one. */
interface Violation<A, Refused> {
  readonly members?: Partial<A>;
  readonly reason: Refused;
}

/** The aggregates of one kind and owner, in a store under test. */
interface KindSubject<A, E, Refused> {
  readonly store: AggregateStore<A, E, Refused>;
  readonly list: (query: PageQueryInput) => ResultAsync<Page<A, Timestamp>, Unavailable>;
  /** Returns all versions of an aggregate. Default: none can be read. */
  readonly versions?: ((id: string) => ResultAsync<object, object>) | undefined;
  /** Makes a write of the aggregate with an id violate a rule, also after it violates one before that. */
  readonly violations: { readonly [Rule in ConflictRule]?: (id: string) => Promise<Violation<A, Refused>> };
  /** Stores an aggregate of another kind with a key, and returns its id. */
  readonly storeOther: (key: Idempotency) => Promise<string>;
}

/** Aggregates of one kind, as the contract of their store makes and changes them. */
export interface AggregateFixtures<A extends Aggregate, E extends DomainEvent<string>, Refused> {
  /** The name of the kind in the titles of tests, in the plural. */
  readonly kind: string;
  readonly of: (bench: StoreBench) => KindSubject<A, E, Refused>;
  /** The rules about several aggregates that a write may violate. */
  readonly rules: Readonly<Record<'create' | 'change' | 'delete', readonly ConflictRule[]>>;
  /** Returns a new aggregate with unusual values, and with a member that {@link AggregateFixtures.spoil} changes. */
  readonly anAggregate: (members?: Partial<Omit<Aggregate, 'version'>>) => A;
  /** Returns a new aggregate, with a name that no other one of its owner may have if its kind has such names. */
  readonly named: (name: string) => A;
  /** Returns the refusal of the name of another aggregate. Default: its kind has no such names. */
  readonly taken?: ((holder: A) => Refused) | undefined;
  /** Returns the next version of an aggregate, which has `text` in a member, and other values in the others. */
  readonly next: (before: A, text: string) => A;
  /** Returns the event of a new or changed aggregate. That of a change is published. */
  readonly eventOf: (owner: Owner, after: A) => E;
  readonly deletionOf: (owner: Owner, before: A) => E;
  readonly isPublished: (event: E) => boolean;
  /** Whether the deletion erases all versions. */
  readonly erases: boolean;
  /** Changes a nested member of an aggregate, as a careless caller would. */
  readonly spoil: (aggregate: A) => void;
}

type RecordedEvents = Readonly<Record<string, DomainEvent<string>>>;

/** A store under test, and the writes of one owner. The members are functions of their own, for tests that take some of them. */
export class Bench<A extends Aggregate, E extends DomainEvent<string>, Refused> {
  readonly #fixtures: AggregateFixtures<A, E, Refused>;
  readonly #opened: StoreBench;
  readonly owner: Owner;
  readonly kind: KindSubject<A, E, Refused>;
  readonly store: AggregateStore<A, E, Refused>;

  constructor(fixtures: AggregateFixtures<A, E, Refused>, opened: StoreBench) {
    this.#fixtures = fixtures;
    this.#opened = opened;
    this.owner = opened.owner;
    this.kind = fixtures.of(opened);
    this.store = this.kind.store;
  }

  /** Returns the bench of another owner, by default one who has nothing. */
  readonly ofAnother = (owner?: Owner) => new Bench(this.#fixtures, this.#opened.ofAnother(owner));

  /** Returns an aggregate as another server has it, `null` without one. */
  readonly findElsewhere = async (id: string) =>
    await new Bench(this.#fixtures, await this.#opened.onAnotherServer()).find(id);

  readonly creation = (after: A, key?: Idempotency) =>
    ({ kind: 'create', after, event: this.#fixtures.eventOf(this.owner, after), key }) as const;

  readonly change = (before: Loaded<A>, text: string, key?: Idempotency) => {
    const after = this.#fixtures.next(before.aggregate, text);
    return { kind: 'change', before, after, event: this.#fixtures.eventOf(this.owner, after), key } as const;
  };

  readonly deletion = (before: Loaded<A>, key?: Idempotency) =>
    ({ kind: 'delete', before, event: this.#fixtures.deletionOf(this.owner, before.aggregate), key }) as const;

  readonly commit = (write: Write<A, E>) => this.store.commit(this.owner, write);

  /** Commits the write that `decide` returns about the locked aggregate, and returns it. */
  readonly locked = <W extends Write<A, E>>(id: string, decide: (before: Loaded<A>) => W) =>
    this.store.commitLocked(this.owner, id, undefined, (found) => {
      const write = decide(given(found));
      return { write, result: write };
    });

  /** Looks the key up before the commit if the store wants that, as it may for an expired one. */
  readonly commitAsPlanned = (write: Write<A, E>) =>
    write.key && this.store.plan(write.key).lookUpFirst
      ? this.store.findRecorded(this.owner, write.key).andThen(() => this.commit(write))
      : this.commit(write);

  /** Commits a change of the current version, and returns the next one. */
  readonly advance = async (id: string, text: string, key?: Idempotency) => {
    const write = this.change(await this.load(id), text, key);
    await succeeds(this.commit(write));
    return write.after;
  };

  /** Stores a new aggregate, and returns it as it is loaded. */
  readonly stored = async (after = this.#fixtures.anAggregate(), key?: Idempotency) => {
    await succeeds(this.commit(this.creation(after, key)));
    return await this.load(after.id);
  };

  readonly load = (id: string) => loaded(this.store, this.owner, id);

  /** Returns the aggregate, or `null` without one. */
  readonly find = async (id: string) => (await succeeds(this.store.load(this.owner, id)))?.aggregate ?? null;

  readonly recorded = (key: Idempotency) => succeeds(this.store.findRecorded(this.owner, key));

  /** Returns all recorded events, by their ids. */
  readonly events = async () => byId(await this.#opened.events());

  /** Fails the test unless the recorded events are those of `before`, and those that `writes` must publish. */
  readonly expectEvents = async (before: RecordedEvents, ...writes: readonly Write<A, E>[]) => {
    const published = writes.flatMap((write) =>
      write.kind === 'key_only' || !this.#fixtures.isPublished(write.event) ? [] : [write.event],
    );
    assert.deepEqual(await this.events(), { ...before, ...byId(published) }, EVERY_EVENT);
  };

  /** Fails the test if `attempt` changes an aggregate with one of these ids or its versions, or records an event. */
  readonly storesNothing = async (ids: readonly string[], attempt: () => Promise<void>) => {
    const stateOf = async (id: string) => [await this.find(id), await this.kind.versions?.(id)];
    const state = async () => [await this.events(), await Promise.all(ids.map(stateOf))];
    const before = await state();
    await attempt();
    assert.deepEqual(await state(), before);
  };
}

/** Returns what `decide` got; fails the test if it got no aggregate. */
export function given<A>({ loaded: aggregate }: Found<A>): Loaded<A> {
  return aggregate ?? assert.fail('the store has loaded no aggregate for a decision');
}

function byId(events: readonly DomainEvent<string>[]): RecordedEvents {
  return Object.fromEntries(events.map((event) => [event.id, event]));
}

/** Returns the JSON text of each member, as the members of a loaded aggregate may have another order. */
export function textsOf(aggregate: object | null): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(aggregate ?? {}).map(([name, member]) => [name, JSON.stringify(member)]));
}
