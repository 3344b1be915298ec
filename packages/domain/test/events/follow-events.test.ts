import {
  type FeedEvent,
  FeedLost,
  type FeedPage,
  followEvents,
  type FollowOptions,
  followPages,
  positionOf,
  type Retry,
} from '@orders/domain/events';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../fixtures/a-domain.ts';
import { aFeed, aTimer, type FeedUnderTest } from '../fixtures/a-feed.ts';

/** Follows the feed until it has delivered `count` events, and returns their positions. */
async function follow({ feed }: FeedUnderTest, count: number, options: FollowOptions = {}): Promise<readonly number[]> {
  const stop = new AbortController();
  const positions: number[] = [];
  for await (const { position } of followEvents(feed, OWNER, { signal: stop.signal, ...options })) {
    positions.push(position);
    if (positions.length === count) stop.abort();
  }
  return positions;
}

describe('following events', () => {
  it('delivers events that exist, waits for further ones, and ends when its signal is aborted', async () => {
    const subject = aFeed(() => void subject.place());
    for (let count = 0; count < 102; count += 1) await subject.place();
    expect(await follow(subject, 104)).toEqual(Array.from({ length: 104 }, (_, index) => index + 1));
    expect(subject.waits.map(({ position }) => position)).toEqual([102, 103]);
    expect(subject.reads.map(({ after, limit }) => [after?.position, limit])).toEqual([
      [undefined, 100],
      [100, 100],
      [102, 100],
      [103, 100],
    ]);
  });

  it('continues after a position, and after the latest event', async () => {
    const subject = aFeed(() => void subject.place());
    for (let count = 0; count < 3; count += 1) await subject.place();
    const events: FeedEvent[] = [];
    for await (const event of followEvents(subject.feed, OWNER)) if (events.push(event) === 2) break;
    const [, second] = events;
    expect(await follow(subject, 1, { after: second && positionOf(second) })).toEqual([3]);
    expect(await follow(subject, 1, { start: 'latest' })).toEqual([4]);
    expect(subject.reads.slice(-2)).toMatchObject([
      { after: null, start: 'latest' },
      { after: { position: 3 }, start: 'oldest' },
    ]);
  });

  it('delivers the requested types with the requested resources', async () => {
    const subject = aFeed(() => void subject.place());
    const options: FollowOptions = { types: ['order.placed'], include: ['resource'] };
    for await (const { resource } of followEvents(subject.feed, OWNER, options)) {
      expect(resource.data).toMatchObject({ id: resource.id, status: 'pending' });
      break;
    }
    const stop = new AbortController();
    const idle = aFeed(() => stop.abort());
    await idle.place();
    const others = followEvents(idle.feed, OWNER, { types: ['order.paid'], signal: stop.signal });
    expect(await others.next()).toEqual({ done: true, value: undefined });
  });

  it('delivers no event after its signal is aborted', async () => {
    const subject = aFeed();
    for (let count = 0; count < 3; count += 1) await subject.place();
    expect(await follow(subject, 2)).toEqual([1, 2]);
    expect(await follow(subject, 1, { signal: AbortSignal.abort() })).toEqual([]);
    expect(subject.reads).toHaveLength(1);
  });

  it('waits 20 s by default, or as long as it should', async () => {
    for (const [waitMs, timeoutMs] of [
      [undefined, 20_000],
      [1000, 1000],
    ]) {
      const stop = new AbortController();
      const subject = aFeed(() => stop.abort());
      await follow(subject, 1, { signal: stop.signal, waitMs });
      expect(subject.waits).toEqual([{ position: 0, timeoutMs, signal: stop.signal }]);
    }
  });

  it('retries an unavailable feed after pauses that grow to 30 s, from the beginning after a success', async () => {
    const timer = aTimer();
    const retries: Retry[] = [];
    const causes = Array.from({ length: 11 }, (_, index) => `failure ${index}`);
    const subject = aFeed(() => void subject.place(), [...causes, null, 'again']);
    const onRetry = (retry: Retry) => void retries.push(retry);
    expect(await follow(subject, 2, { timer, onRetry })).toEqual([1, 2]);
    const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 15_000, 15_000, 50];
    expect(timer.pauses).toEqual(pauses);
    const expected = [...causes, 'again'].map((cause, index) => {
      return { cause, failures: (index % causes.length) + 1, pauseMs: pauses[index] };
    });
    expect(retries).toEqual(expected);
  });

  it('pauses for a random time between half of the maximum and the maximum', async () => {
    const timer = aTimer(0.5);
    const subject = aFeed(undefined, ['one', 'two']);
    await subject.place();
    await follow(subject, 1, { timer });
    expect(timer.pauses).toEqual([75, 150]);
  });

  it('ends a pause when its signal is aborted', async () => {
    const stop = new AbortController();
    const timer = aTimer();
    const subject = aFeed(undefined, ['down', 'down']);
    const onRetry = (): void => stop.abort();
    expect(await follow(subject, 1, { signal: stop.signal, onRetry, timer })).toEqual([]);
    expect(timer.signals).toEqual([stop.signal]);
    expect(subject.reads).toHaveLength(1);
  });

  it('pauses between waits that end at once, up to 2 s, and from the beginning after an event', async () => {
    const stop = new AbortController();
    const timer = aTimer();
    const subject = aFeed();
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits += 1;
      if (waits === 8) await subject.place();
      if (waits === 10) stop.abort();
    };
    for await (const _ of followEvents({ ...subject.feed, wait }, OWNER, { signal: stop.signal, timer }));
    expect(timer.pauses).toEqual([50, 100, 200, 400, 800, 1000, 1000, 50]);
  });

  it('does not pause after a wait that lasted, or that ended with an event', async () => {
    const stop = new AbortController();
    const timer = aTimer();
    let waits = 0;
    const subject = aFeed();
    const wait = async (): Promise<void> => {
      waits += 1;
      if (waits % 2 === 0) await subject.place();
      else await timer.pause(250);
      if (waits === 6) stop.abort();
    };
    for await (const _ of followEvents({ ...subject.feed, wait }, OWNER, { signal: stop.signal, timer }));
    expect(timer.pauses).toEqual([250, 250, 250]);
  });

  it('throws FeedLost with the reason', async () => {
    const subject = aFeed();
    for (let count = 0; count < 2; count += 1) await subject.place();
    const after = { position: 1, event: 'ffffffffffffffff' };
    const reset = await follow(subject, 1, { after }).catch((error: unknown) => error);
    expect(reset).toBeInstanceOf(FeedLost);
    expect(reset).toMatchObject({ name: 'FeedLost', reason: { type: 'feed_reset' } });
    expect(String(reset)).toContain('another event at the position of the reader');
    subject.purgeEvents('2027-01-01T00:00:00.000Z');
    const expired = await follow(subject, 1, { after }).catch((error: unknown) => error);
    expect(expired).toMatchObject({ reason: { type: 'events_expired', oldest: { position: 2 } } });
    expect(String(expired)).toContain('were purged');
  });

  it('passes an exception of the feed on', async () => {
    const { feed } = aFeed();
    const read = (): never => {
      throw new Error('a bug');
    };
    await expect(followEvents({ ...feed, read }, OWNER).next()).rejects.toThrow('a bug');
  });

  it('throws a TypeError for an invalid owner or option at once', () => {
    const { feed } = aFeed();
    const types: readonly never[] = [];
    expect(() => followEvents(feed, '')).toThrow('the owner must be a string');
    expect(() => followEvents(feed, OWNER, { types, after: { position: -1, event: '' } })).toThrow(
      /^the feed cannot be followed: after must be .*; types must be 1 to \d+ of order\.placed/,
    );
    for (const waitMs of [0, 999, Number.NaN])
      expect(() => followEvents(feed, OWNER, { waitMs })).toThrow(`waitMs must be at least 1000, got ${waitMs}`);
    const misspelt = { waitMs: 1000, type: ['order.paid'] };
    expect(() => followEvents(feed, OWNER, misspelt)).toThrow('unknown option "type", expected start, types, ');
    expect(() => followPages(feed, OWNER, misspelt)).toThrow('unknown option "type"');
  });
});

describe('following pages', () => {
  it('returns a page without events if the reader has advanced, and none if it has not', async () => {
    const stop = new AbortController();
    const subject = aFeed((count) => {
      if (count === 2) return stop.abort();
      return void subject.place();
    });
    await subject.place();
    const pages: FeedPage[] = [];
    const options: FollowOptions = { types: ['order.paid'], signal: stop.signal };
    for await (const page of followPages(subject.feed, OWNER, options)) pages.push(page);
    expect(pages.map(({ data, next }) => [data, next.position])).toEqual([
      [[], 1],
      [[], 2],
    ]);
    expect(subject.reads).toHaveLength(2);
  });

  it('returns no page after a wait that ended without an event', async () => {
    const stop = new AbortController();
    const subject = aFeed();
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits += 1;
      if (waits === 2) await subject.place();
      if (waits === 3) stop.abort();
    };
    const ends: number[] = [];
    const options: FollowOptions = { timer: aTimer(), signal: stop.signal };
    for await (const { next } of followPages({ ...subject.feed, wait }, OWNER, options)) ends.push(next.position);
    expect(ends).toEqual([0, 1]);
    expect(subject.reads).toHaveLength(3);
  });

  it('returns the page at which it starts, even if the feed is empty', async () => {
    for (const start of ['oldest', 'latest'] as const) {
      const stop = new AbortController();
      const { feed } = aFeed(() => stop.abort());
      const pages: FeedPage[] = [];
      for await (const page of followPages(feed, OWNER, { start, signal: stop.signal })) pages.push(page);
      expect(pages).toEqual([{ data: [], next: { position: 0, event: '0000000000000000' }, caught_up: true }]);
    }
  });
});
