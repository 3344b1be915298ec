import {
  consume,
  consumeAll,
  type FeedEvent,
  FeedLost,
  type FeedPosition,
  FEED_START,
  positionOf,
  type RetryOptions,
  systemTimer,
} from '@orders/domain/events';
import {
  consumeAllInTransaction,
  consumeInTransaction,
  postgresCheckpoints,
  postgresEventFeed,
} from '@orders/persistence';
import { describe, expect, it, vi } from 'vitest';
import { execute } from '../fixtures/execute.ts';
import { insertMany, upTo } from '../fixtures/feed-rows.ts';
import { readEverything } from '../fixtures/reading.ts';
import { testDatabase } from '../fixtures/test-database.ts';

const database = testDatabase();

type Handle = (owner: string, event: FeedEvent) => void;

/** Runs a consumer with the name of an owner, of whichever kind. */
const CONSUMERS: Readonly<Record<string, (owner: string, handle: Handle, options: RetryOptions) => Promise<void>>> = {
  consume: (owner, handle, options) => {
    const [feed, checkpoints] = [postgresEventFeed(database.current), postgresCheckpoints(database.current)];
    return consume({ feed, checkpoints, owner, name: owner, handler: (event) => handle(owner, event), ...options });
  },
  consumeInTransaction: (owner, handle, options) =>
    consumeInTransaction({
      database: database.current,
      owner,
      name: owner,
      handler: (e) => handle(owner, e),
      ...options,
    }),
  consumeAll: (owner, handler, options) => {
    const [feed, checkpoints] = [postgresEventFeed(database.current), postgresCheckpoints(database.current)];
    return consumeAll({ feed, checkpoints, name: owner, handler, ...options, onRetry: options.onRetry });
  },
  consumeAllInTransaction: (owner, handler, options) =>
    consumeAllInTransaction({ database: database.current, name: owner, handler, ...options, onRetry: options.onRetry }),
};

/** Makes feed and checkpoint as they were at two positions, as a restore does. Two other events follow. */
async function goBack(owner: string, end: number, checkpoint: FeedPosition | null): Promise<void> {
  const place = checkpoint ?? FEED_START;
  await execute(
    database.url,
    `begin;
     delete from changes where owner_id = '${owner}' and position > ${end};
     update checkpoints set position = ${place.position}, event = '${place.event}', held_until = null
       where owner_id = '${owner}';
     ${checkpoint ? '' : `delete from checkpoints where owner_id = '${owner}';`}
     commit`,
  );
  await insertMany(database.url, owner, 2, '2026-02-01');
}

describe.each(Object.entries(CONSUMERS))('after the database went back to an earlier time, %s', (kind, start) => {
  /** Starts it on five events. `lost` gets the failure of it, or of its owner. */
  const started = async (owner: string, handle: (event: FeedEvent) => void, options: RetryOptions = {}) => {
    await insertMany(database.url, owner, 5, '2026-01-01');
    const all = await readEverything(postgresEventFeed(database.current), owner);
    const stop = new AbortController();
    const handled: string[] = [];
    const ofOwner: Handle = (other, event) => {
      if (other !== owner) return;
      handle(event);
      handled.push(event.id);
    };
    const consuming = start(owner, ofOwner, { signal: stop.signal, ...options });
    const end = async () => {
      stop.abort();
      await consuming;
    };
    return { ids: all.map(({ id }) => id), places: all.map((event) => positionOf(event)), handled, end, consuming };
  };
  const now = async (owner: string) =>
    (await readEverything(postgresEventFeed(database.current), owner)).map(({ id }) => id);

  it.each([2, 0])('goes on from its restored checkpoint, that of position %d', async (position) => {
    const owner = `${kind} ${position}`;
    const { places, handled, end } = await started(owner, () => undefined);
    // What it has handled is stored: a checkpoint of after the restore would be one of events that are gone.
    const stored = `select position::int from checkpoints where owner_id = '${owner}'`;
    await vi.waitFor(async () => expect(await execute(database.url, stored)).toEqual([{ position: 5 }]));
    await goBack(owner, 3, places[position - 1] ?? null);
    await vi.waitFor(() => expect(handled).toHaveLength(5 + 5 - position));
    await end();
    expect(handled.slice(5)).toEqual((await now(owner)).slice(position));
  });

  it('handles no event that it had read before', async () => {
    const owner = `${kind} amid a page`;
    let hasFailed = false;
    let isBack: Promise<void> | undefined;
    const pause = async (ms: number, signal?: AbortSignal) => {
      if (hasFailed) await (isBack ??= goBack(owner, 3, places[2] ?? null));
      await systemTimer.pause(ms, signal);
    };
    const timer = { ...systemTimer, pause };
    let places: readonly FeedPosition[] = [];
    const subject = await started(
      owner,
      ({ position }) => {
        if (position !== 5 || isBack) return;
        hasFailed = true;
        throw new Error('the database ends');
      },
      { timer },
    );
    ({ places } = subject);
    await vi.waitFor(() => expect(subject.handled).toHaveLength(6));
    await subject.end();
    expect(subject.handled).toEqual([...subject.ids.slice(0, 4), ...(await now(owner)).slice(3)]);
  });

  it('is lost if its checkpoint is of no event', async () => {
    const owner = `${kind} lost`;
    const causes: unknown[] = [];
    const { handled, end, consuming } = await started(owner, () => undefined, {
      onRetry: ({ cause }) => void causes.push(cause),
    });
    await vi.waitFor(() => expect(handled).toHaveLength(5));
    const failed = consuming.catch((cause: unknown) => void causes.push(cause));
    await goBack(owner, 3, { position: 3, event: '00000000000000ff' });
    await vi.waitFor(() => expect(causes.some((cause) => cause instanceof FeedLost)).toBe(true));
    await end().catch(() => undefined);
    await failed;
    expect(handled).toHaveLength(upTo(5).length);
  });
});
