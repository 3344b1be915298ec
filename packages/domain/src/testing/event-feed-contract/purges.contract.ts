import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { ReadFeedError } from '../../events/event-feed.ts';
import { FEED_START, type FeedPosition, positionOf } from '../../events/feed-position.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, type TestRunner } from '../contract-subject.ts';
import {
  anotherServer,
  change,
  endOf,
  type FeedServer,
  oldTime,
  type OpenFeedSubject,
  page,
  positionsOf,
  read,
  readAll,
  upTo,
} from './subject.ts';
import { type OrderFixtures, RECENT } from '../order-fixtures.ts';

/** Writes `old` events of the minutes 1, 2, … and then `recent` ones. */
async function write(
  { place }: OrderFixtures,
  server: FeedServer<OrderDefinition>,
  owner: Owner,
  old: number,
  recent: number,
): Promise<void> {
  for (const minute of upTo(old)) await place(server, owner, { at: oldTime(minute) });
  for (const _ of upTo(recent)) await place(server, owner);
}

/** Returns the place after the event at each position. */
async function placesOf(
  server: FeedServer<OrderDefinition>,
  owner: Owner,
): Promise<(position: number) => FeedPosition> {
  const events = await readAll(server, owner);
  return (position) => {
    const event = events.find((one) => one.position === position);
    return event ? positionOf(event) : FEED_START;
  };
}

export function purgesContract(
  { describe, it }: TestRunner,
  open: OpenFeedSubject<OrderDefinition>,
  fixtures: OrderFixtures,
): void {
  const { place } = fixtures;
  describe('a purge of events', () => {
    it('removes those before its time, and the others keep their positions', async () => {
      const subject = await open();
      const owner = anOwner();
      await write(fixtures, subject, owner, 3, 2);
      const before = await readAll(subject, owner);
      await subject.purge(oldTime(30));
      assert.deepEqual(await readAll(subject, owner), before.slice(3));
      await subject.purge(oldTime(1));
      assert.deepEqual(await readAll(subject, owner), before.slice(3));
      await place(subject, owner);
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [4, 5, 6]);
    });

    it('rejects a position whose next event was purged with events_expired and the oldest position', async () => {
      const subject = await open();
      const owner = anOwner();
      await write(fixtures, subject, owner, 3, 2);
      const at = await placesOf(subject, owner);
      await subject.purge(oldTime(30));
      for (const position of [0, 1, 2]) {
        const error = await fails(read(subject, owner, { after: at(position) }));
        assert.deepEqual(error, { type: 'events_expired', oldest: at(3) }, `position ${position}`);
      }
      assert.deepEqual(positionsOf(await readAll(subject, owner, { after: at(3) })), [4, 5]);
      assert.deepEqual(positionsOf(await readAll(subject, owner, { after: at(4) })), [5]);
    });

    it('rejects the position of the last purged event with feed_reset if its id is another one', async () => {
      const subject = await open();
      const owner = anOwner();
      await write(fixtures, subject, owner, 2, 1);
      await readAll(subject, owner);
      await subject.purge(oldTime(30));
      const after = { position: 2, event: 'ffffffffffffffff' };
      assert.deepEqual(await fails(read(subject, owner, { after })), { type: 'feed_reset' });
    });

    it('numbers the events of an owner without readers before it removes them', async () => {
      const subject = await open();
      const owner = anOwner();
      assert.deepEqual(await endOf(subject, owner), FEED_START);
      await write(fixtures, subject, owner, 3, 0);
      await subject.purge(oldTime(30));
      const error = await fails(read(subject, owner, { after: FEED_START }));
      assert.equal(error.type, 'events_expired');
      await place(subject, owner);
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [4]);
      const oldest = error.type === 'events_expired' ? error.oldest : FEED_START;
      assert.deepEqual(positionsOf(await readAll(subject, owner, { after: oldest })), [4]);
    });

    it('keeps the end of the feed valid if it removes all events', async () => {
      const subject = await open();
      const owner = anOwner();
      await write(fixtures, subject, owner, 3, 0);
      const end = await endOf(subject, owner);
      await subject.purge(oldTime(30));
      const empty = { data: [], next: end, caught_up: true };
      assert.deepEqual(await page(subject, owner, { after: end }), empty);
      assert.deepEqual(await page(subject, owner), empty);
      assert.deepEqual(await page(subject, owner, { start: 'latest' }), empty);
      await subject.purge(oldTime(40));
      await place(subject, owner);
      assert.deepEqual(positionsOf(await readAll(subject, owner, { after: end })), [4]);
    });

    it('keeps an old event behind a newer one, and removes none before its age', async () => {
      const subject = await open();
      const owner = anOwner();
      for (const at of [oldTime(1), RECENT, oldTime(2)]) {
        await place(subject, owner, { at });
        await readAll(subject, owner);
      }
      await subject.purge(oldTime(30));
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [2, 3]);
    });

    it('counts the age of each event, not that of its order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner, { at: oldTime(1) });
      await change(subject, owner, order.id, { at: oldTime(2) });
      await change(subject, owner, order.id, { at: oldTime(50) });
      await subject.purge(oldTime(30));
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [3]);
    });

    it('gives a concurrent reader the next events or events_expired', async () => {
      const subject = await open();
      const owner = anOwner();
      const servers = [subject, await anotherServer(subject)];
      await write(fixtures, subject, owner, 40, 2);
      const at = await placesOf(subject, owner);
      for (let position = 0; position < 40; position += 4) {
        // The one that begins first often acts first.
        const isPurgeFirst = position % 8 === 0;
        const purging = isPurgeFirst ? subject.purge(oldTime(position + 5)) : null;
        const reading = servers.map((server) => readOrError(server, owner, at(position)));
        await (purging ?? subject.purge(oldTime(position + 5)));
        for (const found of await Promise.all(reading)) {
          const expected = Array.isArray(found) ? upTo(4).map((count) => position + count) : at(position + 4);
          assert.deepEqual(found, expected, `after position ${position}`);
        }
      }
      await subject.purge(oldTime(41));
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [41, 42]);
    });
  });
}

/** Returns the positions of the next four events, or the oldest position if they have expired. */
async function readOrError(
  server: FeedServer<OrderDefinition>,
  owner: Owner,
  after: FeedPosition,
): Promise<readonly number[] | FeedPosition | ReadFeedError> {
  return await read(server, owner, { after, limit: 4 }).match<readonly number[] | FeedPosition | ReadFeedError>(
    ({ data }) => positionsOf(data),
    (error) => (error.type === 'events_expired' ? error.oldest : error),
  );
}
