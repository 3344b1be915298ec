import type { DomainEvent } from '@orders/domain';
import { err, errAsync, okAsync } from 'neverthrow';
import type { StoreFault } from './every-kind.ts';

const KINDS = ['create', 'change', 'delete', 'key_only'] as const;

const TESTS = {
  create: /stores a new aggregate, its event and its key/,
  change: /stores a change of what was loaded/,
  delete: /stores a deletion, its event and its key/,
  key_only: /stores a key alone/,
};

const EVERY_EVENT = /events\(\) of the subject must return every event of orders, customers and webhook endpoints/;

/** Faults of commits without a conflict. */
const LOSSES: readonly StoreFault[] = [
  ...KINDS.map((kind): StoreFault => [
    `does not store a ${kind}`,
    (store) => ({ commit: (owner, write) => (write.kind === kind ? okAsync(null) : store.commit(owner, write)) }),
    TESTS[kind],
  ]),
  ...(['create', 'change', 'delete'] as const).map((kind): StoreFault => [
    `loses the key of a ${kind}`,
    (store) => ({
      commit: (owner, write) => store.commit(owner, write.kind === kind ? { ...write, key: undefined } : write),
    }),
    TESTS[kind],
  ]),
  [
    'stores a change without its key, and reports its event alone',
    (store, events) => {
      const recorded: DomainEvent<string>[] = [];
      return {
        commit: (owner, write) => {
          if (write.kind !== 'change') return store.commit(owner, write);
          recorded.push(write.event);
          return okAsync(null);
        },
        events: async (owner) => [...(await events(owner)), ...recorded.filter((event) => event.owner === owner)],
      };
    },
    TESTS.change,
  ],
  ['loses its events', () => ({ events: () => Promise.resolve([]) }), TESTS.change, EVERY_EVENT],
  [
    'loses the actor of its events',
    (_, events) => ({ events: async (owner) => (await events(owner)).map((event) => ({ ...event, actor: null })) }),
    TESTS.change,
  ],
  [
    'loses the changed fields of its events',
    (_, events) => ({ events: async (owner) => (await events(owner)).map((event) => ({ ...event, changed: [] })) }),
    TESTS.change,
  ],
  [
    'records the event of the last write again with a key alone',
    (store, events) => {
      const recorded: DomainEvent<string>[] = [];
      return {
        commit: (owner, write) => {
          if (write.kind === 'key_only') recorded.push(eventOf(owner, recorded.length));
          return store.commit(owner, write);
        },
        events: async (owner) => [...(await events(owner)), ...recorded.filter((event) => event.owner === owner)],
      };
    },
    TESTS.key_only,
  ],
  [
    'lets no key be recorded alone at an earlier version',
    (store) => ({
      commit: (owner, write) =>
        store
          .load(owner, idOf(write))
          .andThen((current) =>
            write.kind === 'key_only' && current?.aggregate.version !== write.before.aggregate.version
              ? errAsync({ type: 'stale' as const })
              : store.commit(owner, write),
          ),
    }),
    TESTS.key_only,
  ],
  [
    'loads the first aggregate for an unknown id',
    (store) => {
      let first: string | undefined;
      return {
        commit: (owner, write) => {
          first ??= idOf(write);
          return store.commit(owner, write);
        },
        load: (owner, id) =>
          store.load(owner, id).andThen((found) => (found ? okAsync(found) : store.load(owner, first ?? id))),
      };
    },
    /returns null for an unknown id/,
  ],
  [
    'loads the first version of each aggregate',
    (store) => {
      const first = new Map<string, unknown>();
      return {
        load: (owner, id) =>
          store.load(owner, id).map((found) => {
            const isFirst = !first.has(`${owner} ${id}`);
            if (isFirst && found) first.set(`${owner} ${id}`, { ...found.aggregate });
            return found && { ...found, aggregate: Object.assign(found.aggregate, first.get(`${owner} ${id}`)) };
          }),
      };
    },
    TESTS.change,
  ],
  [
    'sorts the members of what it loads',
    (store) => ({
      load: (owner, id) =>
        store.load(owner, id).map((found) => {
          for (const member of Object.values(found?.aggregate ?? {})) sortMembers(member);
          return found;
        }),
    }),
    TESTS.create,
  ],
];

/** Faults of commits that conflict with others. */
const CONFLICTS: readonly StoreFault[] = [
  ...(
    [
      ['stale', /is stale for an earlier version/],
      ['stale', /stores one of many concurrent writes of a version/],
      ['id_taken', /the id of another or a deleted one/],
      ['refused', /stores nothing that a rule refuses/],
      ['key_used', /stores nothing when it is used/],
    ] as const
  ).flatMap(([type, test]): StoreFault[] => [
    [
      `reports a write as stored that is ${type}, as in: ${test.source}`,
      (store) => ({
        commit: (owner, write) =>
          store.commit(owner, write).orElse((error) => (error.type === type ? okAsync(null) : errAsync(error))),
      }),
      test,
    ],
    [
      `is unavailable for a write that is ${type}, as in: ${test.source}`,
      (store) => ({
        commit: (owner, write) =>
          store
            .commit(owner, write)
            .mapErr((error) => (error.type === type ? { type: 'unavailable' as const, cause: error } : error)),
      }),
      test,
    ],
    [
      `records the event of a write that is ${type}, as in: ${test.source}`,
      (store, events) => {
        const recorded: DomainEvent<string>[] = [];
        return {
          commit: (owner, write) =>
            store.commit(owner, write).mapErr((error) => {
              if (error.type === type) recorded.push(eventOf(owner, recorded.length));
              return error;
            }),
          events: async (owner) => [...(await events(owner)), ...recorded.filter((event) => event.owner === owner)],
        };
      },
      test,
    ],
  ]),
  ...(
    [
      ['stale', /is stale for an earlier version/],
      ['id_taken', /the id of another or a deleted one/],
      ['refused', /stores nothing that a rule refuses/],
    ] as const
  ).map(([type, test]): StoreFault => [
    `records the key of a write that is ${type}`,
    (store) => {
      const keys = new Set<string>();
      return {
        commit: (owner, write) =>
          store.commit(owner, write).mapErr((error) => {
            if (error.type === type && write.key) keys.add(`${owner} ${write.key.key}`);
            return error;
          }),
        findRecorded: (owner, key) =>
          keys.has(`${owner} ${key.key}`)
            ? okAsync({ sameCommand: true, id: '', aggregate: null })
            : store.findRecorded(owner, key),
      };
    },
    test,
  ]),
  [
    'lets a new aggregate have the id of a deleted one',
    (store) => ({
      commit: (owner, write) =>
        store
          .commit(owner, write)
          .orElse((error) =>
            store
              .load(owner, idOf(write))
              .andThen((found) => (error.type === 'id_taken' && !found ? okAsync(null) : err(error))),
          ),
    }),
    /the id of another or a deleted one/,
  ],
  [
    'deletes an aggregate at any version',
    (store) => ({
      commit: (owner, write) =>
        store.load(owner, idOf(write)).andThen((before) => {
          if (write.kind !== 'delete' || !before) return store.commit(owner, write);
          const event = { ...write.event, version: before.aggregate.version + 1 };
          return store.commit(owner, { ...write, before, event });
        }),
    }),
    /is stale for an earlier version/,
  ],
];

/** Faults of commits. */
export const commitFaults: readonly StoreFault[] = [...LOSSES, ...CONFLICTS];

function idOf<A extends { readonly id: string }>(
  write:
    | { readonly kind: 'create'; readonly after: A }
    | { readonly kind: 'change' | 'delete' | 'key_only'; readonly before: { readonly aggregate: A } },
): string {
  return write.kind === 'create' ? write.after.id : write.before.aggregate.id;
}

/** Returns an event that no write has decided. */
function eventOf(owner: string, count: number): DomainEvent<string> {
  return {
    id: `undecided ${count}`,
    type: 'undecided',
    owner,
    aggregate_id: '',
    version: 1,
    occurred_at: '2026-01-02T03:04:05.678Z',
    changed: [],
    actor: null,
  };
}

/** Sorts the members of an object in place. */
function sortMembers(value: unknown): void {
  if (Array.isArray(value)) for (const element of value) sortMembers(element);
  else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1));
    for (const [name] of entries) Reflect.deleteProperty(value, name);
    for (const [name, member] of entries)
      Object.defineProperty(value, name, { value: member, enumerable: true, configurable: true, writable: true });
  }
}
