import type { Owner } from '@orders/domain';
import {
  CLAIM_MS,
  consumeAll,
  type ConsumeAllOptions,
  FEED_START,
  type FeedEvent,
  type OwnerRetry,
  owners,
  systemTimer,
} from '@orders/domain/events';
import { anEventOf, anOrder, faulty, fixedClock, inMemoryStore } from '@orders/domain/testing';
import { describe, expect, it, vi } from 'vitest';
import { succeeds } from '../fixtures/a-domain.ts';

/** A timer by which a second is ten milliseconds. */
const timer = {
  ...systemTimer,
  pause: (ms: number, signal?: AbortSignal) => systemTimer.pause(ms / 100, signal),
};

/** Creates a store, and what places orders and collects handled events. */
function aStore() {
  const clock = fixedClock();
  const store = inMemoryStore({ clock });
  const handled: [Owner, number][] = [];
  const place = async (owner: Owner, count = 1, at = '2026-01-02T03:04:05.678Z'): Promise<void> => {
    for (let placed = 0; placed < count; placed += 1) {
      const after = anOrder({ created_at: at, updated_at: at });
      const event = anEventOf(owner, after);
      await succeeds(store.orders.commit(owner, { kind: 'create', after, event, key: undefined }));
    }
  };
  const handler = (owner: Owner, { position }: FeedEvent): void => void handled.push([owner, position]);
  const start = (options: Partial<ConsumeAllOptions> = {}) => {
    const stop = new AbortController();
    const { feed, checkpoints } = store;
    const { signal } = stop;
    const consuming = consumeAll({ feed, checkpoints, name: 'mail', handler, timer, signal, ...options });
    return async () => {
      stop.abort();
      await consuming;
    };
  };
  const positionsOf = (owner: Owner) => handled.filter(([of]) => of === owner).map(([, position]) => position);
  const saved = async (owner: Owner) => (await succeeds(store.checkpoints.load(owner, 'mail')))?.position;
  return { store, clock, handled, place, handler, start, positionsOf, saved };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a consumer of all owners', () => {
  it('delivers the events of each owner in order, also later ones, and saves their positions', async () => {
    const { place, start, positionsOf, saved } = aStore();
    await place('a', 120);
    await place('b', 2);
    const end = start();
    await vi.waitFor(() => expect([positionsOf('a').length, positionsOf('b').length]).toEqual([120, 2]));
    await place('b');
    await place('c');
    await vi.waitFor(() => expect([positionsOf('b'), positionsOf('c')]).toEqual([[1, 2, 3], [1]]));
    await end();
    expect(positionsOf('a')).toEqual(upTo(120));
    expect([await saved('a'), await saved('b'), await saved('c')]).toEqual([120, 3, 1]);
  });

  it('delivers an event again after its handler throws, and those of other owners meanwhile', async () => {
    const { place, start, positionsOf, handler } = aStore();
    for (const owner of ['a', 'b']) await place(owner, 3);
    const retries: OwnerRetry[] = [];
    let failures = 3;
    const end = start({
      onRetry: (retry) => void retries.push(retry),
      handler: (owner, event) => {
        if (owner === 'a' && event.position === 2 && failures > 0) {
          if (positionsOf('b').length === 3) failures -= 1;
          throw new Error('no');
        }
        handler(owner, event);
      },
    });
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1, 2, 3]));
    await end();
    expect(positionsOf('b')).toEqual([1, 2, 3]);
    expect(new Set(retries.map(({ owner, cause }) => `${owner} ${String(cause)}`))).toEqual(new Set(['a Error: no']));
  });

  it('gives an owner a turn after a page of another one, and after a second', async () => {
    const { place, start, handled, handler } = aStore();
    await place('a', 350);
    await place('b', 3);
    const end = start({ concurrency: 1 });
    await vi.waitFor(() => expect(handled).toHaveLength(353));
    await end();
    expect(handled.findIndex(([owner]) => owner === 'b')).toBe(100);

    let now = 0;
    const slow = start({
      name: 'slow',
      concurrency: 1,
      timer: { ...timer, now: () => now },
      handler: (owner, event) => {
        now += 400;
        handler(owner, event);
      },
    });
    handled.length = 0;
    await vi.waitFor(() => expect(handled.length).toBeGreaterThan(6));
    await slow();
    expect(handled.slice(0, 6).map(([owner]) => owner)).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  it('is shared by processes, each of which serves other owners', async () => {
    const { place, start, handled, handler } = aStore();
    const names = Array.from({ length: 20 }, (_, index) => `owner ${index}`);
    for (const owner of names) await place(owner, 5);
    const running = new Set<Owner>();
    const perProcess = [0, 0];
    const ends = [0, 1].map((process) =>
      start({
        handler: async (owner, event) => {
          expect(running).not.toContain(owner);
          running.add(owner);
          await systemTimer.pause(1);
          perProcess[process] = (perProcess[process] ?? 0) + 1;
          handler(owner, event);
          running.delete(owner);
        },
      }),
    );
    await vi.waitFor(() => expect(handled.length).toBeGreaterThanOrEqual(100));
    for (const end of ends) await end();
    expect(new Set(handled.map(String)).size).toBe(100);
    expect(handled).toHaveLength(100);
    expect(Math.min(...perProcess)).toBeGreaterThan(10);
  });

  it('continues the work of a process that has ended after a minute, whose late save has no effect', async () => {
    const { place, start, clock, handled, positionsOf, handler, saved } = aStore();
    await place('a', 3);
    let resume = (): void => undefined;
    const hanging = start({
      handler: async (owner, event) => {
        handler(owner, event);
        await new Promise<void>((resolve) => (resume = resolve));
      },
    });
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1]));
    const end = start();
    await systemTimer.pause(30);
    expect(positionsOf('a')).toEqual([1]);
    clock.advance(CLAIM_MS);
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1, 1, 2, 3]));
    resume();
    await hanging();
    await end();
    expect(handled).toHaveLength(4);
    expect(await saved('a')).toBe(3);
  });

  it('saves its position behind events of other types', async () => {
    const { place, start, saved } = aStore();
    await place('a', 2);
    const end = start({ types: ['order.paid'], handler: () => expect.fail('no event has this type') });
    await vi.waitFor(async () => expect(await saved('a')).toBe(2));
    await end();
  });

  it('goes on at the position that a handler of lost feeds returns', async () => {
    const { place, start, store, handled, saved } = aStore();
    await place('a', 2, '2001-01-01T00:00:00.000Z');
    const first = await succeeds(
      store.feed.read('a', { after: null, start: 'oldest', limit: 1, types: null, include: [] }),
    );
    await succeeds(store.checkpoints.save('a', 'mail', first.next));
    store.purgeEvents('2001-01-02T00:00:00.000Z');
    await place('a');
    await place('b');
    const lost: string[] = [];
    const retried = vi.fn<(retry: OwnerRetry) => void>();
    const reporting = start({ onRetry: retried });
    await vi.waitFor(() => expect(retried.mock.calls.length).toBeGreaterThan(1));
    await vi.waitFor(() => expect(handled).toEqual([['b', 1]]));
    await reporting();
    expect(retried.mock.calls.map(([{ owner }]) => owner)).toEqual(retried.mock.calls.map(() => 'a'));
    expect(String(retried.mock.lastCall?.[0].cause)).toContain('events after the position of the reader were purged');
    const end = start({
      onFeedLost: (owner, { reason }) => {
        lost.push(`${owner} ${reason.type}`);
        return reason.type === 'events_expired' ? reason.oldest : FEED_START;
      },
    });
    await vi.waitFor(() =>
      expect(handled).toEqual([
        ['b', 1],
        ['a', 3],
      ]),
    );
    await end();
    expect([lost, await saved('a')]).toEqual([['a events_expired'], 3]);
  });

  it('retries an unavailable store, and does not lose its place by it', async () => {
    const { store, place, start, positionsOf } = aStore();
    await place('a', 3);
    const { checkpoints, feed, unreached } = faulty(store, {
      'checkpoints.findBehind': ['unavailable'],
      'checkpoints.claim': ['unavailable'],
      'feed.read': ['unavailable'],
      'checkpoints.saveClaimed': [null, 'done_then_unavailable'],
      'checkpoints.release': ['unavailable'],
    });
    const end = start({ checkpoints, feed });
    // The claim that was not released.
    await vi.waitFor(() => expect(unreached()).not.toContain('checkpoints.release'));
    await succeeds(store.checkpoints.release('a', 'mail', 1));
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1, 2, 3]));
    await end();
    expect(unreached()).toEqual([]);
  });

  it('ends after the running handler, and saves its event', async () => {
    const { place, start, positionsOf, handler, saved } = aStore();
    await place('a', 2);
    let finish = (): void => undefined;
    const end = start({
      handler: async (owner, event) => {
        handler(owner, event);
        await new Promise<void>((resolve) => (finish = resolve));
      },
    });
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1]));
    const ending = end();
    finish();
    await ending;
    expect([positionsOf('a'), await saved('a')]).toEqual([[1], 1]);
    const again = start();
    await vi.waitFor(() => expect(positionsOf('a')).toEqual([1, 2]));
    await again();
  });

  it('rejects an invalid name or option', async () => {
    const { start } = aStore();
    await expect(start({ name: 'é' })()).rejects.toThrow('the name of a consumer must be');
    await expect(start({ types: [] })()).rejects.toThrow('the feed cannot be followed: types');
    const misspelt = { type: ['order.paid'], name: 'mail' };
    await expect(start(misspelt)()).rejects.toThrow('unknown option "type"');
  });
});

describe('the owners', () => {
  it('are iterated over page by page, after retries', async () => {
    const { store, place } = aStore();
    for (let count = 0; count < 1001; count += 1) await place(`owner ${count}`);
    const { checkpoints } = faulty(store, { 'checkpoints.listOwners': [null, 'unavailable'] });
    const all: Owner[] = [];
    for await (const owner of owners(checkpoints, { timer })) all.push(owner);
    expect([all.length, new Set(all).size, all[0], all.at(-1)]).toEqual([1001, 1001, 'owner 0', 'owner 999']);
  });

  it('end with the signal', async () => {
    const { store, place } = aStore();
    await place('a');
    for await (const owner of owners(store.checkpoints, { signal: AbortSignal.abort() }))
      expect.fail(`${owner} was listed`);
  });
});
