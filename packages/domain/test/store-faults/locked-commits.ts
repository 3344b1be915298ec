import { errAsync, okAsync } from 'neverthrow';
import type { StoreFault } from './every-kind.ts';

/** Faults of locked commits. */
export const lockedCommitFaults: readonly StoreFault[] = [
  [
    'does not store what is decided',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store.commitLocked(owner, id, lookUp, (found) => ({ ...decide(found), write: null })),
    }),
    /stores what is decided about the current version/,
  ],
  [
    'loses the key of a locked commit',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store.commitLocked(owner, id, lookUp, (found) => {
          const { write, result } = decide(found);
          return { write: write && (write.kind === 'key_only' ? null : { ...write, key: undefined }), result };
        }),
    }),
    /stores what is decided about the current version/,
  ],
  [
    'finds no aggregate',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store.commitLocked(owner, id, lookUp, (found) => decide({ ...found, loaded: null })),
    }),
    /stores nothing without a write/,
  ],
  [
    'looks up no key',
    (store) => ({
      commitLocked: (owner, id, _, decide) => store.commitLocked(owner, id, undefined, decide),
    }),
    /looks up the given key/,
  ],
  [
    'looks up an expired key',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store.commitLocked(owner, id, lookUp && { ...lookUp, now: '2001-01-01T00:00:00.000Z' }, decide),
    }),
    /looks up the given key/,
  ],
  [
    'loads the aggregate beside the record of a key',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store
          .load(owner, id)
          .andThen((loaded) =>
            store.commitLocked(owner, id, lookUp, (found) => decide(found.recorded ? { ...found, loaded } : found)),
          ),
    }),
    /then loads no aggregate/,
  ],
  ...(
    [
      ['key_used', /stores nothing with a used key/],
      ['stale', /is applied after every concurrent one/],
      ['stale', /is never lost to commits that take no lock/],
    ] as const
  ).map(([type, test]): StoreFault => [
    `takes no lock and reports a write as stored that is ${type}, as in: ${test.source}`,
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        (lookUp ? store.findRecorded(owner, lookUp) : okAsync(null)).andThen((recorded) =>
          (recorded ? okAsync(null) : store.load(owner, id)).andThen((loaded) => {
            const { write, result } = decide({ loaded, recorded });
            const committed = write ? store.commit(owner, write) : okAsync(null);
            return committed
              .map(() => result)
              .orElse((error) =>
                error.type === 'refused' || (error.type === 'key_used' && type === 'stale')
                  ? errAsync(error)
                  : okAsync(result),
              );
          }),
        ),
    }),
    test,
  ]),
  [
    'looks up a key before it has the lock, and records it no more',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        (lookUp ? store.findRecorded(owner, lookUp) : okAsync(null)).andThen((recorded) =>
          store.commitLocked(owner, id, undefined, ({ loaded }) => {
            const { write, result } = decide({ loaded: recorded ? null : loaded, recorded });
            return { write: write && write.kind !== 'key_only' ? { ...write, key: undefined } : write, result };
          }),
        ),
    }),
    /stores one of many concurrent writes with one key/,
  ],
  [
    'does not delete with the lock',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) =>
        store.commitLocked(owner, id, lookUp, (found) => {
          const { write, result } = decide(found);
          return { write: write?.kind === 'delete' ? null : write, result };
        }),
    }),
    /never restores an aggregate/,
  ],
  [
    'is unavailable on contention',
    (store) => {
      let running = 0;
      return {
        commitLocked: (owner, id, lookUp, decide) => {
          running += 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          if (running > 10) return errAsync({ type: 'unavailable' as const, cause: done('too many') });
          return store.commitLocked(owner, id, lookUp, decide).map(done).mapErr(done);
        },
      };
    },
    /is applied after every concurrent one/,
  ],
  [
    'throws the exception of a decision synchronously',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) => {
        let thrown: (() => never) | undefined;
        const committed = store.commitLocked(owner, id, lookUp, (found) => {
          try {
            return decide(found);
          } catch (cause) {
            thrown = () => {
              throw cause;
            };
            throw cause;
          }
        });
        if (thrown) {
          void Promise.resolve(committed).catch(() => undefined);
          thrown();
        }
        return committed;
      },
    }),
    /rejects with the value that the decision throws/,
    /thrown synchronously/,
  ],
  [
    'is unavailable for the exception of a decision',
    (store) => ({
      commitLocked: (owner, id, lookUp, decide) => {
        let failure: { readonly cause: unknown } | undefined;
        return okAsync(null)
          .andThen(() =>
            store
              .commitLocked(owner, id, lookUp, (found) => {
                try {
                  return { ...decide(found), failed: false };
                } catch (cause) {
                  failure = { cause };
                  return { write: null, result: null };
                }
              })
              .map((result) => result),
          )
          .andThen((result) =>
            failure || result === null
              ? errAsync({ type: 'unavailable' as const, cause: failure?.cause })
              : okAsync(result),
          );
      },
    }),
    /rejects with the value that the decision throws/,
    /no rejection/,
  ],
  [
    'keeps its lock after the exception of a decision',
    (store) => {
      const locked = new Set<string>();
      return {
        commitLocked: (owner, id, lookUp, decide) => {
          if (locked.has(id)) return errAsync({ type: 'unavailable' as const, cause: 'locked' });
          return store.commitLocked(owner, id, lookUp, (found) => {
            locked.add(id);
            const decided = decide(found);
            locked.delete(id);
            return decided;
          });
        },
      };
    },
    /releases the lock/,
  ],
];
