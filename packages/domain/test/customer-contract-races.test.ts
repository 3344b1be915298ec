import type { Idempotency } from '@orders/domain';
import { customerRepositoryContract } from '@orders/domain/testing';
import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import { describe } from 'vitest';
import { type Fault, isErrorOf, itCatches, KeyTable } from './contract-faults.ts';

const REUSED = { type: 'idempotency_key_reused' } as const;

/** Injects a store that acts without the key if a concurrent write used the key, which was unused at the call. */
const ignoringRaces =
  (ignored: 'replay' | 'failure', ...writes: readonly ('insert' | 'update')[]): Fault[1] =>
  ({ customers }) => {
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

/** Injects a store that records the key of a failed write. */
const recordingFailures = (...writes: readonly ('insert' | 'update' | 'delete')[]): Fault[1] => {
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
        if (idempotency && writes.includes(name)) keys.record(owner, idempotency);
        return error;
      });
    };
    return {
      customers: {
        insert: (owner, created, idempotency) =>
          act('insert', owner, idempotency, () => customers.insert(owner, created, idempotency)),
        update: (owner, id, change, idempotency) =>
          act('update', owner, idempotency, () => customers.update(owner, id, change, idempotency)),
        delete: (owner, id, decide, idempotency) =>
          act('delete', owner, idempotency, () => customers.delete(owner, id, decide, idempotency)),
      },
    };
  };
};

const faults: readonly Fault[] = [
  [
    'accepts one command twice concurrently',
    ignoringRaces('replay', 'insert', 'update'),
    /creates one customer for concurrent retries/,
  ],
  [
    'accepts two different concurrent customers with one key',
    ignoringRaces('failure', 'insert'),
    /creates one of several different customers .* with one key/,
  ],
  [
    'looks up the customer before the key',
    ({ customers }) => ({
      customers: {
        update: (owner, id, change, idempotency) =>
          customers.find(owner, id).andThen(() => customers.update(owner, id, change, idempotency)),
      },
    }),
    /looks up the key before the customer/,
  ],
  [
    'looks up the customer to delete before the key',
    ({ customers }) => ({
      customers: {
        delete: (owner, id, decide, idempotency) =>
          customers.find(owner, id).andThen(() => customers.delete(owner, id, decide, idempotency)),
      },
    }),
    /looks up the key before the customer/,
  ],
  [
    'checks the email of an insert before the key',
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
  ['records the key of a rejected customer', recordingFailures('insert'), /leaves the key unused when it fails/],
  ['records the key of a rejected change', recordingFailures('update'), /leaves the key unused when it fails/],
  ['records the key of a rejected deletion', recordingFailures('delete'), /leaves the key unused when it fails/],
];

describe('the contract of the customer port, on concurrent keys,', () => {
  itCatches(customerRepositoryContract, faults);
});
