import { ok } from 'neverthrow';
import { hostTransactionContract, type HostSubject, type Query } from '@orders/persistence/testing';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';
import { hostOrm } from './host-tables.ts';

const tested = testDatabase();
const { open, openPool, count } = aHost(tested);

const query: Query = (text) => execute(tested.url, text);

/** The libraries whose transactions are joined. The next transaction gets the same connection at once. */
const HOSTS: Readonly<Record<string, () => HostSubject['transaction']>> = {
  'a client of pg': () => {
    const pool = openPool({ max: 1 });
    return async (work) => {
      const client = await pool.connect();
      let isLost = true;
      try {
        await client.query('begin');
        await work(client, async (text) => (await client.query<object>(text)).rows);
        await client.query('commit');
        isLost = false;
      } catch (cause) {
        await client.query('rollback').then(
          () => (isLost = false),
          () => undefined,
        );
        throw cause;
      } finally {
        client.release(isLost);
      }
    };
  },
  'an executor of Kysely': () => {
    const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: openPool({ max: 30 }) }) });
    return (work) =>
      kysely.transaction().execute((inside) => {
        const run = async (text: string, values: (string | null)[] = []) =>
          (await inside.executeQuery<object>(CompiledQuery.raw(text, values))).rows;
        return work({ query: run }, (text) => run(text));
      });
  },
};

describe.each(Object.entries(HOSTS))('%s', (_, host) => {
  hostTransactionContract({ describe, it }, () => ({ database: tested.current, transaction: host(), query }), {
    kills: 200,
    outlived: 1000,
  });
});

// MikroORM 7.2.1 waits for ever for a connection that an administrator ends.
describe('an EntityManager of MikroORM', () => {
  const transaction = (): HostSubject['transaction'] => {
    const { em } = hostOrm(tested.url, { pool: { min: 0, max: 2 } });
    return (work) => em.fork().transactional((inside) => work(inside, (text) => inside.execute(text)));
  };
  const subject = () => ({ database: tested.current, transaction: transaction(), query });
  hostTransactionContract({ describe, it }, subject, { kills: 0, outlived: 1000 });
});

it('a use case of database.transaction that outlives its work is waited for, and rolled back with it', async () => {
  const database = open({ poolMax: 1 });
  for (let run = 0; run < 1000; run += 1) {
    let placing: PromiseLike<string> | undefined;
    const work = database.transaction(async ({ domain }) => {
      placing = domain.placeOrder('late', { items: [ITEM] }).then(String, String);
      for (let turn = 0; turn < run % 40; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
      return await Promise.reject(new Error('of a sibling'));
    });
    await expect(work).rejects.toThrow('of a sibling');
    await placing;
  }
  expect(await count('late')).toBe(0);
  expect((await database.transaction(() => Promise.resolve(ok('next')))).isOk()).toBe(true);
});

it('the loss of a joined client between two statements is the error of the next use case', async () => {
  const pool = new Pool({ connectionString: tested.url, max: 1 });
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  await client.query('begin');
  await tested.current.joinTransaction(client);
  const { domain } = await tested.current.joinTransaction(client);
  expect(client.listenerCount('error')).toBe(1);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const isEnded = vi.fn<() => void>();
  client.once('end', isEnded);
  await execute(tested.url, `select pg_terminate_backend(${rows[0]?.pid ?? 0})`);
  await vi.waitFor(() => expect(isEnded).toHaveBeenCalled());
  const placed = await domain.placeOrder('lost', { items: [ITEM] });
  expect(placed._unsafeUnwrapErr()).toMatchObject({ type: 'unavailable', cause: RETRYABLE });
  client.release(true);
});
