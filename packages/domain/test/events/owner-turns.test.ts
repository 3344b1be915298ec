import {
  type OwnerRetry,
  type OwnersPage,
  type OwnerTurnsOptions,
  startTurns,
  systemTimer,
  takeTurns,
} from '@orders/domain/events';
import { errAsync, okAsync } from 'neverthrow';
import { describe, expect, it, vi } from 'vitest';

/** A time that no test reaches, in milliseconds. */
const LONG_MS = 1_000_000;

/** A timer by which a second is a millisecond, except for the time between searches. */
const timer = {
  ...systemTimer,
  pause: (ms: number, signal?: AbortSignal) => systemTimer.pause(ms === 60_000 ? LONG_MS : ms / 1000, signal),
};

const pageOf = (owners: readonly string[], next: string | null = null) => okAsync<OwnersPage>({ owners, next });

/** Takes turns, which a test ends. By default, owners are found once, and nothing is written. */
function taking(options: Partial<OwnerTurnsOptions> & Pick<OwnerTurnsOptions, 'turn'>) {
  const stop = new AbortController();
  const { signal } = stop;
  let isFirst = true;
  const taken = takeTurns({
    waitForChanges: async (_, { signal: end }) => {
      if (!isFirst) await systemTimer.pause(LONG_MS, end);
      isFirst = false;
      return { state: '', owners: [] };
    },
    findOwners: () => pageOf([]),
    timer,
    signal,
    ...options,
  });
  return async () => {
    stop.abort();
    await taken;
  };
}

describe('the turns of owners', () => {
  it('are at most as many at a time as is allowed, and one of each owner', async () => {
    const owners = Array.from({ length: 12 }, (_, index) => `owner ${index}`);
    const left = new Map(owners.map((owner) => [owner, 3]));
    const running: string[] = [];
    let most = 0;
    const end = taking({
      concurrency: 3,
      findOwners: () => pageOf(owners),
      turn: async (owner) => {
        expect(running).not.toContain(owner);
        running.push(owner);
        most = Math.max(most, running.length);
        await systemTimer.pause(1);
        running.splice(running.indexOf(owner), 1);
        left.set(owner, (left.get(owner) ?? 0) - 1);
        return { isMoreLeft: left.get(owner) !== 0 };
      },
    });
    await vi.waitFor(() => expect([...left.values()]).toEqual(owners.map(() => 0)));
    await end();
    expect(most).toBe(3);
  });

  it('come in the order in which owners were found, and those with more work behind the others', async () => {
    const turns: string[] = [];
    const end = taking({
      concurrency: 1,
      findOwners: () => pageOf(['a', 'b', 'c']),
      turn: (owner) => {
        turns.push(owner);
        return Promise.resolve({ isMoreLeft: owner === 'a' && turns.length < 5 });
      },
    });
    await vi.waitFor(() => expect(turns).toHaveLength(5));
    await end();
    expect(turns).toEqual(['a', 'b', 'c', 'a', 'a']);
  });

  it('of an owner that fails come after pauses that grow', async () => {
    const retries: OwnerRetry[] = [];
    const failures: number[] = [];
    const end = taking({
      concurrency: 1,
      findOwners: () => pageOf(['failing', 'other']),
      onRetry: (retry) => void retries.push(retry),
      turn: async (owner, failed) => {
        await systemTimer.pause(1);
        if (owner === 'failing') failures.push(failed);
        if (owner === 'failing' && failed < 9) throw new Error('no');
        return { isMoreLeft: true };
      },
    });
    await vi.waitFor(() => expect(failures.slice(0, 11)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0]));
    await end();
    const ofOwner = retries.slice(0, 10).map(({ owner, failures: count }) => [owner, count]);
    expect(ofOwner).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 1].map((count) => ['failing', count]));
    for (const { failures: count, pauseMs } of retries) {
      const most = Math.min(30_000, 100 * 2 ** (count - 1));
      expect(pauseMs).toBeGreaterThanOrEqual(most / 2);
      expect(pauseMs).toBeLessThanOrEqual(most);
    }
  });

  it('of an owner that fails keep no other from its place while they pause', async () => {
    let others = 0;
    const end = taking({
      concurrency: 1,
      findOwners: () => pageOf(['failing', 'other']),
      timer: { ...timer, pause: (_, signal) => systemTimer.pause(LONG_MS, signal) },
      turn: async (owner) => {
        await systemTimer.pause(1);
        if (owner === 'failing') throw new Error('no');
        others += 1;
        return { isMoreLeft: true };
      },
    });
    await vi.waitFor(() => expect(others).toBeGreaterThan(9));
    await end();
  });

  it('are fewer while all fail', async () => {
    const owners = Array.from({ length: 1000 }, (_, index) => `owner ${index}`);
    let failed = 0;
    const pauses: number[] = [];
    const end = taking({
      findOwners: () => pageOf(owners),
      timer: {
        ...timer,
        pause: (ms, signal) => {
          pauses.push(ms);
          return systemTimer.pause(ms === 100 ? LONG_MS : 1, signal);
        },
      },
      turn: () => {
        failed += 1;
        return Promise.reject(new Error('no'));
      },
    });
    await vi.waitFor(() => expect(pauses.filter((ms) => ms === 100)).toHaveLength(4));
    expect(failed).toBe(5);
    await end();
  });

  it('come again after the pause that a turn returns, whatever was written meanwhile', async () => {
    const turns: number[] = [];
    const wakes: (() => void)[] = [];
    const end = taking({
      findOwners: () => pageOf(['a']),
      waitForChanges: async (_, { signal }) => {
        await Promise.race([new Promise<void>((resolve) => wakes.push(resolve)), systemTimer.pause(LONG_MS, signal)]);
        return { state: '', owners: ['a'] };
      },
      turn: () => {
        turns.push(systemTimer.now());
        return Promise.resolve(turns.length === 1 ? { isMoreLeft: true, pauseMs: 200_000 } : { isMoreLeft: false });
      },
    });
    await vi.waitFor(() => expect(turns.length).toBeGreaterThan(0));
    wakes.shift()?.();
    await vi.waitFor(() => expect(turns.length).toBeGreaterThan(1));
    await end();
    expect((turns[1] ?? 0) - (turns[0] ?? 0)).toBeGreaterThanOrEqual(195);
  });

  it('come again after a rest without further work only for what was written meanwhile', async () => {
    const turns: string[] = [];
    const stop = new AbortController();
    const running = startTurns({
      findOwners: () => pageOf(['quiet', 'woken']),
      turn: (owner) => {
        turns.push(owner);
        if (turns.length === 2) void systemTimer.pause(1).then(() => running.wake('woken'));
        return Promise.resolve({ isMoreLeft: false, pauseMs: turns.length < 3 ? 50_000 : undefined });
      },
      searchMs: LONG_MS * 1000,
      signal: stop.signal,
      timer,
    });
    await vi.waitFor(() => expect(turns).toEqual(['quiet', 'woken', 'woken']));
    await systemTimer.pause(10);
    expect(turns).toHaveLength(3);
    stop.abort();
    await running.ended;
  });

  it('come again for what is written during a turn, and for what is written while none runs', async () => {
    const wakes: (() => void)[] = [];
    let turns = 0;
    const end = taking({
      findOwners: () => pageOf(['a']),
      waitForChanges: async (_, { signal }) => {
        await Promise.race([new Promise<void>((resolve) => wakes.push(resolve)), systemTimer.pause(LONG_MS, signal)]);
        return { state: '', owners: ['a'] };
      },
      turn: async () => {
        turns += 1;
        if (turns === 1) wakes.shift()?.();
        await systemTimer.pause(5);
        return { isMoreLeft: false };
      },
    });
    await vi.waitFor(() => expect(turns).toBe(2));
    await systemTimer.pause(10);
    wakes.shift()?.();
    await vi.waitFor(() => expect(turns).toBe(3));
    await end();
  });

  it('end with the signal, after those that run', async () => {
    let isDone = false;
    let finish = (): void => undefined;
    const started = vi.fn<() => void>();
    const end = taking({
      concurrency: 1,
      findOwners: () => pageOf(['a', 'b']),
      turn: async () => {
        started();
        await new Promise<void>((resolve) => (finish = resolve));
        isDone = true;
        return { isMoreLeft: true };
      },
    });
    await vi.waitFor(() => expect(started).toHaveBeenCalled());
    const ending = end();
    finish();
    await ending;
    expect([isDone, started.mock.calls.length]).toEqual([true, 1]);
  });

  it('end with the exception of a callback', async () => {
    const end = taking({
      findOwners: () => pageOf(['a']),
      turn: () => Promise.reject(new Error('no')),
      onRetry: () => {
        throw new Error('a bug');
      },
    });
    await expect(end()).resolves.toBeUndefined();
    const running = takeTurns({
      waitForChanges: () => Promise.resolve({ state: '', owners: ['a'] }),
      findOwners: () => pageOf([]),
      turn: () => Promise.reject(new Error('no')),
      onRetry: () => {
        throw new Error('a bug');
      },
    });
    await expect(running).rejects.toThrow('a bug');
  });

  it.each([0, 101, 1.5])('are rejected with a concurrency of %d', async (concurrency) => {
    await expect(taking({ concurrency, turn: () => Promise.resolve({ isMoreLeft: false }) })()).rejects.toThrow(
      'concurrency must be an integer from 1 to 100',
    );
  });
});

describe('the search for owners', () => {
  it('reads page by page, takes a twentieth of the time, and retries a failed page', async () => {
    const [afters, pauses, retries]: [(string | null)[], number[], OwnerRetry[]] = [[], [], []];
    let now = 0;
    const end = taking({
      timer: {
        now: () => now,
        random: () => 0,
        pause: (ms, signal) => {
          pauses.push(ms);
          return systemTimer.pause(ms > 10_000 ? LONG_MS : 0, signal);
        },
      },
      onRetry: (retry) => void retries.push(retry),
      findOwners: (after) => {
        afters.push(after);
        if (afters.length === 2) return errAsync({ type: 'unavailable', cause: 'down' });
        now += 10;
        return after === null ? pageOf(['a'], 'a') : pageOf([]);
      },
      turn: () => Promise.resolve({ isMoreLeft: false }),
    });
    await vi.waitFor(() => expect(pauses.at(-1)).toBe(60_000));
    await end();
    expect(afters).toEqual([null, 'a', 'a']);
    expect(pauses).toEqual([190, 50, 190, 60_000]);
    expect(retries).toEqual([{ owner: null, cause: 'down', failures: 1, pauseMs: 50 }]);
  });

  it('begins again after a change, and not without one', async () => {
    let searches = 0;
    const changes: (() => void)[] = [];
    const end = taking({
      waitForChanges: async (_, { signal }) => {
        await Promise.race([new Promise<void>((resolve) => changes.push(resolve)), systemTimer.pause(LONG_MS, signal)]);
        return { state: '', owners: null };
      },
      timer: { ...timer, pause: (ms, signal) => systemTimer.pause(ms, signal) },
      findOwners: () => {
        searches += 1;
        return pageOf([]);
      },
      turn: () => Promise.resolve({ isMoreLeft: false }),
    });
    await systemTimer.pause(20);
    expect(searches).toBe(1);
    changes.shift()?.();
    await vi.waitFor(() => expect(searches).toBe(2));
    await end();
  });

  it('waits while 9,000 owners wait', async () => {
    let pages = 0;
    const end = taking({
      findOwners: () => {
        pages += 1;
        const owners = Array.from({ length: 1000 }, (_, index) => `owner ${pages} ${index}`);
        return pageOf(owners, owners.at(-1));
      },
      turn: async () => {
        await systemTimer.pause(100);
        return { isMoreLeft: true };
      },
    });
    await vi.waitFor(() => expect(pages).toBe(10));
    await systemTimer.pause(20);
    expect(pages).toBe(10);
    await end();
  });
});
