import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { ok } from 'neverthrow';
import { Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, insertPickUp, ITEM, RETRYABLE } from './a-host.ts';
import { createPickUps, hostOrm } from './host-tables.ts';

const tested = testDatabase();
const { open, openPool, count, shelves } = aHost(tested);

beforeAll(() => createPickUps(tested.url));

const RUNS = 1000;

/** Begins a transaction, and passes on its use cases and a statement of the host; rolls back when `work` throws. */
type Begin = (
  work: (domain: InTransaction, query: (text: string) => Promise<unknown>) => Promise<unknown>,
) => Promise<void>;
type InTransaction = Awaited<ReturnType<typeof tested.current.joinTransaction>>['domain'];

/** Each with one connection, which the next transaction gets at once. */
const HOSTS: Readonly<Record<string, () => Begin>> = {
  'database.transaction': () => {
    const database = open({ poolMax: 1 });
    return async (work) => {
      await database.transaction(async ({ domain, client }) => ok(await work(domain, (text) => client.query(text))));
    };
  },
  'an EntityManager': () => {
    const { em } = hostOrm(tested.url, { pool: { min: 0, max: 1 } });
    return (work) =>
      em.fork().transactional(async (inside) => {
        const { domain } = await tested.current.joinTransaction(inside);
        await work(domain, (text) => inside.execute(text));
      });
  },
  'an executor': () => {
    const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: openPool({ max: 1 }) }) });
    return (work) =>
      kysely.transaction().execute(async (inside) => {
        const query = async (text: string, values: (string | null)[] = []) =>
          (await inside.executeQuery<object>(CompiledQuery.raw(text, values))).rows;
        const { domain } = await tested.current.joinTransaction({ query });
        await work(domain, (text) => query(text));
      });
  },
  'a client of pg': () => {
    const pool = openPool({ max: 1 });
    return async (work) => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        const { domain } = await tested.current.joinTransaction(client);
        await work(domain, (text) => client.query(text));
        expect(await client.query('commit')).toMatchObject({ command: 'COMMIT' });
      } catch (cause) {
        await client.query('rollback');
        throw cause;
      } finally {
        client.release();
      }
    };
  },
};

/** Fails after so many turns of the event loop. */
async function failAfter(turns: number): Promise<never> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => void setImmediate(resolve));
  throw new Error('of a sibling');
}

describe.each(Object.entries(HOSTS))('a use case that outlives the transaction of %s', (name, host) => {
  it('stores nothing after its ROLLBACK, and fails no transaction that follows', async () => {
    const begin = host();
    const late: PromiseLike<unknown>[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      const reference = `R-${run % 2}`;
      const outlived = begin(async (domain) => {
        const key = { idempotencyKey: `${run}` };
        const placing = domain.placeOrder(name, { items: [ITEM], reference }, run % 3 === 0 ? key : {});
        late.push(placing.then(String, String));
        await Promise.all([placing, failAfter(run % 40)]);
      });
      await expect(outlived).rejects.toThrow('of a sibling');
      if (run % 5 === 0) await begin((_, query) => query(insertPickUp(`${name}-${run}`)));
    }
    await Promise.all(late);
    expect([await count(name), await shelves(`${name}-`)]).toEqual([0, expect.objectContaining({ length: RUNS / 5 })]);
  });
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
