import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import type { FeedPosition } from '../../events/feed-position.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import * as assert from '../assertions.ts';
import { aCustomer, anItem } from '../builders.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { membersOf } from '../page-size.contract.ts';
import { charges, lines } from '../store-bench.ts';
import type { FeedBench } from './subject.ts';

/** Returns the event of the feed that a recorded event must become. */
function feedEventOf(event: DomainEvent<string>, position: number): unknown {
  const { id, type, aggregate_id, version, changed, occurred_at, actor, external_user_id } = event;
  const resource = { type: type.replace(/\..*/, ''), id: aggregate_id, version };
  return { id, position, type, resource, changed, occurred_at, actor, external_user_id };
}

function dataOf(events: readonly FeedEvent<OrderDefinition>[]): readonly unknown[] {
  return events.map(({ resource }) => resource.data);
}

export function eventsContract({ describe, it }: Cases<FeedBench>, { anOrder, advanced }: OrderFixtures): void {
  describe('an event of the feed', () => {
    it('has the members that its write recorded, and no others', async (bench) => {
      const { order, event: placed } = await bench.place({
        event: { actor: 'api_key:ord_4fT9', external_user_id: 'user 7' },
      });
      const { event: changed } = await bench.change(order.id, {
        event: { type: advanced, changed: ['status', 'note'], actor: null },
      });
      const customer = aCustomer();
      const { event: created } = await succeeds(
        bench.customers.tryStore(customer, { event: { actor: 'client: a b~' } }),
      );
      assert.ok(created, 'the write recorded no event');
      const deleted = await bench.orders.remove(order.id, { actor: 'x'.repeat(255) });
      const read = await bench.readAll();
      const position = (id: string) => read.findIndex((event) => event.id === id) + 1;
      for (const event of [placed, changed, created, deleted])
        assert.deepEqual(read[position(event.id) - 1], feedEventOf(event, position(event.id)));
      assert.equal(read.length, 4);
    });

    it('is named by the position of the reader behind it', async (bench) => {
      await bench.place({ event: { id: '019b0000-abcd-7000-8000-00000000000a' } });
      assert.deepEqual((await bench.page()).next, { position: 1, event: '800000000000000a' });
    });

    it('has the resource at its version, as the write returned it, if the query includes it', async (bench) => {
      const customer = await bench.customers.stored();
      const written: unknown[] = [customer];
      const { order } = await bench.place({
        customer_id: customer.id,
        metadata: { z: '1', ä: '“é” 🎁', a: '2' },
      });
      written.push(order);
      written.push((await bench.change(order.id)).order);
      const [{ id: item_id } = { id: '' }] = order.items;
      const items = [{ item_id, quantity: 1 }];
      written.push(await bench.command(order.id, { name: 'fulfill_items', items, adjustments: charges(1) }));
      written.push(await bench.command(order.id, { name: 'return_items', items, reason: 'in no event' }));
      written.push(await bench.command(order.id, { name: 'add_items', lines: lines(2) }));
      const read = await bench.readAll({ include: FEED_INCLUDES });
      const texts = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).toSorted();
      assert.deepEqual(texts(dataOf(read)), texts(written));
      for (const { resource } of read) assert.equal(resource.data?.version, resource.version);
    });

    it('has the resource `null` for a deletion, and keeps it for the versions of a deleted order', async (bench) => {
      const { order } = await bench.place();
      await bench.orders.remove(order.id);
      const [first, second] = await bench.readAll({ include: FEED_INCLUDES });
      assert.deepEqual([first?.resource.data, second?.resource.data], [order, null]);
    });

    it('has the resource `null` for every version of a deleted customer', async (bench) => {
      const { id } = await bench.customers.stored();
      const kept = await bench.customers.stored();
      await bench.customers.remove(id);
      const read = await bench.readAll({ include: FEED_INCLUDES });
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === id)), [null, null]);
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === kept.id)), [kept]);
    });

    it('has the resource of its owner and kind, even if others have the same id', async (bench) => {
      const other = bench.ofAnother();
      const { order } = await bench.place();
      const customer = await bench.customers.stored(aCustomer({ id: order.id }));
      const { order: foreign } = await other.place({ id: order.id, note: 'foreign' });
      const read = await bench.readAll({ include: FEED_INCLUDES });
      for (const { resource } of read) assert.deepEqual(resource.data, resource.type === 'order' ? order : customer);
      assert.deepEqual(dataOf(await other.readAll({ include: FEED_INCLUDES })), [foreign]);
    });

    it('is returned as a copy', async (bench) => {
      const { order } = await bench.place({ metadata: { colour: 'blue' }, event: { changed: ['note'] } });
      for (let times = 0; times < 2; times += 1) {
        const [event] = (await bench.page({ include: FEED_INCLUDES })).data;
        assert.deepEqual([event?.resource.data, event?.changed], [order, ['note']]);
        const data = event?.resource.data;
        Object.assign(data && 'metadata' in data ? data.metadata : {}, { colour: 'red' });
        Object.assign(event?.changed ?? [], ['items']);
        Object.assign(event ?? {}, { position: 7 });
      }
    });
  });

  describe('a page of events with resources', () => {
    it('counts the items, adjustments and fulfillments that an order had at its version', async (bench) => {
      const items = Array.from({ length: 10 }, () => anItem());
      for (let count = 0; count < 3; count += 1) {
        const { id } = await bench.orders.stored(anOrder({ items }));
        await bench.command(id, { name: 'add_items', lines: lines(90) });
        await bench.command(id, { name: 'fulfill_items', adjustments: charges(100) });
      }
      assert.deepEqual((await bench.page({ include: FEED_INCLUDES })).data.length, 8);
    });
  });
}

/** Returns a function that opens the feed of an owner, whose events have resources. */
export function openingFeed(open: () => Promise<FeedBench>, { anOrder, freeText }: OrderFixtures) {
  return async () => {
    const bench = await open();
    let stored = 0;
    return {
      // Those of customers count, too.
      storeText: (bytes: number) => {
        stored += 1;
        if (stored % 2 === 0) return bench.customers.stored(aCustomer({ metadata: metadataOfBytes(bytes) }));
        return bench.orders.stored(anOrder(freeText(bytes)));
      },
      storeElements: (count: number) => bench.orders.stored(anOrder(membersOf(count))),
      page: async ({ after }: { readonly after?: FeedPosition | undefined }) => {
        const { data, next, caught_up } = await bench.page({ include: FEED_INCLUDES, after });
        return { ids: data.map(({ id }) => id), next: caught_up ? null : next };
      },
    };
  };
}
