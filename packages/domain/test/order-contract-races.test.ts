import type { Idempotency } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches, KeyTable } from './contract-faults.ts';

const REUSED = { type: 'idempotency_key_reused' } as const;

/** Injects a store that acts without the key if a concurrent write used the key, which was unused at the call. */
const ignoringRaces =
  (ignored: 'replay' | 'failure', ...writes: readonly ('insert' | 'update')[]): Fault[1] =>
  ({ orders }) => {
    const keys = new KeyTable();
    const act = <T extends { readonly replayed: boolean }, E>(
      owner: string,
      idempotency: Idempotency | undefined,
      write: (idempotency?: Idempotency) => ResultAsync<T, E>,
    ): ResultAsync<T, E> => {
      if (!idempotency || keys.has(owner, idempotency)) return write(idempotency);
      return write(idempotency)
        .andThen((it) => (it.replayed && ignored === 'replay' ? write() : okAsync(it)))
        .orElse((error) => (isErrorOf(error, REUSED.type) && ignored === 'failure' ? write() : errAsync(error)))
        .map((it) => {
          keys.record(owner, idempotency);
          return it;
        });
    };
    return {
      orders: {
        ...(writes.includes('insert') && {
          insert: (owner, placed, given) =>
            act(owner, given, (idempotency) => orders.insert(owner, placed, idempotency)),
        }),
        ...(writes.includes('update') && {
          update: (owner, id, change, given) =>
            act(owner, given, (idempotency) => orders.update(owner, id, change, idempotency)),
        }),
      },
    };
  };

/** Injects a store that records the key of a failed write. */
const recordingFailures = (...writes: readonly ('insert' | 'update' | 'delete')[]): Fault[1] => {
  return ({ orders }) => {
    const keys = new KeyTable();
    const act = <T, E>(
      name: (typeof writes)[number],
      owner: string,
      idempotency: Idempotency | undefined,
      write: () => ResultAsync<T, E>,
    ): ResultAsync<T, E | typeof REUSED> => {
      if (idempotency && keys.has(owner, idempotency)) return errAsync(REUSED);
      return write().mapErr((error) => {
        if (idempotency && writes.includes(name)) keys.record(owner, idempotency);
        return error;
      });
    };
    return {
      orders: {
        insert: (owner, placed, idempotency) =>
          act('insert', owner, idempotency, () => orders.insert(owner, placed, idempotency)),
        update: (owner, id, change, idempotency) =>
          act('update', owner, idempotency, () => orders.update(owner, id, change, idempotency)),
        delete: (owner, id, decide, idempotency) =>
          act('delete', owner, idempotency, () => orders.delete(owner, id, decide, idempotency)),
      },
    };
  };
};

const faults: readonly Fault[] = [
  [
    'accepts one command twice concurrently',
    ignoringRaces('replay', 'insert', 'update'),
    /creates one order for concurrent retries/,
  ],
  [
    'accepts two different concurrent orders with one key',
    ignoringRaces('failure', 'insert'),
    /accepts one of several different orders .* with one key/,
  ],
  [
    'accepts two different concurrent changes with one key',
    ignoringRaces('failure', 'update'),
    /rejects the key of another command .* even concurrently/,
  ],
  [
    'looks up the order before the key',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.find(owner, id).andThen(() => orders.update(owner, id, change, idempotency)),
      },
    }),
    /looks up the key before the order/,
  ],
  [
    'looks up the order to delete before the key',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, decide, idempotency) =>
          orders.find(owner, id).andThen(() => orders.delete(owner, id, decide, idempotency)),
      },
    }),
    /replays a deletion/,
  ],
  [
    'checks the reference of an insert before the key',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, idempotency) =>
          orders
            .insert(owner, placed, idempotency)
            .orElse((error) => (error.type === REUSED.type ? orders.insert(owner, placed) : errAsync(error))),
      },
    }),
    /looks up the key before .* the other constraints/,
  ],
  ['records the key of a rejected order', recordingFailures('insert'), /leaves the key unused when it fails/],
  ['records the key of a rejected change', recordingFailures('update'), /leaves the key unused when its change/],
  ['records the key of a rejected deletion', recordingFailures('delete'), /leaves the key unused when its .*deletion/],
];

describe('the contract of the order port, on concurrent keys,', () => {
  itCatches(orderRepositoryContract, faults);
});
