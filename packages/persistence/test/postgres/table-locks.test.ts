import { describe, expect, it } from 'vitest';
import { retryAfterTableLock } from '../../src/postgres/retry.ts';

/** The error of PostgreSQL after the lock timeout, in the context of a wait for a row if any. */
function lockTimeout(where?: string): Error {
  return Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03', where });
}

/**
 * Retries work that has failed by `cause`, and fails in the same way until its last attempt. `locked` has for each
 * attempt whether a table is locked before it. Returns the number of attempts, or the error.
 */
async function attemptsOf(locked: readonly boolean[], cause: Error): Promise<unknown> {
  const locks = locked.values();
  const executor = {
    isTransaction: false,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the row has no columns
    execute: <Row>() => Promise.resolve(locks.next().value === true ? [{} as Row] : []),
    run: () => Promise.resolve(),
  };
  let attempts = 0;
  const work = () => {
    attempts += 1;
    return attempts < locked.length ? Promise.reject(cause) : Promise.resolve(attempts);
  };
  return await retryAfterTableLock(executor, work, cause).catch((thrown: unknown) => thrown);
}

describe('a statement that waited in vain', () => {
  it('is sent as long as a table is locked', async () => {
    expect(await attemptsOf([true, true, true, true, true], lockTimeout())).toBe(5);
  });

  it('is sent once more when the lock has ended since', async () => {
    expect(await attemptsOf([true, true, false], lockTimeout())).toBe(3);
    expect(await attemptsOf([false], lockTimeout('SQL statement "update orders"'))).toBe(1);
  });

  it('fails when no table is locked any more', async () => {
    const cause = lockTimeout();
    expect(await attemptsOf([true, false, false], cause)).toBe(cause);
  });

  it.each([
    'while updating tuple (0,1) in relation "orders"',
    'while locking updated version (0,1) of tuple in relation "orders"',
    'while inserting index tuple (0,1) in relation "idempotency_pkey"',
    'while locking tuple (3,4) in relation "customers"\nSQL statement "select 1 from only"',
  ])('fails at once %s', async (where) => {
    const cause = lockTimeout(where);
    expect(await attemptsOf([true, true], cause)).toBe(cause);
  });
});
