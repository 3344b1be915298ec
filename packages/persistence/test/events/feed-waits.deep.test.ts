import { setImmediate as nextTurn } from 'node:timers/promises';
import { FEED_WAITS_MAX } from '@orders/domain/events';
import type { PostgresProxy } from '@orders/postgres-proxy';
import { err } from 'neverthrow';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { execute, findingTables } from '../fixtures/execute.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { insertMany } from '../fixtures/feed-rows.ts';
import { readPage } from '../fixtures/reading.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { postgresEventFeed } from '@orders/persistence';

const database = testDatabase();

/** Longer than a test may take, so that no wait ends by itself. */
const LONG_MS = 24 * 60 * 60 * 1000;

/** Opens a server whose statements are recorded. */
async function watched(settings: { readonly poolMax?: number } = {}, url = database.url) {
  const { proxy, server } = await watchedServer(url, settings);
  return { proxy, server, feed: postgresEventFeed(server) };
}

const isCheck = ({ text }: { readonly text: string }) => text.includes('unnest(') && text.includes('select w.place');
const isCheckOfOne = ({ text }: { readonly text: string }) => text.includes('as has_events');

/** Waits until more than `count` checks have begun. Each is caused by a transaction. */
async function checkedOften({ statements }: PostgresProxy, count: number): Promise<void> {
  await vi.waitFor(async () => {
    await execute(database.url, 'select pg_current_xact_id()');
    expect(statements.filter(isCheck).length).toBeGreaterThan(count);
  });
}

/** Returns whether a wait has ended. */
async function hasEnded(waiting: Promise<void>): Promise<boolean> {
  return await Promise.race([waiting.then(() => true), nextTurn(false)]);
}

describe('a wait for events', () => {
  it('is checked together with others, at once when it is new, and by no statement after its end', async () => {
    const { proxy, feed } = await watched();
    const waiting = Array.from({ length: 50 }, (_, n) => feed.wait(`owner ${n}`, 0, { timeoutMs: LONG_MS }));
    await checkedOften(proxy, 4);
    // The first waiter is checked alone.
    const [, , ...later] = proxy.statements.filter(isCheck);
    for (const { parameters } of later) expect(parameters[0]?.split(',')).toHaveLength(50);
    await insertMany(database.url, 'owner 7', 1, '2026-01-01');
    await waiting[7];
    expect(await hasEnded(waiting[8] ?? Promise.resolve())).toBe(false);
    for (let n = 0; n < 50; n += 1) await insertMany(database.url, `owner ${n}`, 1, '2026-01-01');
    await Promise.all(waiting);
    // A check that was under way has ended once a statement after it has.
    proxy.clear();
    const next = feed.wait('owner 0', 0, { timeoutMs: 600 });
    await next;
    expect(proxy.statements.filter(isCheck)).toHaveLength(1);
  });

  it('shares its check with others at the same position of its owner, and with no one at another position', async () => {
    const { proxy, feed } = await watched();
    await insertMany(database.url, 'shared', 2, '2026-01-01');
    (await readPage(feed, 'shared'))._unsafeUnwrap();
    const atEnd = [1, 2, 3].map(() => feed.wait('shared', 2, { timeoutMs: LONG_MS }));
    const behind = feed.wait('shared', 1, { timeoutMs: LONG_MS });
    await behind;
    proxy.clear();
    await checkedOften(proxy, 2);
    for (const { parameters } of proxy.statements.filter(isCheck).slice(1)) {
      expect(parameters.slice(0, 2)).toEqual(['{"shared"}', '{"2"}']);
    }
    for (const one of atEnd) expect(await hasEnded(one)).toBe(false);
    await insertMany(database.url, 'shared', 1, '2026-01-02');
    await Promise.all(atEnd);
  });

  it('ends for an event that another process has written and numbered between two checks', async () => {
    const { proxy, feed } = await watched();
    await insertMany(database.url, 'numbered', 1, '2026-01-01');
    (await readPage(feed, 'numbered'))._unsafeUnwrap();
    const waiting = feed.wait('numbered', 1, { timeoutMs: LONG_MS });
    await checkedOften(proxy, 2);
    expect(await hasEnded(waiting)).toBe(false);
    await execute(
      database.url,
      `insert into changes
         (owner_id, aggregate, aggregate_id, version, event_id, type, changed, occurred_at, snapshot_format, position)
       values ('numbered', 'order', gen_random_uuid(), 1, gen_random_uuid(), 'order.placed', '[]', now(), 1, 2)`,
    );
    await waiting;
  });

  it('is of its owner alone, whatever characters the owner has', async () => {
    const { proxy, feed } = await watched();
    const other = feed.wait('unquoted', 0, { timeoutMs: LONG_MS });
    const owners = [String.raw`back\slash`, 'one "quoted"', '{braced}', 'a,b', 'null'];
    const waiting = owners.map((owner) => feed.wait(owner, 0, { timeoutMs: LONG_MS }));
    await checkedOften(proxy, 2);
    for (const [index, owner] of owners.entries()) {
      for (const one of waiting.slice(index)) expect(await hasEnded(one)).toBe(false);
      await insertMany(database.url, owner, 1, '2026-01-01');
      await waiting[index];
    }
    expect(await hasEnded(other)).toBe(false);
  });

  it('ends when an own transaction is committed, and not when it is rolled back', async () => {
    const { proxy, feed, server } = await watched();
    const waiting = feed.wait('own', 0, { timeoutMs: LONG_MS });
    await vi.waitFor(() => expect(proxy.statements.filter(isCheck)).not.toEqual([]));
    const placing = (result: 'keep' | 'drop') =>
      server.transaction(async ({ domain }) => {
        const placed = await domain.placeOrder('own', { items: [{ ...ITEM }] });
        expect(await hasEnded(waiting)).toBe(false);
        return result === 'keep' ? placed : err({ type: 'dropped' as const });
      });
    expect((await placing('drop'))._unsafeUnwrapErr()).toEqual({ type: 'dropped' });
    expect(await hasEnded(waiting)).toBe(false);
    expect((await placing('keep')).isOk()).toBe(true);
    expect(await hasEnded(waiting)).toBe(true);
  });

  it('ends at once beyond four of an owner', async () => {
    const { feed } = await watched();
    const stop = new AbortController();
    const waiting = [1, 2, 3, 4].map(() => feed.wait('full', 0, { timeoutMs: LONG_MS, signal: stop.signal }));
    await feed.wait('full', 0, { timeoutMs: LONG_MS, signal: stop.signal });
    for (const one of waiting) expect(await hasEnded(one)).toBe(false);
    stop.abort();
    await Promise.all(waiting);
  });

  it('ends at once beyond ten thousand, each of which is checked', async () => {
    const { feed } = await watched();
    const stop = new AbortController();
    const options = { timeoutMs: LONG_MS, signal: stop.signal };
    const waiting = Array.from({ length: FEED_WAITS_MAX }, (_, n) => feed.wait(`many ${n}`, 0, options));
    await feed.wait('one more', 0, options);
    await insertMany(database.url, 'many 9999', 1, '2026-01-01');
    await waiting.at(-1);
    expect(await hasEnded(waiting[0] ?? Promise.resolve())).toBe(false);
    stop.abort();
    await Promise.all(waiting);
  });

  it('is checked when it is new, also between two checks of all', async () => {
    const { proxy, feed, server } = await watched({ poolMax: 1 });
    const checked = () => proxy.statements.filter(isCheck).map(({ parameters }) => parameters[0]);
    // No pause ends by itself, so that no check of all is due.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const owner of ['known', 'new', 'newer']) {
      void feed.wait(owner, 0, { timeoutMs: LONG_MS });
      for (const until = Date.now() + 20_000; !checked().includes(`{"${owner}"}`) && Date.now() < until;) {
        await nextTurn();
      }
      // On the only connection, the check ends before the next wait begins.
      await server.ping();
      await nextTurn();
    }
    expect(checked()).toEqual(['{"known"}', '{"new"}', '{"newer"}']);
  });

  it('does not end early when its time exceeds that of a timer', async () => {
    const { proxy, feed } = await watched();
    const waiting = feed.wait('patient', 0, { timeoutMs: 2 ** 31 });
    await checkedOften(proxy, 2);
    expect(await hasEnded(waiting)).toBe(false);
  });

  it('ends when the database is closed', async () => {
    const { feed, server } = await watched();
    const waiting = feed.wait('closed', 0, { timeoutMs: LONG_MS });
    expect(await hasEnded(waiting)).toBe(false);
    const closing = server.close();
    expect(await hasEnded(waiting)).toBe(true);
    await closing;
  });

  it('has a statement for each owner on Citus', async () => {
    await execute(database.url, 'create table pg_dist_partition (logicalrelid regclass)');
    onTestFinished(async () => void (await execute(database.url, 'drop table pg_dist_partition')));
    const { proxy, feed } = await watched({}, findingTables(database.url));
    const waiting = Array.from({ length: 20 }, (_, n) => feed.wait(`citus ${n}`, 0, { timeoutMs: LONG_MS }));
    await vi.waitFor(() => expect(proxy.statements.filter(isCheckOfOne).length).toBeGreaterThan(40));
    expect(proxy.statements.filter(isCheck)).toEqual([]);
    for (let n = 0; n < 20; n += 1) await insertMany(database.url, `citus ${n}`, 1, '2026-01-01');
    await Promise.all(waiting);
    for (let n = 0; n < 20; n += 1) (await readPage(feed, `citus ${n}`))._unsafeUnwrap();
    await feed.wait('citus 1', 0, { timeoutMs: LONG_MS });
  });
});

const ITEM = { sku: 'TEA', name: 'Tea', quantity: 1, unit_price: { amount: 100, currency: 'EUR' } };
