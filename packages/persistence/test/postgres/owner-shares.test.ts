import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OwnerShares, type Share } from '../../src/postgres/owner-shares.ts';

const WAIT_MS = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Creates the shares of a pool, with their running and rejected statements. */
function sharesOf(connections: number) {
  const shares = new OwnerShares(connections, WAIT_MS);
  const held: Share[] = [];
  const rejected: string[] = [];
  const served: string[] = [];
  const begin = (name: string) => (share: Share) => {
    held.push(share);
    served.push(name);
  };
  return {
    shares,
    served,
    rejected,
    /** Executes a statement that does not end. */
    execute: (owner: string, name = owner) => {
      const share = shares.take(owner);
      if (share) begin(name)(share);
      else shares.wait(owner, begin(name), () => rejected.push(name));
    },
    holds: (owner: string) => held.filter((share) => share.owner === owner).length,
    /** Ends a statement of an owner. */
    end: (owner: string) => {
      const [share] = held.splice(
        held.findIndex((one) => one.owner === owner),
        1,
      );
      if (share) shares.release(share);
    },
  };
}

function times(count: number, act: (index: number) => void): void {
  for (let index = 0; index < count; index += 1) act(index);
}

describe('a single owner', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 1],
    [4, 2],
    [7, 3],
    [10, 4],
  ])('has a pool of %i connections and holds at most %i', (connections, most) => {
    const { execute, holds, shares } = sharesOf(connections);
    times(20, () => execute('a'));
    expect(holds('a')).toBe(most);
    expect(shares.waiting).toBe(20 - most);
  });

  it('is served in the order of its statements', () => {
    const { execute, end, served } = sharesOf(1);
    times(4, (index) => execute('a', `a${index}`));
    times(4, () => end('a'));
    expect(served).toEqual(['a0', 'a1', 'a2', 'a3']);
  });
});

describe('several owners', () => {
  it.each([1, 2, 3, 5, 9])('%i on ten connections leave one free for a new owner, after returns', (count) => {
    const { execute, end, holds } = sharesOf(10);
    const owners = Array.from({ length: count }, (_, index) => `owner ${index}`);
    for (const owner of owners) times(40, () => execute(owner));
    times(10, () => {
      for (const owner of owners) end(owner);
    });
    for (const owner of owners) expect(holds(owner)).toBeLessThanOrEqual(Math.ceil(10 / (count + 2)));
    execute('newcomer');
    expect(holds('newcomer')).toBe(1);
  });

  it('are served by their number of connections, then in turn', () => {
    const { execute, end, served } = sharesOf(4);
    times(2, () => execute('a', 'a'));
    times(2, (index) => execute('b', `b${index}`));
    times(2, (index) => execute('c', `c${index}`));
    times(3, (index) => execute('a', `waiting a${index}`));
    expect(served).toEqual(['a', 'a', 'b0', 'c0']);
    end('a');
    end('a');
    expect(served.slice(4)).toEqual(['waiting a0']);
    end('b');
    end('c');
    expect(new Set(served.slice(5))).toEqual(new Set(['b1', 'c1']));
    end('b');
    end('c');
    expect(served.slice(7)).toEqual(['waiting a1']);
  });
});

describe('a waiting statement', () => {
  it('is rejected after the time limit, and is not served afterwards', () => {
    const { execute, end, rejected, served, shares } = sharesOf(2);
    execute('a', 'first');
    execute('a', 'second');
    vi.advanceTimersByTime(WAIT_MS - 1);
    expect(rejected).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rejected).toEqual(['second']);
    end('a');
    expect(served).toEqual(['first']);
    expect(shares.waiting).toBe(0);
  });

  it('loses its time limit when it is served', () => {
    const { execute, end, rejected, served } = sharesOf(1);
    execute('a', 'first');
    execute('a', 'second');
    end('a');
    vi.advanceTimersByTime(WAIT_MS * 2);
    expect([served, rejected]).toEqual([['first', 'second'], []]);
  });

  it('is rejected at once when the queues are full and no other queue is longer', () => {
    const { execute, rejected, shares } = sharesOf(2);
    times(1 + 200, () => execute('a', 'early'));
    expect(rejected).toEqual([]);
    execute('a', 'late');
    expect(rejected).toEqual(['late']);
    expect(shares.waiting).toBe(200);
  });

  it('replaces the newest statement of the longest queue when the queues are full', () => {
    const { execute, rejected, shares } = sharesOf(1);
    execute('a', 'held');
    times(50, (index) => execute('a', `a${index}`));
    times(50, (index) => execute('b', `b${index}`));
    expect(shares.waiting).toBe(100);
    execute('c', 'c0');
    expect(rejected).toEqual(['a49']);
    execute('b', 'b50');
    expect(rejected).toEqual(['a49', 'b50']);
    execute('c', 'c1');
    expect(rejected).toEqual(['a49', 'b50', 'b49']);
    expect(shares.waiting).toBe(100);
  });
});

describe('statements that end immediately', () => {
  it('are served one after the other, however many wait', () => {
    const shares = new OwnerShares(100, WAIT_MS);
    const first = shares.take('a');
    let served = 0;
    const begin = (share: Share) => {
      served += 1;
      shares.release(share);
    };
    const held = Array.from({ length: 49 }, () => shares.take('a'));
    times(10_000, () => shares.wait('a', begin, () => undefined));
    if (first) shares.release(first);
    expect(served).toBe(10_000);
    for (const share of held) if (share) shares.release(share);
    expect([shares.waiting, shares.owners]).toEqual([0, 0]);
  });
});

describe('an owner without statements', () => {
  it('takes no memory', () => {
    const { execute, end, shares } = sharesOf(2);
    times(10_000, (index) => {
      execute(`owner ${index}`);
      execute(`owner ${index}`);
      end(`owner ${index}`);
      end(`owner ${index}`);
    });
    expect(shares.owners).toBe(0);
    execute('a');
    execute('b');
    times(10, (index) => execute(`owner ${index}`));
    vi.advanceTimersByTime(WAIT_MS);
    expect(shares.owners).toBe(2);
  });
});
