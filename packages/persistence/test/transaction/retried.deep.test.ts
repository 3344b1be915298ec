import { type OrderWritten, orThrow } from '@orders/domain';
import { type Database, retried, type TransactionFailed } from '@orders/persistence';
import type { Result } from 'neverthrow';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { holding } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';
import { hostOrm } from './host-tables.ts';

const tested = testDatabase();
const { open, place, count } = aHost(tested);

/** Cancels a locked order. The lock ends at the third attempt. */
async function cancelLocked(owner: string, cancel: (database: Database, id: string) => Promise<unknown>) {
  const id = await place(owner);
  const release = await holding(tested.url, `select from orders where id = '${id}' for update`);
  const database = open({ lockTimeoutMs: 50 });
  let attempts = 0;
  const outcome = await retried(async () => {
    attempts += 1;
    if (attempts === 3) await release();
    return await cancel(database, id);
  });
  return { outcome, attempts };
}

describe('retried', () => {
  it('repeats a transaction that returns a retryable failure', async () => {
    const cancel = async (database: Database, id: string) =>
      await database.transaction(({ domain }) => domain.cancelOrder('own', id));
    expect(await cancelLocked('own', cancel)).toMatchObject({ attempts: 3, outcome: { value: { replayed: false } } });
  });

  it('repeats a transaction of the host that throws one as the cause of an error', async () => {
    const { em } = hostOrm(tested.url, { driverOptions: { lock_timeout: 50 } });
    const cancel = (database: Database, id: string) =>
      em.fork().transactional(async (inside) => {
        const { domain } = await database.joinTransaction(inside);
        return orThrow(await domain.cancelOrder('joined', id)).order;
      });
    expect(await cancelLocked('joined', cancel)).toMatchObject({ attempts: 3, outcome: { status: 'cancelled' } });
  });

  it.each([
    [false, 1],
    [true, 2],
  ])('repeats an unknown outcome only if it may: %s', async (isIdempotent, attempts) => {
    const { proxy, server } = await watchedServer(tested.url, { poolMax: 1 });
    const owner = `unknown ${isIdempotent}`;
    proxy.fault(1, 'response_lost', ({ text }) => text.endsWith('commit'));
    let runs = 0;
    const result = await retried(
      () => {
        runs += 1;
        return server.transaction(({ domain }) => domain.placeOrder(owner, { items: [ITEM] }, { idempotencyKey: 'k' }));
      },
      { isIdempotent },
    );
    expectTypeOf(result).toExtend<Result<OrderWritten, TransactionFailed | { type: string }>>();
    expect([runs, result.isOk(), await count(owner)]).toEqual([attempts, isIdempotent, 1]);
  });

  it('passes on what is not retryable at once, and the last of its attempts', async () => {
    let runs = 0;
    const fail = (cause: Error) => async () => {
      runs += 1;
      return await Promise.reject(cause);
    };
    const rolledBack = (
      await open({ url: 'postgresql://127.0.0.1:1/none' }).transaction(({ domain }) => domain.listOrders('none'))
    )._unsafeUnwrapErr();
    expect(rolledBack).toMatchObject(RETRYABLE);
    const wrapped = new Error('of an ORM', { cause: rolledBack });
    await expect(retried(fail(wrapped), { attempts: 2 })).rejects.toBe(wrapped);
    const reason = new Error('of the host');
    await expect(retried(fail(reason))).rejects.toBe(reason);
    expect(runs).toBe(3);
    await expect(retried(fail(reason), { attempts: 0 })).rejects.toThrow(RangeError);
  });
});
