import { FILTERED_POSITIONS_MAX, NUMBERING_BATCH_MAX, NUMBERING_BATCHES_MAX } from '../../events/event-feed.ts';
import { FeedBacklog } from '../../events/feed-backlog.ts';
import { FEED_START } from '../../events/feed-position.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails } from '../contract-subject.ts';
import { type FeedBench, positionsOf, upTo } from './subject.ts';

const ORDERS = 10;

/** Writes `count` versions of each of ten orders, and returns their ids. */
function writeVersions(bench: FeedBench, count: number): Promise<readonly string[]> {
  return Promise.all(Array.from({ length: ORDERS }, () => bench.placeVersions(count)));
}

export function backlogContract({ describe, it }: Cases<FeedBench>): void {
  describe('a long feed', () => {
    it('has filtered pages that cover at most 1,000 positions', async (bench) => {
      await writeVersions(bench, FILTERED_POSITIONS_MAX / ORDERS);
      await bench.end();
      await bench.customers.stored();
      const types = ['customer.created'] as const;
      const first = await bench.page({ types });
      assert.deepEqual([first.data, first.next.position, first.caught_up], [[], FILTERED_POSITIONS_MAX, false]);
      const second = await bench.page({ types, after: first.next });
      assert.deepEqual(positionsOf(second.data), [FILTERED_POSITIONS_MAX + 1]);
      assert.equal(second.caught_up, true);
    });

    it('is numbered by several reads, and has no known end before the last', async (bench) => {
      const numbered = NUMBERING_BATCH_MAX * NUMBERING_BATCHES_MAX;
      const ids = await writeVersions(bench, numbered / ORDERS + 1);
      const error = await fails(bench.tryRead({ start: 'latest' }));
      const cause = error.type === 'unavailable' ? error.cause : error;
      assert.ok(cause instanceof FeedBacklog, 'the cause of `unavailable` is no FeedBacklog');
      assert.equal(cause.last, numbered);
      assert.equal((await bench.end()).position, numbered + ORDERS);
      const all = await bench.readAll({ after: FEED_START });
      assert.deepEqual(positionsOf(all), upTo(numbered + ORDERS));
      for (const id of ids) {
        const versions = all.filter(({ resource }) => resource.id === id).map(({ resource }) => resource.version);
        assert.deepEqual(versions, upTo(numbered / ORDERS + 1));
      }
    });
  });
}
