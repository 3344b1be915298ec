import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { change as changeAggregate, create } from '../aggregate-writes.ts';
import { aCustomer, aKey, anEventOfCustomer } from '../builders.ts';
import {
  anOwner,
  EVERY_EVENT,
  fails,
  loaded,
  rejects,
  removeCustomer,
  storeCustomer,
  succeeds,
  type TestRunner,
} from '../contract-subject.ts';
import { sequentialIds } from '../sequential-ids.ts';
import {
  anotherServer,
  change,
  endOf,
  type FeedServer,
  idsOf,
  oldTime,
  type OpenFeedSubject,
  page,
  positionsOf,
  readAll,
  upTo,
} from './subject.ts';
import { type OrderFixtures, RECENT, removeOrder } from '../order-fixtures.ts';

const ids = sequentialIds(0xfeed);

/** Returns event ids in descending order, as of servers whose clocks differ. */
function descendingIds(count: number): string[] {
  return Array.from({ length: count }, () => ids.next()).toReversed();
}

/** Returns the versions of a resource in the order of the feed. */
function versionsOf(events: readonly FeedEvent<OrderDefinition>[], id: string): readonly number[] {
  return events.filter(({ resource }) => resource.id === id).map(({ resource }) => resource.version);
}

/** Follows the feed of `owner` until a page that was read after all writes has caught up. */
async function follow(
  server: FeedServer<OrderDefinition>,
  owner: Owner,
  isWritten: () => boolean,
): Promise<readonly FeedEvent<OrderDefinition>[]> {
  const all: FeedEvent<OrderDefinition>[] = [];
  let after: FeedPosition | undefined;
  for (;;) {
    const isLast = isWritten();
    const { data, next, caught_up } = await page(server, owner, { after, limit: 7 });
    all.push(...data);
    if (isLast && caught_up) return all;
    after = next;
  }
}

export function positionsContract(
  { describe, it }: TestRunner,
  open: OpenFeedSubject<OrderDefinition>,
  { anOrder, anEventOf, storeOrder, place, decide, update, advance }: OrderFixtures,
): void {
  describe('the positions of events', () => {
    it('are 1, 2, 3, … without holes, one for each committed event', async () => {
      const subject = await open();
      const { orders, customers } = subject;
      const owner = anOwner();
      const key = aKey();
      const order = await storeOrder(subject, owner, anOrder({ reference: 'PO-1' }), key);
      const { id } = order;
      await storeOrder(subject, owner, anOrder(), key);
      const stale = await loaded(orders, owner, id);
      await update(subject, owner, id, {}, { key: aKey() });
      const taken = anOrder({ reference: 'PO-1' });
      await fails(create(orders, owner, taken, anEventOf(owner, taken)));
      const bug = new Error('a bug');
      const decideWrongly = () => {
        throw bug;
      };
      await rejects(() => orders.commitLocked(owner, id, undefined, decideWrongly));
      const customer = await storeCustomer(subject, owner);
      await update(subject, owner, id, advance);
      const { after, event } = decide(owner, { note: 'lost' })(stale.aggregate);
      assert.ok(event, 'the change has no event');
      await fails(orders.commit(owner, { kind: 'change', before: stale, after, event, key: undefined }));
      await removeOrder(subject, owner, id);
      await removeCustomer({ customers }, owner, customer.id);
      await storeOrder(subject, owner);
      const events = await readAll(subject, owner);
      assert.deepEqual(positionsOf(events), upTo(6));
      assert.deepEqual(idsOf(events).toSorted(), idsOf(await subject.events(owner)).toSorted(), EVERY_EVENT);
    });

    it('never change, whatever is written later', async () => {
      const subject = await open();
      const owner = anOwner();
      const [first, second, third] = descendingIds(3);
      const { order } = await place(subject, owner, { event: { id: first ?? '' } });
      const before = await readAll(subject, owner);
      await place(subject, owner, { at: oldTime(1), event: { id: second ?? '' } });
      await change(subject, owner, order.id, { event: { id: third ?? '' } });
      const after = await readAll(subject, owner);
      assert.deepEqual(after.slice(0, 1), before);
      assert.deepEqual(await readAll(subject, owner), after);
      assert.deepEqual(positionsOf(after), upTo(3));
    });

    it('follow the versions of each order and customer, whatever their times and ids', async () => {
      const subject = await open();
      const owner = anOwner();
      const events = descendingIds(36);
      const next = () => ({ event: { id: events.shift() ?? '' } });
      const [{ order: one }, { order: other }] = [
        await place(subject, owner, next()),
        await place(subject, owner, next()),
      ];
      const customer = aCustomer();
      const created = anEventOfCustomer(owner, customer, { ...next().event, type: 'customer.created' });
      await succeeds(create(subject.customers, owner, customer, created));
      for (let version = 2; version <= 12; version += 1) {
        await change(subject, owner, one.id, next());
        await change(subject, owner, other.id, next());
        const after = { ...customer, name: `version ${version}`, version, updated_at: RECENT };
        const event = { ...anEventOfCustomer(owner, after), id: events.shift() ?? '' };
        await succeeds(changeAggregate(subject.customers, owner, customer.id, () => ({ after, event })));
      }
      const read = await readAll(subject, owner);
      for (const { id } of [one, other, customer]) assert.deepEqual(versionsOf(read, id), upTo(12));
      assert.deepEqual(positionsOf(read), upTo(36));
    });

    it('follow the times of events that are read for the first time together', async () => {
      const subject = await open();
      const owner = anOwner();
      const [{ id: first }, { id: second }] = [anOrder(), anOrder()];
      const [later, earlier] = descendingIds(2);
      await place(subject, owner, { id: second, at: oldTime(1), event: { id: later ?? '' } });
      await place(subject, owner, { id: first, at: oldTime(2), event: { id: earlier ?? '' } });
      await change(subject, owner, second, { at: oldTime(3) });
      const events = await readAll(subject, owner);
      assert.deepEqual(
        events.map(({ occurred_at }) => occurred_at),
        [1, 2, 3].map(oldTime),
      );
    });

    it('give an event that commits late the next position, with a time and an id before others', async () => {
      const subject = await open();
      const owner = anOwner();
      const [newest, newer, late] = descendingIds(3);
      await place(subject, owner, { at: oldTime(8), event: { id: newer ?? '' } });
      await place(subject, owner, { at: oldTime(9), event: { id: newest ?? '' } });
      const { next } = await page(subject, owner);
      await place(subject, owner, { at: oldTime(1), event: { id: late ?? '' } });
      const { data, caught_up } = await page(subject, owner, { after: next });
      assert.deepEqual(idsOf(data), [late]);
      assert.deepEqual(positionsOf(data), [3]);
      assert.equal(caught_up, true);
    });

    it('include an acknowledged write in the next page of a reader that has caught up', async () => {
      const subject = await open();
      const owner = anOwner();
      const another = await anotherServer(subject);
      let after = await endOf(subject, owner);
      for (const [writer, reader] of [1, 2, 3, 4].flatMap(() => [
        [subject, another] as const,
        [another, subject] as const,
      ])) {
        const { event } = await place(writer, owner);
        const { data, next, caught_up } = await page(reader, owner, { after });
        assert.deepEqual(idsOf(data), [event.id]);
        assert.equal(caught_up, true);
        after = next;
      }
    });

    it('are separate for each owner, as its events are', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const { order, event: first } = await place(subject, owner);
      const { event: foreign } = await place(subject, otherOwner, { id: order.id });
      const { event: second } = await change(subject, owner, order.id);
      assert.deepEqual(idsOf(await readAll(subject, owner)), [first.id, second.id]);
      const others = await readAll(subject, otherOwner);
      assert.deepEqual(idsOf(others), [foreign.id]);
      assert.deepEqual(positionsOf(others), [1]);
      assert.deepEqual(positionsOf(await readAll(subject, owner)), [1, 2]);
      assert.deepEqual(await readAll(subject, anOwner()), []);
    });

    it('are the same for all readers of two servers while events are written', async () => {
      const subject = await open();
      const owner = anOwner();
      const servers = [subject, await anotherServer(subject)];
      const count = 48;
      const write = async (server: FeedServer<OrderDefinition>): Promise<void> => {
        for (let times = 0; times < count / 12; times += 1) {
          const { order } = await place(server, owner);
          await change(server, owner, order.id);
        }
      };
      let isWritten = false;
      const writing = Promise.all([...servers, ...servers, ...servers].map(write)).finally(() => (isWritten = true));
      const following = [...servers, ...servers].map((server) => follow(server, owner, () => isWritten));
      const [sequence, ...others] = await Promise.all(following);
      await writing;
      assert.ok(sequence, 'no reader has read');
      assert.deepEqual(positionsOf(sequence), upTo(count));
      for (const other of others) assert.deepEqual(other, sequence);
      assert.deepEqual(idsOf(sequence).toSorted(), idsOf(await subject.events(owner)).toSorted(), EVERY_EVENT);
    });
  });
}
