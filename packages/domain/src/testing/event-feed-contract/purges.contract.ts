import type { ReadFeedError } from '../../events/event-feed.ts';
import { FEED_START, type FeedPosition, positionOf } from '../../events/feed-position.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails } from '../contract-subject.ts';
import { RECENT } from '../store-bench.ts';
import { type FeedBench, oldTime, positionsOf, upTo } from './subject.ts';

/** Writes `old` events of the minutes 1, 2, … and then `recent` ones. */
async function write(bench: FeedBench, old: number, recent: number): Promise<void> {
  for (const minute of upTo(old)) await bench.place({ at: oldTime(minute) });
  for (const _ of upTo(recent)) await bench.place();
}

/** Returns the place after the event at each position. */
async function placesOf(bench: FeedBench): Promise<(position: number) => FeedPosition> {
  const events = await bench.readAll();
  return (position) => {
    const event = events.find((one) => one.position === position);
    return event ? positionOf(event) : FEED_START;
  };
}

export function purgesContract({ describe, it }: Cases<FeedBench>): void {
  describe('a purge of events', () => {
    it('removes those before its time, and the others keep their positions', async (bench) => {
      await write(bench, 3, 2);
      const before = await bench.readAll();
      await bench.purge(oldTime(30));
      assert.deepEqual(await bench.readAll(), before.slice(3));
      await bench.purge(oldTime(1));
      assert.deepEqual(await bench.readAll(), before.slice(3));
      await bench.place();
      assert.deepEqual(await bench.positions(), [4, 5, 6]);
    });

    it('rejects a position whose next event was purged with events_expired and the oldest position', async (bench) => {
      await write(bench, 3, 2);
      const at = await placesOf(bench);
      await bench.purge(oldTime(30));
      for (const position of [0, 1, 2]) {
        const error = await fails(bench.tryRead({ after: at(position) }));
        assert.deepEqual(error, { type: 'events_expired', oldest: at(3) }, `position ${position}`);
      }
      assert.deepEqual(await bench.positions({ after: at(3) }), [4, 5]);
      assert.deepEqual(await bench.positions({ after: at(4) }), [5]);
    });

    it('rejects the position of the last purged event with feed_reset if its id is another one', async (bench) => {
      await write(bench, 2, 1);
      await bench.readAll();
      await bench.purge(oldTime(30));
      const after = { position: 2, event: 'ffffffffffffffff' };
      assert.deepEqual(await fails(bench.tryRead({ after })), { type: 'feed_reset' });
    });

    it('numbers the events of an owner without readers before it removes them', async (bench) => {
      assert.deepEqual(await bench.end(), FEED_START);
      await write(bench, 3, 0);
      await bench.purge(oldTime(30));
      const error = await fails(bench.tryRead({ after: FEED_START }));
      assert.equal(error.type, 'events_expired');
      await bench.place();
      assert.deepEqual(await bench.positions(), [4]);
      const oldest = error.type === 'events_expired' ? error.oldest : FEED_START;
      assert.deepEqual(await bench.positions({ after: oldest }), [4]);
    });

    it('keeps the end of the feed valid if it removes all events', async (bench) => {
      await write(bench, 3, 0);
      const end = await bench.end();
      await bench.purge(oldTime(30));
      const empty = { data: [], next: end, caught_up: true };
      assert.deepEqual(await bench.page({ after: end }), empty);
      assert.deepEqual(await bench.page(), empty);
      assert.deepEqual(await bench.page({ start: 'latest' }), empty);
      await bench.purge(oldTime(40));
      await bench.place();
      assert.deepEqual(await bench.positions({ after: end }), [4]);
    });

    it('keeps an old event behind a newer one, and removes none before its age', async (bench) => {
      for (const at of [oldTime(1), RECENT, oldTime(2)]) {
        await bench.place({ at });
        await bench.readAll();
      }
      await bench.purge(oldTime(30));
      assert.deepEqual(await bench.positions(), [2, 3]);
    });

    it('counts the age of each event, not that of its order', async (bench) => {
      const { order } = await bench.place({ at: oldTime(1) });
      await bench.change(order.id, { at: oldTime(2) });
      await bench.change(order.id, { at: oldTime(50) });
      await bench.purge(oldTime(30));
      assert.deepEqual(await bench.positions(), [3]);
    });

    it('gives a concurrent reader the next events or events_expired', async (bench) => {
      const servers = [bench, await bench.onAnotherServer()];
      await write(bench, 40, 2);
      const at = await placesOf(bench);
      for (let position = 0; position < 40; position += 4) {
        // The one that begins first often acts first.
        const isPurgeFirst = position % 8 === 0;
        const purging = isPurgeFirst ? bench.purge(oldTime(position + 5)) : null;
        const reading = servers.map((server) => readOrError(server, at(position)));
        await (purging ?? bench.purge(oldTime(position + 5)));
        for (const found of await Promise.all(reading)) {
          const expected = Array.isArray(found) ? upTo(4).map((count) => position + count) : at(position + 4);
          assert.deepEqual(found, expected, `after position ${position}`);
        }
      }
      await bench.purge(oldTime(41));
      assert.deepEqual(await bench.positions(), [41, 42]);
    });
  });
}

/** Returns the positions of the next four events, or the oldest position if they have expired. */
async function readOrError(
  bench: FeedBench,
  after: FeedPosition,
): Promise<readonly number[] | FeedPosition | ReadFeedError> {
  return await bench.tryRead({ after, limit: 4 }).match<readonly number[] | FeedPosition | ReadFeedError>(
    ({ data }) => positionsOf(data),
    (error) => (error.type === 'events_expired' ? error.oldest : error),
  );
}
