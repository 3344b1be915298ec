import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { PAGE_ELEMENTS_MAX } from '../../orders/order-page-size.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import { PAGE_BYTES_MAX } from '../../shared/page-bytes.ts';
import * as assert from '../assertions.ts';
import { create } from '../aggregate-writes.ts';
import { aCustomer, anEventOfCustomer, anItem } from '../builders.ts';
import { succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import { charges } from '../store-bench.ts';
import { type FeedBench, upTo } from './subject.ts';

/** Returns the event of the feed that a recorded event must become. */
function feedEventOf(event: DomainEvent<string>, position: number): unknown {
  const { id, type, aggregate_id, version, changed, occurred_at, actor } = event;
  const resource = { type: type.replace(/\..*/, ''), id: aggregate_id, version };
  return { id, position, type, resource, changed, occurred_at, actor };
}

function dataOf(events: readonly FeedEvent<OrderDefinition>[]): readonly unknown[] {
  return events.map(({ resource }) => resource.data);
}

export function eventsContract(
  { describe, it }: TestRunner,
  open: () => Promise<FeedBench>,
  { anOrder, advanced, freeText }: OrderFixtures,
): void {
  describe('an event of the feed', () => {
    it('has the members that its write recorded, and no others', async () => {
      const bench = await open();
      const { order, event: placed } = await bench.place({ event: { actor: 'api_key:ord_4fT9' } });
      const { event: changed } = await bench.change(order.id, {
        event: { type: advanced, changed: ['status', 'note'], actor: null },
      });
      const customer = aCustomer();
      const created = anEventOfCustomer(bench.owner, customer, { actor: 'client: a b~' });
      await succeeds(create(bench.customers, bench.owner, customer, created));
      const deleted = await bench.removeOrder(order.id, { actor: 'x'.repeat(255) });
      const read = await bench.readAll();
      const position = (id: string) => read.findIndex((event) => event.id === id) + 1;
      for (const event of [placed, changed, created, deleted])
        assert.deepEqual(read[position(event.id) - 1], feedEventOf(event, position(event.id)));
      assert.equal(read.length, 4);
    });

    it('is named by the position of the reader behind it', async () => {
      const bench = await open();
      await bench.place({ event: { id: '019b0000-abcd-7000-8000-00000000000a' } });
      assert.deepEqual((await bench.page()).next, { position: 1, event: '800000000000000a' });
    });

    it('has the resource at its version, as the write returned it, if the query includes it', async () => {
      const bench = await open();
      const customer = await bench.storeCustomer();
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
      const read = await bench.readAll({ include: FEED_INCLUDES });
      const texts = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).toSorted();
      assert.deepEqual(texts(dataOf(read)), texts(written));
      for (const { resource } of read) assert.equal(resource.data?.version, resource.version);
    });

    it('has no resource unless the query includes it', async () => {
      const bench = await open();
      await bench.place();
      for (const include of [undefined, []]) {
        const [event] = (await bench.page({ include })).data;
        assert.deepEqual(Object.keys(event?.resource ?? {}).toSorted(), ['id', 'type', 'version']);
      }
    });

    it('has the resource `null` for a deletion, and keeps it for the versions of a deleted order', async () => {
      const bench = await open();
      const { order } = await bench.place();
      await bench.removeOrder(order.id);
      const [first, second] = await bench.readAll({ include: FEED_INCLUDES });
      assert.deepEqual([first?.resource.data, second?.resource.data], [order, null]);
    });

    it('has the resource `null` for every version of a deleted customer', async () => {
      const bench = await open();
      const { id } = await bench.storeCustomer();
      const kept = await bench.storeCustomer();
      await bench.removeCustomer(id);
      const read = await bench.readAll({ include: FEED_INCLUDES });
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === id)), [null, null]);
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === kept.id)), [kept]);
    });

    it('has the resource of its owner and kind, even if others have the same id', async () => {
      const bench = await open();
      const other = bench.ofAnother();
      const { order } = await bench.place();
      const customer = await bench.storeCustomer(aCustomer({ id: order.id }));
      const { order: foreign } = await other.place({ id: order.id, note: 'foreign' });
      const read = await bench.readAll({ include: FEED_INCLUDES });
      for (const { resource } of read) assert.deepEqual(resource.data, resource.type === 'order' ? order : customer);
      assert.deepEqual(dataOf(await other.readAll({ include: FEED_INCLUDES })), [foreign]);
    });

    it('is returned as a copy', async () => {
      const bench = await open();
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
    it('ends before the event with which the orders would exceed the items of a page', async () => {
      const bench = await open();
      const items = Array.from({ length: PAGE_ELEMENTS_MAX / 10 }, () => anItem());
      for (let count = 0; count < 11; count += 1) await bench.storeOrder(anOrder({ items }));
      const first = await bench.page({ include: FEED_INCLUDES });
      assert.deepEqual([first.data.length, first.next.position, first.caught_up], [10, 10, false]);
      const rest = await bench.page({ include: FEED_INCLUDES, after: first.next });
      assert.deepEqual([rest.data.length, rest.caught_up], [1, true]);
      assert.equal((await bench.page()).data.length, 11);
    });

    it('counts the adjustments and fulfillments that an order had at its version', async () => {
      const bench = await open();
      const items = Array.from({ length: 100 }, () => anItem());
      for (let count = 0; count < 3; count += 1) {
        const { id } = await bench.storeOrder(anOrder({ items }));
        await bench.command(id, { name: 'fulfill_items', adjustments: charges(100) });
      }
      assert.deepEqual((await bench.page({ include: FEED_INCLUDES })).data.length, 5);
    });

    it('ends before the event with which the resources would exceed the free text of a page', async () => {
      const bench = await open();
      const half = PAGE_BYTES_MAX / 4;
      for (const bytes of [half, half, half]) await bench.storeOrder(anOrder(freeText(bytes)));
      await bench.storeCustomer(aCustomer({ metadata: metadataOfBytes(half) }));
      const sizes = async () => (await bench.page({ include: FEED_INCLUDES })).data.length;
      assert.equal(await sizes(), 4);
      await bench.storeOrder();
      assert.equal(await sizes(), 4);
      assert.deepEqual(await bench.positions({ include: FEED_INCLUDES }), upTo(5));
    });
  });
}
