import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FEED_INCLUDES } from '../../event-types.ts';
import type { FeedEvent } from '../../events/feed-event.ts';
import { PAGE_ITEMS_MAX } from '../../orders/order-page-size.ts';
import type { DomainEvent } from '../../shared/domain-event.ts';
import { PAGE_BYTES_MAX } from '../../shared/page-bytes.ts';
import * as assert from '../assertions.ts';
import { create } from '../aggregate-writes.ts';
import { aCustomer, anEventOfCustomer, anItem } from '../builders.ts';
import { anOwner, removeCustomer, storeCustomer, succeeds, type TestRunner } from '../contract-subject.ts';
import { metadataOfBytes } from '../metadata-of-bytes.ts';
import { change, type OpenFeedSubject, page, readAll, upTo } from './subject.ts';
import { type OrderFixtures, removeOrder } from '../order-fixtures.ts';

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
  open: OpenFeedSubject<OrderDefinition>,
  { anOrder, storeOrder, place, advanced, freeText }: OrderFixtures,
): void {
  describe('an event of the feed', () => {
    it('has the members that its write recorded, and no others', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order, event: placed } = await place(subject, owner, { event: { actor: 'api_key:ord_4fT9' } });
      const { event: changed } = await change(subject, owner, order.id, {
        event: { type: advanced, changed: ['status', 'note'], actor: null },
      });
      const customer = aCustomer();
      const created = anEventOfCustomer(owner, customer, { actor: 'client: a b~' });
      await succeeds(create(subject.customers, owner, customer, created));
      const deleted = await removeOrder(subject, owner, order.id, { actor: 'x'.repeat(255) });
      const read = await readAll(subject, owner);
      const position = (id: string) => read.findIndex((event) => event.id === id) + 1;
      for (const event of [placed, changed, created, deleted])
        assert.deepEqual(read[position(event.id) - 1], feedEventOf(event, position(event.id)));
      assert.equal(read.length, 4);
    });

    it('is named by the position of the reader behind it', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner, { event: { id: '019b0000-abcd-7000-8000-00000000000a' } });
      assert.deepEqual((await page(subject, owner)).next, { position: 1, event: '800000000000000a' });
    });

    it('has the resource at its version, as the write returned it, if the query includes it', async () => {
      const subject = await open();
      const owner = anOwner();
      const customer = await storeCustomer(subject, owner);
      const written: unknown[] = [customer];
      const { order } = await place(subject, owner, {
        customer_id: customer.id,
        metadata: { z: '1', ä: '“é” 🎁', a: '2' },
      });
      written.push(order);
      written.push((await change(subject, owner, order.id)).order);
      written.push((await change(subject, owner, order.id)).order);
      const read = await readAll(subject, owner, { include: FEED_INCLUDES });
      const texts = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).toSorted();
      assert.deepEqual(texts(dataOf(read)), texts(written));
      for (const { resource } of read) assert.equal(resource.data?.version, resource.version);
    });

    it('has no resource unless the query includes it', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner);
      for (const include of [undefined, []]) {
        const [event] = (await page(subject, owner, { include })).data;
        assert.deepEqual(Object.keys(event?.resource ?? {}).toSorted(), ['id', 'type', 'version']);
      }
    });

    it('has the resource `null` for a deletion, and keeps it for the versions of a deleted order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner);
      await removeOrder(subject, owner, order.id);
      const [first, second] = await readAll(subject, owner, { include: FEED_INCLUDES });
      assert.deepEqual([first?.resource.data, second?.resource.data], [order, null]);
    });

    it('has the resource `null` for every version of a deleted customer', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await storeCustomer(subject, owner);
      const kept = await storeCustomer(subject, owner);
      await removeCustomer(subject, owner, id);
      const read = await readAll(subject, owner, { include: FEED_INCLUDES });
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === id)), [null, null]);
      assert.deepEqual(dataOf(read.filter(({ resource }) => resource.id === kept.id)), [kept]);
    });

    it('has the resource of its owner and kind, even if others have the same id', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const { order } = await place(subject, owner);
      const customer = await storeCustomer(subject, owner, aCustomer({ id: order.id }));
      const { order: foreign } = await place(subject, otherOwner, { id: order.id, note: 'foreign' });
      const read = await readAll(subject, owner, { include: FEED_INCLUDES });
      for (const { resource } of read) assert.deepEqual(resource.data, resource.type === 'order' ? order : customer);
      assert.deepEqual(dataOf(await readAll(subject, otherOwner, { include: FEED_INCLUDES })), [foreign]);
    });

    it('is returned as a copy', async () => {
      const subject = await open();
      const owner = anOwner();
      const { order } = await place(subject, owner, { metadata: { colour: 'blue' }, event: { changed: ['note'] } });
      for (let times = 0; times < 2; times += 1) {
        const [event] = (await page(subject, owner, { include: FEED_INCLUDES })).data;
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
      const subject = await open();
      const owner = anOwner();
      const items = Array.from({ length: PAGE_ITEMS_MAX / 10 }, () => anItem());
      for (let count = 0; count < 11; count += 1) await storeOrder(subject, owner, anOrder({ items }));
      const first = await page(subject, owner, { include: FEED_INCLUDES });
      assert.deepEqual([first.data.length, first.next.position, first.caught_up], [10, 10, false]);
      const rest = await page(subject, owner, { include: FEED_INCLUDES, after: first.next });
      assert.deepEqual([rest.data.length, rest.caught_up], [1, true]);
      assert.equal((await page(subject, owner)).data.length, 11);
    });

    it('ends before the event with which the resources would exceed the free text of a page', async () => {
      const subject = await open();
      const owner = anOwner();
      const half = PAGE_BYTES_MAX / 4;
      for (const bytes of [half, half, half]) await storeOrder(subject, owner, anOrder(freeText(bytes)));
      await storeCustomer(subject, owner, aCustomer({ metadata: metadataOfBytes(half) }));
      const sizes = async () => (await page(subject, owner, { include: FEED_INCLUDES })).data.length;
      assert.equal(await sizes(), 4);
      await storeOrder(subject, owner);
      assert.equal(await sizes(), 4);
      assert.deepEqual(
        (await readAll(subject, owner, { include: FEED_INCLUDES })).map(({ position }) => position),
        upTo(5),
      );
    });
  });
}
