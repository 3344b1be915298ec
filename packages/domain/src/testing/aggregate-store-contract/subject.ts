import type { ResultAsync } from 'neverthrow';
import type { AggregateStore, Conflict, Found, Loaded, Recorded, Write } from '../../aggregates/aggregate-store.ts';
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

/** Writes that a rule about several aggregates does not allow, as it is at present. */
interface Refusal<A, Refused> {
  readonly created: A;
  /** Default: no rule concerns changes. */
  readonly changed?: ((before: A) => A) | undefined;
  readonly reason: Refused;
}

/** The aggregates of one kind and owner, in a store under test. */
interface KindSubject<A, E, Refused> {
  readonly store: AggregateStore<A, E, Refused>;
  readonly list: (query: PageQueryInput) => ResultAsync<Page<A, Timestamp>, Unavailable>;
  /** Returns all versions of an aggregate. Default: none can be read. */
  readonly versions?: ((id: string) => ResultAsync<object, object>) | undefined;
  /** Stores what a rule compares with, and returns writes that it refuses. */
  readonly refusal: () => Promise<Refusal<A, Refused>>;
  /** Stores an aggregate of another kind with a key, and returns its id. */
  readonly storeOther: (key: Idempotency) => Promise<string>;
}

/** Aggregates of one kind, as the contract of their store makes and changes them. */
export interface AggregateFixtures<A extends Aggregate, E extends DomainEvent<string>, Refused> {
  /** The name of the kind in the titles of tests, in the plural. */
  readonly kind: string;
  readonly of: (bench: StoreBench) => KindSubject<A, E, Refused>;
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
type WriteOf<A, E, Kind> = Extract<Write<A, E>, { readonly kind: Kind }>;
type Committed<A, Refused> = ResultAsync<null, Conflict<A, Refused> | Unavailable>;

/** A store under test, and the writes of one owner. */
export interface Bench<A extends Aggregate, E, Refused> extends KindSubject<A, E, Refused> {
  readonly owner: Owner;
  /** Returns the bench of another owner, by default one who has nothing. */
  readonly ofAnother: (owner?: Owner) => Bench<A, E, Refused>;
  /** Returns an aggregate as another server has it, `null` without one. */
  readonly findElsewhere: (id: string) => Promise<A | null>;
  readonly creation: (after: A, key?: Idempotency) => WriteOf<A, E, 'create'>;
  readonly change: (before: Loaded<A>, text: string, key?: Idempotency) => WriteOf<A, E, 'change'>;
  readonly deletion: (before: Loaded<A>, key?: Idempotency) => WriteOf<A, E, 'delete'>;
  readonly commit: (write: Write<A, E>) => Committed<A, Refused>;
  /** Commits the write that `decide` returns about the locked aggregate, and returns it. */
  readonly locked: <W extends Write<A, E>>(
    id: string,
    decide: (before: Loaded<A>) => W,
  ) => ResultAsync<W, Conflict<A, Refused> | Unavailable>;
  /** Looks the key up before the commit if the store wants that, as it may for an expired one. */
  readonly commitAsPlanned: (write: Write<A, E>) => Committed<A, Refused>;
  /** Commits a change of the current version, and returns the next one. */
  readonly advance: (id: string, text: string, key?: Idempotency) => Promise<A>;
  /** Stores a new aggregate, and returns it as it is loaded. */
  readonly stored: (after?: A, key?: Idempotency) => Promise<Loaded<A>>;
  readonly load: (id: string) => Promise<Loaded<A>>;
  /** Returns the aggregate, or `null` without one. */
  readonly find: (id: string) => Promise<A | null>;
  readonly recorded: (key: Idempotency) => Promise<Recorded<A> | null>;
  /** Returns all recorded events, by their ids. */
  readonly events: () => Promise<RecordedEvents>;
  /** Fails the test unless the recorded events are those of `before`, and those that `writes` must publish. */
  readonly expectEvents: (before: RecordedEvents, ...writes: readonly Write<A, E>[]) => Promise<void>;
  /** Fails the test if `attempt` changes an aggregate with one of these ids or its versions, or records an event. */
  readonly storesNothing: (ids: readonly string[], attempt: () => Promise<void>) => Promise<void>;
}

/** Returns the bench of a new owner. */
export function benchOf<A extends Aggregate, E extends DomainEvent<string>, Refused>(
  fixtures: AggregateFixtures<A, E, Refused>,
  bench: StoreBench,
): Bench<A, E, Refused> {
  const { of, anAggregate, next, eventOf, deletionOf, isPublished } = fixtures;
  const { owner } = bench;
  const kind = of(bench);
  const { store, versions } = kind;
  const creation = (after: A, key?: Idempotency) =>
    ({ kind: 'create', after, event: eventOf(owner, after), key }) as const;
  const change = (before: Loaded<A>, text: string, key?: Idempotency) => {
    const after = next(before.aggregate, text);
    return { kind: 'change', before, after, event: eventOf(owner, after), key } as const;
  };
  const deletion = (before: Loaded<A>, key?: Idempotency) =>
    ({ kind: 'delete', before, event: deletionOf(owner, before.aggregate), key }) as const;
  const commit = (write: Write<A, E>) => store.commit(owner, write);
  const load = (id: string) => loaded(store, owner, id);
  const find = async (id: string) => (await succeeds(store.load(owner, id)))?.aggregate ?? null;
  const events = async () => byId(await bench.events());
  return {
    ...kind,
    owner,
    ofAnother: (other) => benchOf(fixtures, bench.ofAnother(other)),
    findElsewhere: async (id) => {
      const another = of(await bench.onAnotherServer());
      return (await succeeds(another.store.load(owner, id)))?.aggregate ?? null;
    },
    creation,
    change,
    deletion,
    commit,
    locked: (id, decide) =>
      store.commitLocked(owner, id, undefined, (found) => {
        const write = decide(given(found));
        return { write, result: write };
      }),
    commitAsPlanned: (write) =>
      write.key && store.plan(write.key).lookUpFirst
        ? store.findRecorded(owner, write.key).andThen(() => commit(write))
        : commit(write),
    load,
    find,
    events,
    advance: async (id, text, key) => {
      const write = change(await load(id), text, key);
      await succeeds(commit(write));
      return write.after;
    },
    stored: async (after = anAggregate(), key) => {
      await succeeds(commit(creation(after, key)));
      return await load(after.id);
    },
    recorded: (key) => succeeds(store.findRecorded(owner, key)),
    expectEvents: async (before, ...writes) => {
      const published = writes.flatMap((write) =>
        write.kind === 'key_only' || !isPublished(write.event) ? [] : [write.event],
      );
      assert.deepEqual(await events(), { ...before, ...byId(published) }, EVERY_EVENT);
    },
    storesNothing: async (ids, attempt) => {
      const stateOf = async (id: string) => [await find(id), await versions?.(id)];
      const state = async () => [await events(), await Promise.all(ids.map(stateOf))];
      const before = await state();
      await attempt();
      assert.deepEqual(await state(), before);
    },
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
