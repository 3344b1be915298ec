import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FEED_START, positionOf } from '../../events/feed-position.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, storeCustomer, type TestRunner } from '../contract-subject.ts';
import {
  change,
  endOf,
  idsOf,
  oldTime,
  type OpenFeedSubject,
  page,
  positionsOf,
  read,
  readAll,
  upTo,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

export function pagesContract(
  { describe, it }: TestRunner,
  open: OpenFeedSubject<OrderDefinition>,
  { definition, place, update, advanced }: OrderFixtures,
): void {
  describe('a page of events', () => {
    it('continues at the end of the one before, at every limit, and has no event twice', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner);
      for (let count = 1; count < 7; count += 1) await change(subject, owner, order.id);
      for (const limit of [1, 2, 3, 6, 7, 8])
        assert.deepEqual(positionsOf(await readAll(subject, owner, { limit })), upTo(7), `limit ${limit}`);
    });

    it('has a next position and has caught up also without events', async () => {
      const subject = await open();
      const owner = anOwner();
      const empty = { data: [], next: FEED_START, caught_up: true };
      assert.deepEqual(await page(subject, owner), empty);
      assert.deepEqual(await page(subject, owner, { after: FEED_START }), empty);
      assert.deepEqual(await page(subject, owner, { start: 'latest' }), empty);
      await place(subject, owner);
      const { next, data } = await page(subject, owner);
      assert.deepEqual(data.map(positionOf), [next]);
      assert.deepEqual(await page(subject, owner, { after: next }), { data: [], next, caught_up: true });
    });

    it('has caught up only at the end of the feed', async () => {
      const subject = await open();
      const owner = anOwner();
      for (let count = 0; count < 4; count += 1) await place(subject, owner);
      const reached: (readonly [number, boolean])[] = [];
      for (const limit of [1, 3, 4, 5]) {
        const { data, caught_up } = await page(subject, owner, { limit });
        reached.push([data.length, caught_up]);
      }
      assert.deepEqual(reached, [
        [1, false],
        [3, false],
        [4, true],
        [4, true],
      ]);
    });

    it('that starts at the latest is empty and ends after every event written before', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      const { data, next, caught_up } = await page(subject, owner, { start: 'latest', limit: 1 });
      assert.deepEqual([data, next.position, caught_up], [[], 2, true]);
      const { event } = await place(subject, owner, { at: oldTime(1) });
      assert.deepEqual(idsOf(await readAll(subject, owner, { after: next })), [event.id]);
    });

    it('has only events of the requested types, and advances behind the others', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner, { at: oldTime(1) });
      const [first = 'order.changed', second = first] = definition.eventTypes.slice(2, -1);
      await change(subject, owner, order.id, { event: { type: first } });
      await storeCustomer(subject, owner);
      const { order: other } = await place(subject, owner);
      await change(subject, owner, order.id, { event: { type: second } });
      await update(subject, owner, other.id, { note: 'x' });
      const types = [...new Set([first, second])];
      const all = await page(subject, owner, { types });
      const accepted = (await subject.events(owner)).filter(({ type }) => type === first || type === second);
      assert.deepEqual(idsOf(all.data).toSorted(), idsOf(accepted).toSorted());
      assert.deepEqual([all.next.position, all.caught_up], [6, true]);
      assert.deepEqual(idsOf(await readAll(subject, owner, { types, limit: 1 })), idsOf(all.data));
      assert.deepEqual(await endOf(subject, owner), all.next);
    });

    it('advances to the end of the feed without an event of the requested types', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner);
      await place(subject, owner);
      const first = await page(subject, owner, { types: ['customer.created'] });
      assert.deepEqual([first.data, first.next.position, first.caught_up], [[], 2, true]);
      await storeCustomer(subject, owner);
      const second = await page(subject, owner, { types: ['customer.created'], after: first.next });
      assert.deepEqual(positionsOf(second.data), [3]);
    });

    it('has as many events of the requested types as the limit', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner, { at: oldTime(1) });
      for (let count = 0; count < 5; count += 1) await change(subject, owner, order.id, { event: { type: advanced } });
      const { data, next } = await page(subject, owner, { types: [advanced], limit: 3 });
      assert.deepEqual(positionsOf(data), [2, 3, 4]);
      assert.deepEqual(next, data.map(positionOf).at(-1));
    });
  });

  describe('a position of a reader', () => {
    it('is rejected with feed_reset if the event there has another id', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      for (const one of [owner, owner, otherOwner, otherOwner]) await place(subject, one);
      const [first, second] = await readAll(subject, owner);
      const [foreign] = await readAll(subject, otherOwner);
      assert.ok(first && second && foreign, 'the feeds have fewer events than were written');
      const unknown = [
        { ...positionOf(first), event: 'ffffffffffffffff' },
        { ...positionOf(second), position: 1 },
        positionOf(foreign),
        { position: 2, event: FEED_START.event },
      ];
      for (const after of unknown)
        assert.deepEqual(await fails(read(subject, owner, { after })), { type: 'feed_reset' });
      assert.deepEqual(positionsOf(await readAll(subject, owner, { after: positionOf(first) })), [2]);
    });

    it('is rejected with feed_reset if the feed ends before it', async () => {
      const subject = await open();
      const owner = anOwner();
      const after = { position: 3, event: '8000000000000001' };
      assert.deepEqual(await fails(read(subject, owner, { after })), { type: 'feed_reset' });
      await place(subject, owner);
      await place(subject, owner);
      assert.deepEqual(await fails(read(subject, owner, { after })), { type: 'feed_reset' });
      await place(subject, owner);
      assert.deepEqual(await fails(read(subject, owner, { after })), { type: 'feed_reset' });
    });
  });
}
