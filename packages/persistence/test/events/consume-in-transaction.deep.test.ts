import type { FeedEvent } from '@orders/domain/events';
import { consumeInTransaction, type Database, openDatabase, type Transaction } from '@orders/persistence';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { untilFinished } from '../fixtures/sessions.ts';
import { testDatabase } from '../fixtures/test-database.ts';
import { watchedServer } from '../fixtures/watched-server.ts';
import { insertMany, upTo } from '../fixtures/feed-rows.ts';

const database = testDatabase();

beforeAll(async () => {
  await execute(database.url, 'create table public.effects (owner_id text, place serial, position bigint)');
});

async function effects(owner: string): Promise<readonly number[]> {
  const rows = await execute<{ position: string }>(
    database.url,
    `select position from effects where owner_id = '${owner}' order by place`,
  );
  return rows.map(({ position }) => Number(position));
}

const store = (owner: string) => async (event: FeedEvent, transaction: Transaction) => {
  await transaction.client.query('insert into public.effects (owner_id, position) values ($1, $2)', [
    owner,
    event.position,
  ]);
};

/** Runs a consumer until it has stored `count` effects. */
async function consumeUntil(
  server: Database,
  owner: string,
  count: number,
  handler = store(owner),
  causes: unknown[] = [],
): Promise<void> {
  const stop = new AbortController();
  const options = { signal: stop.signal, onRetry: ({ cause }: { readonly cause: unknown }) => void causes.push(cause) };
  const consuming = consumeInTransaction({ database: server, owner, name: 'mail', handler, ...options });
  try {
    await vi.waitFor(async () => expect((await effects(owner)).length).toBeGreaterThanOrEqual(count));
  } finally {
    stop.abort();
    await consuming;
  }
}

async function checkpoint(owner: string): Promise<number> {
  const [row] = await execute<{ position: string }>(
    database.url,
    `select position from checkpoints where owner_id = '${owner}'`,
  );
  return Number(row?.position);
}

describe('consumeInTransaction', () => {
  it('stores each effect with its checkpoint, and continues there', async () => {
    await insertMany(database.url, 'plain', 3, '2026-01-01');
    await consumeUntil(database.current, 'plain', 3);
    await insertMany(database.url, 'plain', 2, '2026-01-02');
    await consumeUntil(database.current, 'plain', 5);
    expect(await effects('plain')).toEqual(upTo(5));
    expect(await checkpoint('plain')).toBe(5);
  });

  it('rolls the effect of a handler back that throws, and calls it again', async () => {
    await insertMany(database.url, 'throwing', 4, '2026-01-01');
    let thrown = 0;
    const causes: unknown[] = [];
    await consumeUntil(
      database.current,
      'throwing',
      4,
      async (event, transaction) => {
        await store('throwing')(event, transaction);
        if (event.position === 2 && (thrown += 1) <= 2) throw new Error('no');
      },
      causes,
    );
    expect(await effects('throwing')).toEqual(upTo(4));
    expect(causes).toEqual([new Error('no'), new Error('no')]);
  });

  it('stores each effect once when sessions are ended between the effect and its checkpoint', async () => {
    await insertMany(database.url, 'ended', 6, '2026-01-01');
    const ended = new Set<number>();
    await consumeUntil(database.current, 'ended', 6, async (event, transaction) => {
      await store('ended')(event, transaction);
      if (event.position % 2 === 0 || ended.has(event.position)) return;
      ended.add(event.position);
      const { rows } = await transaction.client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await execute(database.url, `select pg_terminate_backend(${rows[0]?.pid}, 10000)`);
    });
    expect([...ended]).toEqual([1, 3, 5]);
    expect(await effects('ended')).toEqual(upTo(6));
    expect(await checkpoint('ended')).toBe(6);
  });

  it('stores each effect once when the response to COMMIT is lost', async () => {
    const { proxy, server } = await watchedServer(database.url);
    await insertMany(database.url, 'lost', 4, '2026-01-01');
    let isArmed = false;
    await consumeUntil(server, 'lost', 4, async (event, transaction) => {
      await store('lost')(event, transaction);
      if (event.position !== 2 || isArmed) return;
      isArmed = true;
      proxy.fault(1, 'response_lost', ({ text }) => text.endsWith('commit'));
    });
    expect(isArmed).toBe(true);
    expect(await effects('lost')).toEqual(upTo(4));
  });

  it('stores each effect once when two servers run the same consumer', async () => {
    const another = untilFinished(openDatabase({ url: database.url }));
    await insertMany(database.url, 'twice', 20, '2026-01-01');
    await Promise.all([database.current, another].map((server) => consumeUntil(server, 'twice', 20)));
    expect(await effects('twice')).toEqual(upTo(20));
  });

  it('saves the position behind events of other types', async () => {
    await insertMany(database.url, 'filtered', 3, '2026-01-01');
    const stop = new AbortController();
    const consuming = consumeInTransaction({
      database: database.current,
      owner: 'filtered',
      name: 'mail',
      handler: store('filtered'),
      types: ['customer.created'],
      signal: stop.signal,
    });
    await vi.waitFor(async () => expect(await checkpoint('filtered')).toBe(3));
    stop.abort();
    await consuming;
    expect(await effects('filtered')).toEqual([]);
  });

  it('rejects an invalid owner, name or option', async () => {
    const valid = { database: database.current, owner: 'o', name: 'mail', handler: () => undefined };
    await expect(consumeInTransaction({ ...valid, owner: '' })).rejects.toThrow(TypeError);
    await expect(consumeInTransaction({ ...valid, name: '' })).rejects.toThrow(TypeError);
    await expect(consumeInTransaction({ ...valid, waitMs: 1 })).rejects.toThrow('waitMs');
  });
});
