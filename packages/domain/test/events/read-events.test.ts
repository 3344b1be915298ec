import { FEED_START, readEvents } from '@orders/domain/events';
import { describe, expect, it } from 'vitest';
import { fails, invalidFields, OTHER_OWNER, OWNER, succeeds } from '../fixtures/a-domain.ts';
import { aFeed } from '../fixtures/a-feed.ts';

describe('reading events', () => {
  it('returns a page of the oldest 20 events by default, and the next one after it', async () => {
    const { feed, place } = aFeed();
    for (let count = 0; count < 21; count += 1) await place();
    const { data, next, caught_up } = await succeeds(readEvents(feed, OWNER));
    expect(data.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(caught_up).toBe(false);
    const second = await succeeds(readEvents(feed, OWNER, { after: next, include: ['resource'] }));
    expect(second.data).toMatchObject([
      { position: 21, type: 'order.placed', resource: { data: { status: 'pending' } } },
    ]);
    expect((await succeeds(readEvents(feed, OTHER_OWNER))).next).toEqual(FEED_START);
  });

  it('rejects an invalid query, and does not read', async () => {
    const subject = aFeed();
    const error = await fails(readEvents(subject.feed, OWNER, { limit: 0, types: [], start: 'now' }));
    expect(error).toMatchObject(invalidFields('limit: out_of_range', 'start: invalid_value', 'types: invalid_value'));
    expect(subject.reads).toEqual([]);
  });

  it('returns the errors of the feed', async () => {
    const { feed } = aFeed(undefined, [null, 'no connection']);
    const after = { position: 1, event: '8000000000000001' };
    expect(await fails(readEvents(feed, OWNER, { after }))).toEqual({ type: 'feed_reset' });
    expect(await fails(readEvents(feed, OWNER))).toEqual({ type: 'unavailable', cause: 'no connection' });
  });

  it('throws a TypeError for an invalid owner', () => {
    const subject = aFeed();
    for (const owner of ['', 'é', 'x'.repeat(256)])
      expect(() => readEvents(subject.feed, owner)).toThrow('the owner must be a string of 1 to 255 printable ASCII');
    expect(subject.reads).toEqual([]);
  });
});
