import type { Owner } from '@orders/domain';
import { openDatabase } from '@orders/persistence';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FeedStatements } from '../../src/events/feed-statements.ts';
import { FeedWaiters } from '../../src/events/feed-waiters.ts';
import { SlowProbes } from '../../src/events/slow-probes.ts';
import { VisibleTransactions } from '../../src/events/visible-transactions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { anotherSession } from '../fixtures/sessions.ts';

const database = testDatabase();
const server = openDatabase({ url: database.url });
afterAll(() => server.close());

const WAIT = { timeoutMs: 3_600_000 };

/** Waiters whose statements return what a test says, because other tests commit transactions in the same cluster. */
function someWaiters() {
  const said: { visible: string; failure?: Error } = { visible: '10:10:' };
  /** The owners of each check. */
  const checks: (readonly Owner[])[] = [];
  const check: FeedStatements['waiting'] = (_, { owners }) => {
    checks.push(owners);
    return said.failure ? Promise.reject(said.failure) : Promise.resolve([]);
  };
  const slow = new SlowProbes(() => new Promise(() => undefined));
  const connected = { primary: server.primary, writeListeners: new Set<never>() };
  const waiters = new FeedWaiters(
    connected,
    { waits: () => Promise.reject(new Error('a statement for one place')), waiting: check },
    slow,
    { usesCitus: () => Promise.resolve(false), read: () => Promise.resolve(said.visible) },
  );
  const wait = (owner: Owner) => void waiters.wait(owner, 0, WAIT);
  /** Lets the time of some checks pass, and returns those that were sent. */
  const checksAfter = async (pauses: number) => {
    checks.length = 0;
    await vi.advanceTimersByTimeAsync(pauses * 250 + 1);
    return [...checks];
  };
  return { said, wait, checksAfter };
}

describe('the check of readers who wait', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is omitted until a transaction is committed', async () => {
    const { said, wait, checksAfter } = someWaiters();
    wait('a');
    expect(await checksAfter(2)).toEqual([['a'], ['a']]);
    expect(await checksAfter(8)).toEqual([]);
    said.visible = '10:11:10';
    expect(await checksAfter(8)).toEqual([['a']]);
  });

  it('is repeated after a failure', async () => {
    const { said, wait, checksAfter } = someWaiters();
    wait('a');
    await checksAfter(4);
    said.visible = '11:11:';
    said.failure = new Error('connection lost');
    expect(await checksAfter(3)).toEqual([['a'], ['a'], ['a']]);
    delete said.failure;
    expect(await checksAfter(3)).toEqual([['a']]);
  });
});

describe('the transactions that are visible', () => {
  const transactions = new VisibleTransactions(server);
  const read = () => transactions.read();

  const begin = async () => {
    const session = await anotherSession(database.url);
    await session.query('begin; select pg_current_xact_id()');
    return session;
  };

  it('are others after each commit, in whichever order the transactions began', async () => {
    const [older, newer, newest] = [await begin(), await begin(), await begin()];
    const seen = [await read()];
    for (const session of [newer, older, newest]) {
      await session.query('commit');
      seen.push(await read());
    }
    expect(new Set(seen).size).toBe(4);
  });

  it('are others after the commit of a released savepoint', async () => {
    const session = await begin();
    await session.query('savepoint a; create temporary table in_savepoint (); release savepoint a');
    const before = await read();
    await session.query('commit');
    expect(await read()).not.toBe(before);
  });
});
