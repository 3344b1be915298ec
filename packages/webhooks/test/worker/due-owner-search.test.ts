import { systemTimer } from '@orders/domain/events';
import type { DueOwners } from '@orders/domain/webhooks';
import { describe, expect, it } from 'vitest';
import { searchDueOwners } from '../../src/worker/due-owner-search.ts';

/** Searches until the last of `results` is found. Returns what the search reported, and where each query began. */
async function search(results: readonly (DueOwners | null)[]) {
  const ended = new AbortController();
  const found: string[] = [];
  const counts: number[] = [];
  const after: (string | null)[] = [];
  await searchDueOwners({
    timer: { ...systemTimer, pause: () => Promise.resolve() },
    pollMs: 1000,
    signal: ended.signal,
    hasRoomFor: () => true,
    findDue: (_, owner) => {
      after.push(owner);
      if (after.length === results.length) ended.abort();
      return Promise.resolve(results[after.length - 1] ?? null);
    },
    onFound: (owners) => found.push(...owners),
    onEnd: (count) => counts.push(count),
  });
  return { found, counts, after };
}

describe('a search for due owners', () => {
  it('goes on behind each page, and counts the owners of all pages at its end', async () => {
    const results = [
      { owners: ['a', 'b'], next: 'c' },
      { owners: ['d'], next: null },
      { owners: ['a'], next: null },
    ];
    const { found, counts, after } = await search(results);
    expect(found).toEqual(['a', 'b', 'd', 'a']);
    expect(counts).toEqual([3, 1]);
    expect(after).toEqual([null, 'c', null]);
  });

  it('begins again after a failure, and reports no number of a search that did not end', async () => {
    const results = [{ owners: ['a'], next: 'b' }, null, { owners: ['a'], next: null }];
    const { counts, after } = await search(results);
    expect(counts).toEqual([1]);
    expect(after).toEqual([null, 'b', null]);
  });
});
