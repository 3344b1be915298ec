import type { Idempotency } from '@orders/domain';
import { orderRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches, KeyTable } from './contract-faults.ts';

const REUSED = { type: 'idempotency_key_reused' } as const;

/** Acts again, without the key, where the correct store replayed or refused under a key that was free at the call. */
const racing =
  (overlooked: 'replay' | 'refusal', ...writes: readonly ('insert' | 'update')[]): Fault[1] =>
  ({ orders }) => {
    const keys = new KeyTable();
    const act = <T extends { readonly replayed: boolean }, E>(
      owner: string,
      idempotency: Idempotency | undefined,
      write: (idempotency?: Idempotency) => ResultAsync<T, E>,
    ): ResultAsync<T, E> => {
      if (!idempotency || keys.has(owner, idempotency)) return write(idempotency);
      return write(idempotency)
        .andThen((it) => (it.replayed && overlooked === 'replay' ? write() : okAsync(it)))
        .orElse((error) => (isRefusal(error, REUSED.type) && overlooked === 'refusal' ? write() : errAsync(error)))
        .map((it) => {
          keys.take(owner, idempotency);
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

/** A store that records a key when the write under it is refused. */
const recordingRefusals = (...writes: readonly ('insert' | 'update' | 'delete')[]): Fault[1] => {
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
        if (idempotency && writes.includes(name)) keys.take(owner, idempotency);
        return error;
      });
    };
    return {
      orders: {
        insert: (owner, placed, idempotency) =>
          act('insert', owner, idempotency, () => orders.insert(owner, placed, idempotency)),
        update: (owner, id, change, idempotency) =>
          act('update', owner, idempotency, () => orders.update(owner, id, change, idempotency)),
        delete: (owner, id, judge, idempotency) =>
          act('delete', owner, idempotency, () => orders.delete(owner, id, judge, idempotency)),
      },
    };
  };
};

const faults: readonly Fault[] = [
  [
    'accepts one command twice at once',
    racing('replay', 'insert', 'update'),
    /creates one order for concurrent retries/,
  ],
  [
    'accepts two different orders at once under one key',
    racing('refusal', 'insert'),
    /accepts one of several different orders .* with one key/,
  ],
  [
    'accepts two different changes at once under one key',
    racing('refusal', 'update'),
    /rejects the key of another command .* even concurrently/,
  ],
  [
    'looks for the order before the key',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, idempotency) =>
          orders.find(owner, id).andThen(() => orders.update(owner, id, change, idempotency)),
      },
    }),
    /looks up the key before the order/,
  ],
  [
    'looks for the order to delete before the key',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, judge, idempotency) =>
          orders.find(owner, id).andThen(() => orders.delete(owner, id, judge, idempotency)),
      },
    }),
    /replays a deletion/,
  ],
  [
    'looks at the reference before the key',
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
  ['keeps the key of an order that it refused', recordingRefusals('insert'), /leaves the key unused when it fails/],
  ['keeps the key of a change that it refused', recordingRefusals('update'), /leaves the key unused when its change/],
  [
    'keeps the key of a deletion that it refused',
    recordingRefusals('delete'),
    /leaves the key unused when its .*deletion/,
  ],
];

describe('the contract of the order port, on taken keys,', () => {
  itCatches(orderRepositoryContract, faults);
});
