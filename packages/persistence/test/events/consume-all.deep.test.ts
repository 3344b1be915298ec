import { CLAIM_MS, consumeAll, FEED_START, type FeedEvent, type OwnerRetry } from '@orders/domain/events';
import {
  consumeAllInTransaction,
  type ConsumeAllInTransactionOptions,
  type Database,
  openDatabase,
  postgresCheckpoints,
  postgresEventFeed,
  type Transaction,
} from '@orders/persistence';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { advance } from '../fixtures/contract-subject.ts';
import { execute } from '../fixtures/execute.ts';
import { insertMany, upTo } from '../fixtures/feed-rows.ts';
import { holding, untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

beforeAll(async () => {
  await execute(database.url, 'create table public.effects (owner_id text, place serial, position bigint)');
});
// A consumer serves all owners of the database.
beforeEach(() => execute(database.url, 'truncate public.effects, changes, feeds, checkpoints, idempotency'));

async function effects(owner: string): Promise<readonly number[]> {
  const rows = await execute<{ position: string }>(
    database.url,
    `select position from effects where owner_id = '${owner}' order by place`,
  );
  return rows.map(({ position }) => Number(position));
}

async function count(): Promise<number> {
  return (await execute(database.url, 'select from effects')).length;
}

const store = async (owner: string, { position }: FeedEvent, { client }: Transaction): Promise<void> => {
  await client.query('insert into public.effects (owner_id, position) values ($1, $2)', [owner, position]);
};

/** Starts a consumer in transactions, and returns a function that ends it. */
function start(server: Database, options: Partial<ConsumeAllInTransactionOptions> = {}) {
  const stop = new AbortController();
  const { signal } = stop;
  const consuming = consumeAllInTransaction({ database: server, name: 'mail', handler: store, signal, ...options });
  return async () => {
    stop.abort();
    await consuming;
  };
}

const untilEffects = (expected: number) =>
  vi.waitFor(async () => expect(await count()).toBeGreaterThanOrEqual(expected));

describe('consumeAllInTransaction', () => {
  it.each([1, 7])(
    'stores each effect once, in order, while two servers share the owners and sessions are ended, by %d',
    async (eventsPerTransaction) => {
      const another = untilFinished(openDatabase({ url: database.url }));
      const owners = upTo(20).map((number) => `owner ${number}`);
      for (const owner of owners) await insertMany(database.url, owner, 30, '2026-01-01');
      const served = new Map<Database, number>();
      const ends = [database.current, another].map((server) =>
        start(server, {
          eventsPerTransaction,
          handler: async (owner, event, transaction) => {
            await store(owner, event, transaction);
            served.set(server, (served.get(server) ?? 0) + 1);
          },
        }),
      );
      let ended = 0;
      while ((await count()) < 600) {
        const sessions = await execute(
          database.url,
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query like '%insert into public%' and pid <> pg_backend_pid()`,
        );
        ended += sessions.length;
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      for (const end of ends) await end();
      expect(ended).toBeGreaterThan(0);
      for (const owner of owners) expect(await effects(owner)).toEqual(upTo(30));
      expect(Math.min(...served.values())).toBeGreaterThan(60);
    },
  );

  it('goes on for others while the handler of one owner throws, and stores what it has before', async () => {
    await insertMany(database.url, 'a', 9, '2026-01-01');
    await insertMany(database.url, 'b', 9, '2026-01-01');
    const retries: OwnerRetry[] = [];
    const end = start(database.current, {
      eventsPerTransaction: 100,
      onRetry: (retry) => void retries.push(retry),
      handler: async (owner, event, transaction) => {
        await store(owner, event, transaction);
        if (owner === 'a' && event.position === 6) throw new Error('no');
      },
    });
    await vi.waitFor(async () => expect([await effects('a'), await effects('b')]).toEqual([upTo(5), upTo(9)]));
    await vi.waitFor(() => expect(retries.length).toBeGreaterThan(2));
    await end();
    expect(await effects('a')).toEqual(upTo(5));
    expect(new Set(retries.map(({ owner }) => owner))).toEqual(new Set(['a']));
  });

  it('finds what another process writes, for owners without a feed, too', async () => {
    const end = start(database.current);
    await insertMany(database.url, 'a', 2, '2026-01-01');
    await untilEffects(2);
    await insertMany(database.url, 'a', 1, '2026-01-02');
    await insertMany(database.url, 'b', 1, '2026-01-01');
    await untilEffects(4);
    await end();
    expect([await effects('a'), await effects('b')]).toEqual([upTo(3), [1]]);
  });

  it('leaves an owner alone whose checkpoint another transaction has locked', async () => {
    await insertMany(database.url, 'a', 2, '2026-01-01');
    const end = start(database.current);
    await untilEffects(2);
    await end();
    const release = await holding(database.url, `select from checkpoints where owner_id = 'a' for update`);
    for (const owner of ['a', 'b']) await insertMany(database.url, owner, 1, '2026-01-02');
    const retries: OwnerRetry[] = [];
    // The owner that comes up first would keep its only place until the wait for the lock fails.
    const again = start(database.current, { concurrency: 1, onRetry: (retry) => void retries.push(retry) });
    await untilEffects(3);
    expect([await effects('a'), retries]).toEqual([upTo(2), []]);
    await release();
    await untilEffects(4);
    await again();
    expect([await effects('a'), await effects('b')]).toEqual([upTo(3), [1]]);
  });

  it('goes on at the position that a handler of lost feeds returns', async () => {
    await insertMany(database.url, 'a', 3, '2026-01-01');
    await postgresCheckpoints(database.current).save('a', 'mail', { position: 7, event: '8000000000000007' });
    const lost: string[] = [];
    const end = start(database.current, {
      onFeedLost: (owner, { reason }) => {
        lost.push(`${owner} ${reason.type}`);
        return FEED_START;
      },
    });
    await untilEffects(3);
    await end();
    expect([await effects('a'), lost]).toEqual([upTo(3), ['a feed_reset']]);
  });

  it('rejects an invalid option', async () => {
    await expect(start(database.current, { eventsPerTransaction: 101 })()).rejects.toThrow(RangeError);
    await expect(start(database.current, { name: '' })()).rejects.toThrow(TypeError);
  });
});

describe('consumeAll', () => {
  it('delivers each event once to servers that share the owners, and again after the minute of a lost claim', async () => {
    const another = untilFinished(openDatabase({ url: database.url }));
    const owners = upTo(12).map((number) => `owner ${number}`);
    for (const owner of owners) await insertMany(database.url, owner, 10, '2026-01-01');
    const [lost] = owners;
    (await postgresCheckpoints(another).claim(lost ?? '', 'mail'))._unsafeUnwrap();
    const delivered: string[] = [];
    const stop = new AbortController();
    const consuming = [database.current, another].map((server) =>
      consumeAll({
        feed: postgresEventFeed(server),
        checkpoints: postgresCheckpoints(server),
        name: 'mail',
        handler: (owner, { position }) => void delivered.push(`${owner}: ${position}`),
        signal: stop.signal,
      }),
    );
    await vi.waitFor(() => expect(delivered).toHaveLength(110));
    await advance(database.current, lost ?? '', CLAIM_MS);
    await vi.waitFor(() => expect(delivered).toHaveLength(120));
    stop.abort();
    await Promise.all(consuming);
    expect(new Set(delivered).size).toBe(120);
    for (const owner of owners)
      expect(delivered.filter((one) => one.startsWith(`${owner}:`))).toEqual(upTo(10).map((at) => `${owner}: ${at}`));
  });
});
