import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import * as assert from '../assertions.ts';
import { aCustomer, aKey } from '../builders.ts';
import { type Cases, EVERY_EVENT, fails, loaded, rejects, succeeds } from '../contract-subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { sequentialIds } from '../sequential-ids.ts';
import { RECENT } from '../store-bench.ts';
import { type FeedBench, idsOf, oldTime, positionsOf, upTo } from './subject.ts';

const ids = sequentialIds(0xfeed);

/** Returns event ids in descending order, as of servers whose clocks differ. */
function descendingIds(count: number): string[] {
  return Array.from({ length: count }, () => ids.next()).toReversed();
}

/** Returns the versions of a resource in the order of the feed. */
function versionsOf(events: readonly FeedEvent<OrderDefinition>[], id: string): readonly number[] {
  return events.filter(({ resource }) => resource.id === id).map(({ resource }) => resource.version);
}

/** Follows the feed until a page that was read after all writes has caught up. */
async function follow(bench: FeedBench, isWritten: () => boolean): Promise<readonly FeedEvent<OrderDefinition>[]> {
  const all: FeedEvent<OrderDefinition>[] = [];
  let after: FeedPosition | undefined;
  for (;;) {
    const isLast = isWritten();
    const { data, next, caught_up } = await bench.page({ after, limit: 7 });
    all.push(...data);
    if (isLast && caught_up) return all;
    after = next;
  }
}

export function positionsContract({ describe, it }: Cases<FeedBench>, { anOrder, advance }: OrderFixtures): void {
  describe('the positions of events', () => {
    it('are 1, 2, 3, … without holes, one for each committed event', async (bench) => {
      const { orders, owner } = bench;
      const { store } = orders;
      const key = aKey();
      const { id } = await bench.orders.stored(anOrder({ reference: 'PO-1' }), key);
      await bench.orders.stored(anOrder(), key);
      const stale = await loaded(store, owner, id);
      await bench.update(id, {}, { key: aKey() });
      await fails(bench.orders.tryStore(anOrder({ reference: 'PO-1' })));
      const decideWrongly = () => {
        throw new Error('a bug');
      };
      await rejects(() => store.commitLocked(owner, id, undefined, decideWrongly));
      const customer = await bench.customers.stored();
      await bench.update(id, advance);
      const after = { ...stale.aggregate, note: 'lost', version: 2 };
      const event = orders.eventOf(after);
      await fails(store.commit(owner, { kind: 'change', before: stale, after, event, key: undefined }));
      await bench.orders.remove(id);
      await bench.customers.remove(customer.id);
      await bench.orders.stored();
      const events = await bench.readAll();
      assert.deepEqual(positionsOf(events), upTo(6));
      assert.deepEqual(idsOf(events).toSorted(), idsOf(await bench.events()).toSorted(), EVERY_EVENT);
    });

    it('follow the versions of each order and customer, whatever their times and ids', async (bench) => {
      const events = descendingIds(36);
      const next = () => ({ event: { id: events.shift() ?? '' } });
      const [{ order: one }, { order: other }] = [await bench.place(next()), await bench.place(next())];
      const customer = aCustomer();
      await succeeds(bench.customers.tryStore(customer, next()));
      for (let version = 2; version <= 12; version += 1) {
        await bench.change(one.id, next());
        await bench.change(other.id, next());
        await bench.customers.set(customer.id, { name: `version ${version}` }, { at: RECENT, ...next() });
      }
      const read = await bench.readAll();
      for (const { id } of [one, other, customer]) assert.deepEqual(versionsOf(read, id), upTo(12));
      assert.deepEqual(positionsOf(read), upTo(36));
    });

    it('follow the times of events that are read for the first time together', async (bench) => {
      const [{ id: first }, { id: second }] = [anOrder(), anOrder()];
      const [later, earlier] = descendingIds(2);
      await bench.place({ id: second, at: oldTime(1), event: { id: later ?? '' } });
      await bench.place({ id: first, at: oldTime(2), event: { id: earlier ?? '' } });
      await bench.change(second, { at: oldTime(3) });
      const events = await bench.readAll();
      const times = events.map(({ occurred_at }) => occurred_at);
      assert.deepEqual(times, [1, 2, 3].map(oldTime));
    });

    it('give an event that commits late the next position, with a time and an id before others', async (bench) => {
      const [newest, newer, late] = descendingIds(3);
      await bench.place({ at: oldTime(8), event: { id: newer ?? '' } });
      await bench.place({ at: oldTime(9), event: { id: newest ?? '' } });
      const { next, data: before } = await bench.page();
      await bench.place({ at: oldTime(1), event: { id: late ?? '' } });
      const { data, caught_up } = await bench.page({ after: next });
      assert.deepEqual(idsOf(data), [late]);
      assert.deepEqual(positionsOf(data), [3]);
      assert.equal(caught_up, true);
      assert.deepEqual(await bench.readAll(), [...before, ...data]);
    });

    it('include an acknowledged write in the next page of a reader that has caught up', async (bench) => {
      const another = await bench.onAnotherServer();
      let after = await bench.end();
      for (let count = 0; count < 8; count += 1) {
        const [writer, reader] = count % 2 === 0 ? [bench, another] : [another, bench];
        const { event } = await writer.place();
        const { data, next, caught_up } = await reader.page({ after });
        assert.deepEqual(idsOf(data), [event.id]);
        assert.equal(caught_up, true);
        after = next;
      }
    });

    it('are separate for each owner, as its events are', async (bench) => {
      const other = bench.ofAnother();
      const { order, event: first } = await bench.place();
      const { event: foreign } = await other.place({ id: order.id });
      const { event: second } = await bench.change(order.id);
      assert.deepEqual(idsOf(await bench.readAll()), [first.id, second.id]);
      const others = await other.readAll();
      assert.deepEqual(idsOf(others), [foreign.id]);
      assert.deepEqual(positionsOf(others), [1]);
      assert.deepEqual(await bench.positions(), [1, 2]);
      assert.deepEqual(await bench.ofAnother().readAll(), []);
    });

    it('are the same for all readers of two servers while events are written', async (bench) => {
      const servers = [bench, await bench.onAnotherServer()];
      const count = 48;
      const write = async (server: FeedBench): Promise<void> => {
        for (let times = 0; times < count / 12; times += 1) {
          const { order } = await server.place();
          await server.change(order.id);
        }
      };
      let isWritten = false;
      const writing = Promise.all([...servers, ...servers, ...servers].map(write)).finally(() => (isWritten = true));
      const following = [...servers, ...servers].map((server) => follow(server, () => isWritten));
      const [sequence, ...others] = await Promise.all(following);
      await writing;
      assert.ok(sequence, 'no reader has read');
      assert.deepEqual(positionsOf(sequence), upTo(count));
      for (const other of others) assert.deepEqual(other, sequence);
      assert.deepEqual(idsOf(sequence).toSorted(), idsOf(await bench.events()).toSorted(), EVERY_EVENT);
    });
  });
}
