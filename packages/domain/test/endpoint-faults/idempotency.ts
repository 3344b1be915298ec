import { errAsync, okAsync } from 'neverthrow';
import { type EndpointFault, type Inject, replacing } from './faulty-endpoints.ts';

/** Injects a store that ignores the idempotency keys of one method. */
const withoutKeysOf = (method: 'insert' | 'update' | 'delete'): Inject =>
  replacing((correct) => ({
    ...(method === 'insert' && { insert: (owner, created) => correct.insert(owner, created) }),
    ...(method === 'update' && { update: (owner, id, change) => correct.update(owner, id, change) }),
    ...(method === 'delete' && { delete: (owner, id, decide) => correct.delete(owner, id, decide) }),
  }));

/** Faults of idempotency keys. */
export const idempotencyFaults: readonly EndpointFault[] = [
  ['ignores the key of a creation', withoutKeysOf('insert'), /happens once/],
  ['ignores the key of a change', withoutKeysOf('update'), /happens once/],
  ['ignores the key of a deletion', withoutKeysOf('delete'), /erases all versions/],
  [
    'replays the newest version',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct
          .insert(owner, created, idempotency)
          .andThen((written) =>
            written.replayed
              ? correct.find(owner, written.endpoint.id).map((endpoint) => ({ ...written, endpoint }))
              : okAsync(written),
          ),
    })),
    /retries return its result after later changes/,
  ],
  [
    'takes every command with a key for a retry',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency && { ...idempotency, fingerprint: 'a command' }),
    })),
    /belongs to another command/,
  ],
  ['finds no replay', replacing(() => ({ findReplay: () => okAsync(null) })), /found by its key/],
  [
    'finds the newest version for a replay',
    replacing((correct) => ({
      findReplay: (owner, idempotency) =>
        correct
          .findReplay(owner, idempotency)
          .andThen((replay) =>
            replay
              ? correct.find(owner, replay.endpoint.id).map((endpoint) => ({ ...replay, endpoint }))
              : okAsync(null),
          ),
    })),
    /found by its key/,
  ],
  [
    'finds nothing for the key of another command',
    replacing((correct) => ({
      findReplay: (owner, idempotency) =>
        correct
          .findReplay(owner, idempotency)
          .orElse((error) => (error.type === 'idempotency_key_reused' ? okAsync(null) : errAsync(error))),
    })),
    /found by its key/,
  ],
  [
    'finds replays of expired keys',
    replacing((correct) => ({
      findReplay: (owner, idempotency) =>
        correct.findReplay(owner, { ...idempotency, now: '2001-01-01T00:00:00.000Z' }),
    })),
    /unless the key has expired/,
  ],
  [
    'creates one endpoint for each concurrent call',
    replacing((correct) => {
      let running = 0;
      return {
        insert: (owner, created, idempotency) => {
          running += 1;
          const done = <T>(value: T): T => {
            running -= 1;
            return value;
          };
          return correct
            .insert(owner, created, running > 1 ? undefined : idempotency)
            .map(done)
            .mapErr(done);
        },
      };
    }),
    /creates one endpoint for ten concurrent calls/,
  ],
  [
    'keeps expired keys',
    replacing((correct) => ({
      insert: (owner, created, idempotency) =>
        correct.insert(owner, created, idempotency && { ...idempotency, expires_at: '2999-01-01T00:00:00.000Z' }),
    })),
    /can use a key that has expired/,
  ],
];
