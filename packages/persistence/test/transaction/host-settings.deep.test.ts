import { type OrdersDatabase, openDatabase } from '@orders/persistence';
import { ok } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';
import { anotherSession, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { aHost, ITEM, RETRYABLE } from './a-host.ts';
import { hostOrm } from './host-tables.ts';

const tested = testDatabase();
const { open, openPool, place, count } = aHost(tested);

/** Returns the process and the settings of the only session of a database. */
async function sessionOf({ primary }: Pick<OrdersDatabase, 'primary'>) {
  const text = `select pg_backend_pid() as pid, current_user || string_agg(name || setting, ' ' order by name) as settings
    from pg_settings`;
  const [row] = await primary.execute<{ pid: number; settings: string }>({ name: '', text }, []);
  return row;
}

describe('what a host changes in a session', () => {
  it.each([
    ['the setting DateStyle', 'set DateStyle to German', 'kept'],
    ['the role', 'set role pg_database_owner', 'kept'],
    ['the search path', 'set search_path to pg_catalog', 'kept'],
    ['the default isolation', 'set default_transaction_isolation to serializable', 'kept'],
    ['a temporary table', 'create temp table orders (id int)', 'kept'],
    ['the prepared statements', 'deallocate all', 'closed'],
  ] as const)('%s ends with its transaction', async (_, statement, session) => {
    const database = untilFinished(openDatabase({ url: tested.url, poolMax: 1, orm: hostOrm(tested.url) }));
    const use = () => database.transaction(({ domain }) => domain.placeOrder('settings', { items: [ITEM] }));
    // The statements of the use case are prepared.
    (await use())._unsafeUnwrap();
    const before = await sessionOf(database);
    for (const run of [
      () => database.transaction(async ({ client }) => ok(await client.query(statement))),
      () => database.transaction(async ({ em }) => ok(await em.execute(statement))),
    ]) {
      await run();
      expect((await use()).isOk()).toBe(true);
    }
    const after = await sessionOf(database);
    expect(after?.settings).toBe(before?.settings);
    expect(after?.pid === before?.pid ? 'kept' : 'closed').toBe(session);
  });

  it('a lock of the session, a cursor and a subscription end with its transaction', async () => {
    const database = open({ poolMax: 1 });
    await database.transaction(async ({ client }) =>
      ok(await client.query(`select pg_advisory_lock(1); listen news; declare c cursor with hold for select 1`)),
    );
    const left = `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()
      union all select from pg_cursors where name = 'c' union all select from pg_listening_channels()`;
    expect(await database.primary.execute({ name: '', text: left }, [])).toEqual([]);
  });

  it.each(['set DateStyle to German', 'deallocate all'])(
    'closes a connection of its own pool by %s, and keeps it by others',
    async (statement) => {
      const pool = openPool({ max: 1 });
      const database = openDatabase({ pool });
      const run = async (text: string) => {
        await database.transaction(async ({ client }) => ok(await client.query(text)));
        const placed = await database.transaction(({ domain }) => domain.placeOrder('settings', { items: [ITEM] }));
        expect(placed.isOk()).toBe(true);
        return (await sessionOf(database))?.pid;
      };
      const before = await run('set work_mem to 65536');
      expect((await pool.query('show work_mem')).rows).toEqual([{ work_mem: '64MB' }]);
      expect(await run('select 1')).toBe(before);
      expect(await run(statement)).not.toBe(before);
    },
  );
});

describe('a statement of a host', () => {
  it.each(['set transaction isolation level serializable', 'set local transaction_isolation to "repeatable read"'])(
    'cannot change the isolation by %s',
    async (statement) => {
      const work = open().transaction(async ({ client, domain }) => {
        await client.query(statement);
        return await domain.placeOrder('isolation', { items: [ITEM] });
      });
      await expect(work).rejects.toMatchObject({ code: '25001' });
    },
  );

  it.each(['rollback and chain', 'rollback; begin isolation level serializable'])(
    'is noticed when it begins another transaction by %s, of which nothing is stored',
    async (statement) => {
      const database = open({ poolMax: 1 });
      const work = database.transaction(async ({ client, domain }) => {
        (await domain.placeOrder('begun', { items: [ITEM] }))._unsafeUnwrap();
        await client.query(statement);
        return await domain.placeOrder('begun', { items: [ITEM] });
      });
      await expect(work).rejects.toThrow('a statement ended the transaction');
      expect(await count('begun')).toBe(0);
    },
  );

  it.each(['commit and chain', 'commit; begin'])('is noticed when it commits by %s', async (statement) => {
    const owner = statement.replaceAll(/\W/g, '-');
    const work = open().transaction(async ({ client, domain }) => {
      (await domain.placeOrder(owner, { items: [ITEM] }))._unsafeUnwrap();
      await client.query(statement);
      return await domain.placeOrder(owner, { items: [ITEM] });
    });
    await expect(work).rejects.toThrow('a statement ended the transaction');
    expect(await count(owner)).toBe(1);
  });
});

describe('a transaction that reaches its maximum age', () => {
  it('is rolled back while its work goes on, and results in a failure', async () => {
    const id = await place('aged');
    const database = open({ poolMax: 1, transactionTimeoutMs: 1000 });
    const other = await anotherSession(tested.url);
    let isTried = false;
    const result = await database.transaction(async ({ domain, client }) => {
      (await domain.cancelOrder('aged', id))._unsafeUnwrap();
      // Statements follow one another, so that PostgreSQL does not end it as an idle one.
      await vi.waitFor(() => expect(client.query('select 1')).rejects.toMatchObject(RETRYABLE));
      await other.query(`select from orders where id = '${id}' for update nowait`);
      isTried = true;
      return ok('done');
    });
    expect(isTried).toBe(true);
    expect(result._unsafeUnwrapErr()).toMatchObject({ ...RETRYABLE, message: /1000 ms/ });
    expect((await database.transaction(({ domain }) => domain.getOrder('aged', id)))._unsafeUnwrap()).toMatchObject({
      status: 'pending',
    });
  });
});
