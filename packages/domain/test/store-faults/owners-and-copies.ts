import { errAsync, okAsync } from 'neverthrow';
import { OwnersById } from '../contract-faults.ts';
import type { StoreFault } from './every-kind.ts';

const COPIES = /copies arguments and results/;

/** Returns the first value that it gets for each name, and so shares it. */
function createShared(): <T extends object>(name: string, value: T) => T {
  const shared = new Map<string, object>();
  return (name, value) => {
    for (const [member, of] of Object.entries(shared.get(name) ?? {}))
      if (typeof of === 'object') Reflect.set(value, member, of);
    shared.set(name, value);
    return value;
  };
}

/** Faults of owners, and of values that are not copied. */
export const ownerAndCopyFaults: readonly StoreFault[] = [
  ...(
    [
      ['load', /cannot be loaded, changed or deleted/],
      ['commit', /cannot be loaded, changed or deleted/],
      ['commitLocked', /cannot be loaded, changed or deleted/],
      ['findRecorded', /may have the same ids and keys/],
    ] as const
  ).map(([method, test]): StoreFault => [
    `ignores the owner in ${method}`,
    (store) => {
      const owners = new OwnersById();
      return {
        commit: (owner, write) => {
          if (write.kind === 'create') owners.note(write.after.id, owner);
          if (write.key && !owners.all().includes(write.key.key))
            owners.note(write.key.key, owners.of(write.key.key, owner));
          const isForeign = method === 'commit' && write.kind !== 'create';
          return store.commit(isForeign ? owners.of(write.before.aggregate.id, owner) : owner, write);
        },
        ...(method === 'load' && { load: (owner, id) => store.load(owners.of(id, owner), id) }),
        ...(method === 'commitLocked' && {
          commitLocked: (owner, id, lookUp, decide) => store.commitLocked(owners.of(id, owner), id, lookUp, decide),
        }),
        ...(method === 'findRecorded' && {
          findRecorded: (owner, key) => store.findRecorded(owners.of(key.key, owner), key),
        }),
      };
    },
    test,
  ]),
  [
    'lets no other owner have an id',
    (store) => {
      const owners = new OwnersById();
      return {
        commit: (owner, write) => {
          if (write.kind !== 'create') return store.commit(owner, write);
          if (owners.of(write.after.id, owner) !== owner) return errAsync({ type: 'id_taken' });
          owners.note(write.after.id, owner);
          return store.commit(owner, write);
        },
      };
    },
    /may have the same ids and keys/,
  ],
  [
    'deletes the aggregates of all owners with an id',
    (store) => {
      const deleted = new Set<string>();
      return {
        commit: (owner, write) => {
          if (write.kind === 'delete') deleted.add(write.before.aggregate.id);
          return store.commit(owner, write);
        },
        load: (owner, id) => (deleted.has(id) ? okAsync(null) : store.load(owner, id)),
      };
    },
    /may have the same ids and keys/,
  ],
  [
    'returns the loaded object to every caller',
    (store) => {
      const share = createShared();
      return {
        load: (owner, id) =>
          store.load(owner, id).map((found) => found && { ...found, aggregate: share(id, found.aggregate) }),
      };
    },
    COPIES,
  ],
  [
    'returns the recorded object to every caller',
    (store) => {
      const share = createShared();
      return {
        findRecorded: (owner, key) =>
          store
            .findRecorded(owner, key)
            .map((found) => found && { ...found, aggregate: found.aggregate && share(key.key, found.aggregate) }),
      };
    },
    COPIES,
  ],
  [
    'returns the recorded object of a conflict to every caller',
    (store) => {
      const share = createShared();
      return {
        commit: (owner, write) =>
          store.commit(owner, write).mapErr((error) => {
            if (error.type !== 'key_used' || !error.recorded.aggregate) return error;
            return {
              ...error,
              recorded: { ...error.recorded, aggregate: share(error.recorded.id, error.recorded.aggregate) },
            };
          }),
      };
    },
    COPIES,
  ],
  ...(['loaded', 'recorded'] as const).map((member): StoreFault => [
    `decides about the ${member} object of every caller`,
    (store) => {
      const share = createShared();
      return {
        commitLocked: (owner, id, lookUp, decide) =>
          store.commitLocked(owner, id, lookUp, (found) => {
            const aggregate = found[member]?.aggregate;
            if (aggregate) share(id, aggregate);
            return decide(found);
          }),
      };
    },
    COPIES,
  ]),
  ...(['create', 'change'] as const).map((kind): StoreFault => [
    `stores the argument of a ${kind} without a copy`,
    (store) => {
      const share = createShared();
      return {
        commit: (owner, write) => {
          if (write.kind === kind) share(write.after.id, write.after);
          return store.commit(owner, write);
        },
        load: (owner, id) =>
          store.load(owner, id).map((found) => found && { ...found, aggregate: share(id, found.aggregate) }),
      };
    },
    COPIES,
  ]),
];
