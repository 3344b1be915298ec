import { FEED_START, positionOf } from '../../events/feed-position.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { type FeedBench, idsOf, oldTime, upTo } from './subject.ts';

export function pagesContract({ describe, it }: Cases<FeedBench>, { definition }: OrderFixtures): void {
  describe('a page of events', () => {
    it('continues at the end of the one before, at every limit, and has no event twice', async (bench) => {
      await bench.placeVersions(7);
      for (const limit of [1, 2, 3, 6, 7, 8])
        assert.deepEqual(await bench.positions({ limit }), upTo(7), `limit ${limit}`);
    });

    it('has a next position and has caught up also without events', async (bench) => {
      const empty = { data: [], next: FEED_START, caught_up: true };
      assert.deepEqual(await bench.page(), empty);
      assert.deepEqual(await bench.page({ after: FEED_START }), empty);
      assert.deepEqual(await bench.page({ start: 'latest' }), empty);
      await bench.place();
      const { next, data, caught_up } = await bench.page({ limit: 1 });
      assert.deepEqual([data.map(positionOf), caught_up], [[next], true]);
      assert.deepEqual(await bench.page({ after: next }), { data: [], next, caught_up: true });
    });

    it('that starts at the latest is empty and ends after every event written before', async (bench) => {
      await bench.placeVersions(2);
      const { data, next, caught_up } = await bench.page({ start: 'latest', limit: 1 });
      assert.deepEqual([data, next.position, caught_up], [[], 2, true]);
      const { event } = await bench.place({ at: oldTime(1) });
      assert.deepEqual(idsOf(await bench.readAll({ after: next })), [event.id]);
    });

    it('has only events of the requested types, and advances behind the others', async (bench) => {
      const { order } = await bench.place({ at: oldTime(1) });
      const [first = 'order.changed', second = first] = definition.eventTypes.slice(2, -1);
      await bench.change(order.id, { event: { type: first } });
      await bench.customers.stored();
      const { order: other } = await bench.place();
      await bench.change(order.id, { event: { type: second } });
      await bench.update(other.id, { note: 'x' });
      const types = [...new Set([first, second])];
      const all = await bench.page({ types });
      const accepted = (await bench.events()).filter(({ type }) => type === first || type === second);
      assert.deepEqual(idsOf(all.data).toSorted(), idsOf(accepted).toSorted());
      assert.deepEqual([all.next.position, all.caught_up], [6, true]);
      assert.deepEqual(idsOf((await bench.page({ types, limit: 1 })).data), idsOf(all.data).slice(0, 1));
      assert.deepEqual(idsOf(await bench.readAll({ types, limit: 1 })), idsOf(all.data));
      assert.deepEqual(await bench.end(), all.next);
    });
  });

  describe('a position of a reader', () => {
    it('is rejected with feed_reset if the event there has another id', async (bench) => {
      const other = bench.ofAnother();
      for (const one of [bench, bench, other, other]) await one.place();
      const [first, second] = await bench.readAll();
      const [foreign] = await other.readAll();
      assert.ok(first && second && foreign, 'the feeds have fewer events than were written');
      const unknown = [
        { ...positionOf(first), event: 'ffffffffffffffff' },
        { ...positionOf(second), position: 1 },
        positionOf(foreign),
        { position: 2, event: FEED_START.event },
      ];
      for (const after of unknown) assert.deepEqual(await fails(bench.tryRead({ after })), { type: 'feed_reset' });
      assert.deepEqual(await bench.positions({ after: positionOf(first) }), [2]);
    });

    it('is rejected with feed_reset if the feed ends before it', async (bench) => {
      const after = { position: 3, event: '8000000000000001' };
      for (let events = 0; events <= 3; events += 1) {
        assert.deepEqual(await fails(bench.tryRead({ after })), { type: 'feed_reset' });
        await bench.place();
      }
    });
  });
}
