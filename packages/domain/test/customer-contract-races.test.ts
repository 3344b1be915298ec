import type { Idempotency } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isRefusal, itCatches, KeyTable } from './contract-faults.ts';

const REUSED = { type: 'idempotency_key_reused' } as const;

/** Acts again, without the key, where the correct store replayed or refused under a key that was free at the call. */
const racing =
  (overlooked: 'replay' | 'refusal', ...writes: readonly ('insert' | 'update')[]): Fault[1] =>
  ({ customers }) => {
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
      customers: {
        ...(writes.includes('insert') && {
          insert: (owner, created, given) =>
            act(owner, given, (idempotency) => customers.insert(owner, created, idempotency)),
        }),
        ...(writes.includes('update') && {
          update: (owner, id, change, given) =>
            act(owner, given, (idempotency) => customers.update(owner, id, change, idempotency)),
        }),
      },
    };
  };

/** A store that records a key when the write under it is refused. */
const recordingRefusals = (...writes: readonly ('insert' | 'update' | 'delete')[]): Fault[1] => {
  return ({ customers }) => {
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
      customers: {
        insert: (owner, created, idempotency) =>
          act('insert', owner, idempotency, () => customers.insert(owner, created, idempotency)),
        update: (owner, id, change, idempotency) =>
          act('update', owner, idempotency, () => customers.update(owner, id, change, idempotency)),
        delete: (owner, id, judge, idempotency) =>
          act('delete', owner, idempotency, () => customers.delete(owner, id, judge, idempotency)),
      },
    };
  };
};

const faults: readonly Fault[] = [
  [
    'accepts one command twice at once',
    racing('replay', 'insert', 'update'),
    /creates one customer for concurrent retries/,
  ],
  [
    'accepts two different customers at once under one key',
    racing('refusal', 'insert'),
    /creates one of several different customers .* with one key/,
  ],
  [
    'looks for the customer before the key',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.find(owner, id).andThen(() => customers.update(owner, id, change, idempotency)),
      },
    }),
    /looks up the key before the customer/,
  ],
  [
    'looks for the customer to delete before the key',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, judge, idempotency) =>
          customers.find(owner, id).andThen(() => customers.delete(owner, id, judge, idempotency)),
      },
    }),
    /looks up the key before the customer/,
  ],
  [
    'looks at the email before the key',
    ({ customers }) => ({
      customers: {
        insert: (owner, created, idempotency) =>
          customers
            .insert(owner, created, idempotency)
            .orElse((error) => (error.type === REUSED.type ? customers.insert(owner, created) : errAsync(error))),
      },
    }),
    /looks up the key before .* the email/,
  ],
  ['keeps the key of a customer that it refused', recordingRefusals('insert'), /leaves the key unused when it fails/],
  ['keeps the key of a change that it refused', recordingRefusals('update'), /leaves the key unused when it fails/],
  ['keeps the key of a deletion that it refused', recordingRefusals('delete'), /leaves the key unused when it fails/],
];

describe('the contract of the customer port, on taken keys,', () => {
  itCatches(customerRepositoryContract, faults);
});
