import type { Once } from '@orders/domain';
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
      once: Once | undefined,
      write: (once?: Once) => ResultAsync<T, E>,
    ): ResultAsync<T, E> => {
      if (!once || keys.has(owner, once)) return write(once);
      return write(once)
        .andThen((it) => (it.replayed && overlooked === 'replay' ? write() : okAsync(it)))
        .orElse((error) => (isRefusal(error, REUSED.type) && overlooked === 'refusal' ? write() : errAsync(error)))
        .map((it) => {
          keys.take(owner, once);
          return it;
        });
    };
    return {
      orders: {
        ...(writes.includes('insert') && {
          insert: (owner, placed, given) => act(owner, given, (once) => orders.insert(owner, placed, once)),
        }),
        ...(writes.includes('update') && {
          update: (owner, id, change, given) => act(owner, given, (once) => orders.update(owner, id, change, once)),
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
      once: Once | undefined,
      write: () => ResultAsync<T, E>,
    ): ResultAsync<T, E | typeof REUSED> => {
      if (once && keys.has(owner, once)) return errAsync(REUSED);
      return write().mapErr((error) => {
        if (once && writes.includes(name)) keys.take(owner, once);
        return error;
      });
    };
    return {
      orders: {
        insert: (owner, placed, once) => act('insert', owner, once, () => orders.insert(owner, placed, once)),
        update: (owner, id, change, once) => act('update', owner, once, () => orders.update(owner, id, change, once)),
        delete: (owner, id, judge, once) => act('delete', owner, once, () => orders.delete(owner, id, judge, once)),
      },
    };
  };
};

const faults: readonly Fault[] = [
  [
    'accepts one command twice at once',
    racing('replay', 'insert', 'update'),
    /creates one order when repeated at once/,
  ],
  [
    'accepts two different orders at once under one key',
    racing('refusal', 'insert'),
    /of two different orders with one key at once accepts one/,
  ],
  [
    'accepts two different changes at once under one key',
    racing('refusal', 'update'),
    /refused under the key of another command, .* at once too/,
  ],
  [
    'looks for the order before the key',
    ({ orders }) => ({
      orders: {
        update: (owner, id, change, once) =>
          orders.find(owner, id).andThen(() => orders.update(owner, id, change, once)),
      },
    }),
    /is looked up before the order/,
  ],
  [
    'looks for the order to delete before the key',
    ({ orders }) => ({
      orders: {
        delete: (owner, id, judge, once) => orders.find(owner, id).andThen(() => orders.delete(owner, id, judge, once)),
      },
    }),
    /replays a deletion/,
  ],
  [
    'looks at the reference before the key',
    ({ orders }) => ({
      orders: {
        insert: (owner, placed, once) =>
          orders
            .insert(owner, placed, once)
            .orElse((error) => (error.type === REUSED.type ? orders.insert(owner, placed) : errAsync(error))),
      },
    }),
    /is looked up before .* the other constraints/,
  ],
  ['keeps the key of an order that it refused', recordingRefusals('insert'), /leaves the key free when it is refused/],
  ['keeps the key of a change that it refused', recordingRefusals('update'), /leaves the key free when its change/],
  [
    'keeps the key of a deletion that it refused',
    recordingRefusals('delete'),
    /leaves the key free when its .*deletion/,
  ],
];

describe('the contract of the order port, on taken keys,', () => {
  itCatches(orderRepositoryContract, faults);
});
