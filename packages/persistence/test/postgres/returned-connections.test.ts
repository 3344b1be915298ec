import { once } from 'node:events';
import { type Database, openDatabase } from '@orders/persistence';
import { beforeEach, describe, expect, it } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { anotherSession, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const tested = testDatabase();
let database: Database;
/** The number of connections that the pool has handed out. */
let acquired: number;

beforeEach(async () => {
  database = untilFinished(openDatabase({ url: tested.url, poolMax: 1 }));
  await session();
  acquired = 0;
  database.primary.pool.on('acquire', () => (acquired += 1));
});

/** Returns the process id of the session that executes the statement. */
async function session(condition = 'true'): Promise<number | undefined> {
  const text = `select pg_backend_pid() as pid where ${condition}`;
  const [row] = await database.primary.execute<{ pid: number }>({ name: '', text }, []);
  return row?.pid;
}

describe('a returned connection', () => {
  it('passes from one waiting statement to the next, and then goes back to the pool', async () => {
    const sessions = await Promise.all(Array.from({ length: 5 }, () => session()));
    expect(new Set(sessions).size).toBe(1);
    expect(acquired).toBe(1);
    expect(database.primary.pool.idleCount).toBe(1);
    await session();
    expect(acquired).toBe(2);
  });

  it('executes the next statement after one that failed', async () => {
    const [failed, ...others] = await Promise.allSettled([session('1 / 0 = 1'), session(), session()]);
    expect(failed).toMatchObject({ reason: { code: '22012' } });
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(acquired).toBe(1);
  });

  it.each(['08006', '57P01', '58030'])('executes the next statement after ERROR %s', async (code) => {
    const before = await session();
    const text = `do $$ begin raise exception 'a worker is down' using errcode = '${code}'; end $$`;
    await expect(database.primary.run(text)).rejects.toMatchObject({ code });
    await expect(database.primary.execute({ name: '', text }, [])).rejects.toMatchObject({ code });
    await expect(database.primary.transaction((open) => open.run(text))).rejects.toMatchObject({ code });
    expect(await session()).toBe(before);
  });

  it('passes from a statement to a transaction, and back', async () => {
    const transaction = () => database.primary.transaction((open) => open.run('select 1'));
    await Promise.all([session(), transaction(), session()]);
    expect(acquired).toBe(1);
    expect(database.primary.pool.idleCount).toBe(1);
  });

  it('is closed instead when the connections were renewed meanwhile', async () => {
    const [first, second] = [session(), session()];
    database.primary.renew();
    expect(await second).not.toBe(await first);
  });

  it('is closed instead when its session has ended', async () => {
    const [ended, next] = [session('pg_terminate_backend(pg_backend_pid())'), session()];
    await expect(ended).rejects.toMatchObject({ code: '57P01' });
    expect(await next).toBeTypeOf('number');
  });

  it('is closed instead when the pool ends', async () => {
    const { pool } = database.primary;
    const statements = [session(), session()];
    await once(pool, 'acquire');
    const ended = pool.end();
    const settled = await Promise.allSettled(statements);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await ended;
  });
});

describe('the end of an idle session', () => {
  it('is reported, unless the database is being closed', async () => {
    const warnings: string[] = [];
    const opened = openDatabase({ url: tested.url, warn: (message) => warnings.push(message) });
    const client = await opened.primary.pool.connect();
    client.emit('error', new Error('terminated'));
    const closing = opened.close();
    client.emit('error', new Error('terminated, too'));
    client.release();
    await closing;
    expect(warnings).toEqual(['lost a connection to the database: terminated']);
  });
});

describe('owners whose node is down', () => {
  it('have the connections of one owner together, until a statement succeeds', async () => {
    const { primary } = untilFinished(openDatabase({ url: tested.url, poolMax: 10 }));
    const of = (owner: string, text: string) =>
      primary.execute({ name: '', text: `${text} where $1 <> ''`, owner: 0 }, [owner]);
    await execute(
      tested.url,
      `create function public.node_down() returns text language plpgsql as
       $$ begin raise exception 'a worker is down' using errcode = '08006'; end $$`,
    );
    const owners = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
    for (const owner of owners)
      await expect(of(owner, 'select public.node_down()')).rejects.toMatchObject({ code: '08006' });
    const blocker = await anotherSession(tested.url);
    await blocker.query('select pg_advisory_lock(1)');
    const blocked = owners.map((owner) => of(owner, 'select pg_advisory_xact_lock(1)'));
    expect(primary.waiting).toBe(16);
    await of('another', 'select 1');
    await blocker.query('select pg_advisory_unlock(1)');
    await Promise.all(blocked);
    await blocker.query('select pg_advisory_lock(1)');
    const after = owners.slice(0, 6).map((owner) => of(owner, 'select pg_advisory_xact_lock(1)'));
    expect(primary.waiting).toBe(0);
    await blocker.query('select pg_advisory_unlock(1)');
    await Promise.all(after);
  });
});
