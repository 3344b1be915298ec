import { FEED_WAITS_MAX, FEED_WAITS_PER_OWNER_MAX, parseFeedQuery } from '@orders/domain/events';
import { anEventOf, anItem, anOrder, inMemoryStore } from '@orders/domain/testing';
import { describe, expect, it } from 'vitest';
import { OWNER, succeeds } from '../../fixtures/a-domain.ts';

/** Checks whether a wait is over at once. Aborts it otherwise. */
async function endsAtOnce(wait: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
  const stop = new AbortController();
  let isOver = false;
  const waiting = wait(stop.signal).then(() => (isOver = true));
  // Promises that wait for nothing settle before an immediate runs.
  await new Promise((resolve) => setImmediate(resolve));
  const wasOver = isOver;
  stop.abort();
  await waiting;
  return wasOver;
}

describe('the in-memory feed', () => {
  it('has a limited number of waits of an owner, and more after these end', async () => {
    const { feed } = inMemoryStore();
    const stop = new AbortController();
    const wait = (signal: AbortSignal, owner = OWNER) => feed.wait(owner, 0, { timeoutMs: 600_000, signal });
    const waiting = Array.from({ length: FEED_WAITS_PER_OWNER_MAX }, () => wait(stop.signal));
    expect(await endsAtOnce(wait)).toBe(true);
    expect(await endsAtOnce((signal) => wait(signal, 'another'))).toBe(false);
    stop.abort();
    await Promise.all(waiting);
    for (let count = 0; count < 2 * FEED_WAITS_PER_OWNER_MAX; count += 1) expect(await endsAtOnce(wait)).toBe(false);
  });

  it('has a limited number of waits of all owners, and more after these end', async () => {
    const { feed } = inMemoryStore();
    const stop = new AbortController();
    const wait = (signal: AbortSignal, owner = OWNER) => feed.wait(owner, 0, { timeoutMs: 600_000, signal });
    const waiting = Array.from({ length: FEED_WAITS_MAX }, (_, index) => wait(stop.signal, `owner ${index >> 2}`));
    expect(await endsAtOnce(wait)).toBe(true);
    stop.abort();
    await Promise.all(waiting);
    expect(await endsAtOnce(wait)).toBe(false);
  });

  it('returns a resource that has more items than a page on a page of its own', async () => {
    const { orders, feed } = inMemoryStore();
    const order = anOrder({ items: Array.from({ length: 1001 }, () => anItem()) });
    const event = anEventOf(OWNER, order);
    await succeeds(orders.commit(OWNER, { kind: 'create', after: order, event, key: undefined }));
    const { data } = await succeeds(feed.read(OWNER, parseFeedQuery({ include: ['resource'] })._unsafeUnwrap()));
    expect(data.map(({ resource }) => resource.data)).toEqual([order]);
  });
});
