import type { Idempotency } from '@orders/domain';
import { errAsync, okAsync } from 'neverthrow';
import type { StoreFault } from './every-kind.ts';

/** Returns a fault of a store that gets each key as `change` makes it. */
const changingKeys = (does: string, change: (key: Idempotency) => Idempotency, test: RegExp): StoreFault => [
  does,
  (store) => ({
    findRecorded: (owner, key) => store.findRecorded(owner, change(key)),
    commit: (owner, write) =>
      store.commit(
        owner,
        write.kind === 'key_only'
          ? { ...write, key: change(write.key) }
          : { ...write, key: write.key && change(write.key) },
      ),
  }),
  test,
];

const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

const changed: readonly StoreFault[] = [
  changingKeys('ignores fingerprints', (key) => ({ ...key, fingerprint: '' }), /is recorded with the version/),
  changingKeys(
    'takes no write for a retry',
    (() => {
      let count = 0;
      return (key: Idempotency) => ({ ...key, fingerprint: `${(count += 1)}` });
    })(),
    /is recorded with the version/,
  ),
  changingKeys(
    'never lets keys expire',
    (key) => ({ ...key, now: '2001-01-01T00:00:00.000Z' }),
    /can be used again when it has expired/,
  ),
  changingKeys(
    'lets keys expire a millisecond too late',
    (key) => ({ ...key, now: later(key.now, -1) }),
    /can be used again when it has expired/,
  ),
  changingKeys(
    'lets keys expire a millisecond too early',
    (key) => ({ ...key, now: later(key.now, 1) }),
    /can be used again when it has expired, not earlier/,
  ),
  changingKeys(
    'lets keys expire at once',
    (key) => ({ ...key, expires_at: key.now }),
    /stores a new aggregate, its event and its key/,
  ),
  changingKeys(
    'keeps the keys of each kind apart',
    (key) => ({ ...key, key: `own ${key.key}` }),
    /is used by a write of another kind/,
  ),
];

/** Faults of idempotency keys. */
export const keyFaults: readonly StoreFault[] = [
  ...changed,
  ['finds no record', () => ({ findRecorded: () => okAsync(null) }), /stores a new aggregate, its event and its key/],
  [
    'finds a record for an unused key',
    (store) => ({
      findRecorded: (owner, key) =>
        store.findRecorded(owner, key).map((found) => found ?? { sameCommand: true, id: '', aggregate: null }),
    }),
    /has no record before it is used/,
  ],
  [
    'finds the current version for each key',
    (store) => ({
      findRecorded: (owner, key) =>
        store
          .findRecorded(owner, key)
          .andThen((found) =>
            found
              ? store.load(owner, found.id).map((current) => ({ ...found, aggregate: current?.aggregate ?? null }))
              : okAsync(null),
          ),
    }),
    /whatever is written later/,
  ],
  [
    'conflicts with the current version of each key',
    (store) => ({
      commit: (owner, write) =>
        store.commit(owner, write).orElse((error) =>
          error.type === 'key_used'
            ? store.load(owner, error.recorded.id).andThen((current) =>
                errAsync({
                  ...error,
                  recorded: { ...error.recorded, aggregate: current && { ...current.aggregate, version: 0 } },
                }),
              )
            : errAsync(error),
        ),
    }),
    /stores nothing when it is used/,
  ],
  [
    'finds no id of a deleted aggregate',
    (store) => ({
      findRecorded: (owner, key) =>
        store.findRecorded(owner, key).map((found) => found && { ...found, id: found.aggregate?.id ?? '' }),
    }),
    /stores a deletion, its event and its key/,
  ],
  [
    'conflicts without the id of a deleted aggregate',
    (store) => ({
      commit: (owner, write) =>
        store.commit(owner, write).mapErr((error) => {
          if (error.type !== 'key_used') return error;
          return { ...error, recorded: { ...error.recorded, id: error.recorded.aggregate?.id ?? '' } };
        }),
    }),
    /has a record without an aggregate/,
  ],
  [
    'stores a write with a used key, and reports the conflict',
    (store) => ({
      commit: (owner, write) =>
        store
          .commit(owner, write)
          .orElse((error) =>
            error.type === 'key_used' && write.kind !== 'key_only'
              ? store.commit(owner, { ...write, key: undefined }).andThen(() => errAsync(error))
              : errAsync(error),
          ),
    }),
    /stores nothing when it is used/,
  ],
  [
    'checks whether an id is taken before the key',
    (store) => ({
      commit: (owner, write) =>
        write.kind === 'create'
          ? store
              .load(owner, write.after.id)
              .andThen((current) => (current ? errAsync({ type: 'id_taken' as const }) : store.commit(owner, write)))
          : store.commit(owner, write),
    }),
    /comes before a refusal and a taken id/,
  ],
  [
    'checks the rules before the key',
    (store) => ({
      commit: (owner, write) =>
        store.commit(owner, write).orElse((error) =>
          error.type === 'key_used' && write.kind === 'create'
            ? store
                .commit(owner, { ...write, key: undefined })
                .andThen(() => store.load(owner, write.after.id))
                .andThen((before) =>
                  before
                    ? store
                        .commit(owner, {
                          kind: 'delete',
                          before,
                          event: { ...write.event, version: 2 },
                          key: undefined,
                        })
                        .andThen(() => errAsync(error))
                    : errAsync(error),
                )
            : errAsync(error),
        ),
    }),
    /comes before a refusal and a taken id/,
  ],
  ...(
    [
      ['unused', /be stored when it is unused/],
      ['expired', /be stored when it is expired/],
      ['different', /lets one of many concurrent commands use it/],
      ['changing', /lets one of many concurrent writes of several aggregates use it/],
    ] as const
  ).map(([name, test]): StoreFault => [
    `stores two concurrent writes with one key: ${name}`,
    (store) => {
      const running = new Map<string, number>();
      return {
        commit: (owner, write) => {
          const name = write.key?.key ?? '';
          const others = running.get(name) ?? 0;
          running.set(name, others + 1);
          const done = <T>(value: T): T => {
            running.set(name, (running.get(name) ?? 1) - 1);
            return value;
          };
          const stored = others > 0 && write.kind !== 'key_only' ? { ...write, key: undefined } : write;
          return store.commit(owner, stored).map(done).mapErr(done);
        },
      };
    },
    test,
  ]),
];
