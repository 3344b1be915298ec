import { openDatabase, type Transaction } from '@orders/persistence';
import { err, ok } from 'neverthrow';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';

const tested = testDatabase();
const { count } = aHost(tested);

describe('a transaction over a pool of the host', () => {
  it.each([
    ['a use case', async ({ domain }: Transaction) => await domain.placeOrder('pool', { items: [ITEM] })],
    ['a statement of the host', async ({ client }: Transaction) => ok(await client.query('select 1'))],
  ])('survives the loss of its connection before %s', async (_, next) => {
    const pool = new Pool({ connectionString: tested.url, max: 1 });
    pool.on('error', () => undefined);
    onTestFinished(() => pool.end());
    const database = openDatabase({ pool });
    const lose = () =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.client.query<{ pid: number }>('select pg_backend_pid() as pid');
        const pid = rows[0]?.pid ?? 0;
        await execute(tested.url, `select pg_terminate_backend(${pid})`);
        await vi.waitFor(async () =>
          expect(await execute(tested.url, `select from pg_stat_activity where pid = ${pid}`)).toHaveLength(0),
        );
        await execute(tested.url, 'select 1');
        return await next(transaction);
      });
    expect((await lose())._unsafeUnwrapErr()).toMatchObject(RETRYABLE);
    expect((await database.transaction(({ domain }) => domain.placeOrder('pool', { items: [ITEM] }))).isOk()).toBe(
      true,
    );
    expect(pool).toMatchObject({ totalCount: 1, idleCount: 1, waitingCount: 0 });
    // The listeners of our use are removed with it.
    const taken = await pool.connect();
    expect(taken.listenerCount('error')).toBe(0);
    taken.release();
  });

  it('commits when the pool is ended meanwhile, and must not be retried after that', async () => {
    const pool = new Pool({ connectionString: tested.url, max: 2 });
    const database = openDatabase({ pool });
    let ended: Promise<void> | undefined;
    const result = await database.transaction(async ({ domain }) => {
      ended = pool.end();
      return await domain.placeOrder('ended', { items: [ITEM] });
    });
    expect(result.isOk()).toBe(true);
    await ended;
    const later = await database.transaction(({ domain }) => domain.placeOrder('ended', { items: [ITEM] }));
    expect(later).toEqual(err(expect.objectContaining({ ...RETRYABLE, retryable: false })));
    expect(await count('ended')).toBe(1);
  });
});
