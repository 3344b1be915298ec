import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type EventType, FEED_INCLUDES } from '../../event-types.ts';
import * as assert from '../assertions.ts';
import { anOwner, removeCustomer, storeCustomer, type TestRunner } from '../contract-subject.ts';
import { change, endOf, positionsOf, readAll } from '../event-feed-contract/subject.ts';
import {
  accept,
  acceptAll,
  anotherServer,
  claim,
  fanOut,
  fanOutAndClaim,
  logOf,
  type OpenWebhookQueueSubject,
  reconfigure,
  remove,
  subscribe,
  versionsOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

export function fanOutContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('a fan-out', () => {
    it('creates one delivery of each event after the start of an endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner);
      await place(subject, owner);
      const { id } = await subscribe(subject, owner, { start: (await endOf(subject, owner)).position });
      const { order } = await place(subject, owner);
      for (let round = 0; round < 2; round += 1) {
        await fanOut(subject, owner);
        assert.deepEqual(
          (await logOf(subject, owner, id)).map(({ position }) => position),
          [3],
        );
      }
      await change(subject, owner, order.id);
      await place(subject, owner);
      await fanOut(subject, owner);
      const log = await logOf(subject, owner, id);
      const events = await readAll(subject, owner);
      assert.deepEqual(
        log.map(({ event_id, position, type }) => ({ id: event_id, position, type })),
        events
          .slice(2)
          .toReversed()
          .map(({ id: event, position, type }) => ({ id: event, position, type })),
      );
    });

    it('creates a delivery for each endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      const [first, second] = [await subscribe(subject, owner), await subscribe(subject, owner)];
      await place(subject, owner);
      const claimed = await fanOutAndClaim(subject, owner);
      assert.deepEqual(claimed.map(({ endpoint }) => endpoint.id).toSorted(), [first.id, second.id].toSorted());
      for (const { id } of [first, second]) assert.equal((await logOf(subject, owner, id)).length, 1);
    });

    it('leaves out events of the types that the endpoint does not want', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.changed'] });
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await storeCustomer(subject, owner);
      await fanOut(subject, owner);
      const types = async () => (await logOf(subject, owner, id)).map(({ type }) => type).toSorted();
      assert.deepEqual(await types(), ['order.changed']);
      const wanted: readonly EventType<OrderDefinition>[] = ['order.placed', 'customer.created'];
      await reconfigure(subject, owner, id, { types: wanted });
      await storeCustomer(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      assert.deepEqual(await types(), ['customer.created', 'order.changed']);
      await reconfigure(subject, owner, id, { types: null });
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      assert.deepEqual(await types(), ['customer.created', 'order.changed', 'order.changed']);
    });

    it('creates only deliveries of its owner', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const { id } = await subscribe(subject, owner);
      const other = await subscribe(subject, otherOwner);
      await place(subject, otherOwner);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      assert.deepEqual(await claim(subject, otherOwner), []);
      assert.deepEqual(await logOf(subject, otherOwner, other.id), []);
      await fanOut(subject, otherOwner);
      assert.deepEqual(await logOf(subject, owner, id), []);
      assert.deepEqual(await claim(subject, owner), []);
      assert.equal((await claim(subject, otherOwner)).length, 1);
    });

    it('creates each delivery once, also by two servers at a time', async () => {
      const subject = await open();
      const servers = [subject, await anotherServer(subject)];
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      for (let count = 2; count < 12; count += 1) {
        await change(subject, owner, order.id);
        await Promise.all([...servers, ...servers].map((server) => fanOut(server, owner)));
      }
      const accepted = await acceptAll(subject, owner);
      assert.deepEqual(positionsOf(accepted.map(({ event }) => event)), positionsOf(await readAll(subject, owner)));
      assert.equal((await logOf(subject, owner, id)).length, 11);
    });

    it('creates nothing for a deleted endpoint, of which nothing can be claimed either', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const kept = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      await remove(subject, owner, id);
      await place(subject, owner);
      const claimed = await fanOutAndClaim(subject, owner);
      assert.deepEqual(
        claimed.map(({ endpoint }) => endpoint.id),
        [kept.id, kept.id],
      );
    });
  });

  describe('a claimed delivery', () => {
    it('has the event as the feed has it, with its resource only if the endpoint includes it', async () => {
      const subject = await open();
      const owner = anOwner();
      const plain = await subscribe(subject, owner);
      const full = await subscribe(subject, owner, { include: FEED_INCLUDES });
      await place(subject, owner, { metadata: { colour: 'blue' }, event: { actor: 'api_key:ord_4fT9' } });
      await storeCustomer(subject, owner);
      const claimed = await fanOutAndClaim(subject, owner);
      for (const [{ id }, include] of [
        [plain, []],
        [full, FEED_INCLUDES],
      ] as const) {
        const events = claimed.filter(({ endpoint }) => endpoint.id === id).map(({ event }) => event);
        const expected = await readAll(subject, owner, { include });
        assert.deepEqual(
          events.toSorted((left, right) => left.position - right.position),
          expected,
        );
      }
    });

    it('has the resource at the version of the event, and `null` once it was erased', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner, { include: FEED_INCLUDES });
      const { order } = await place(subject, owner);
      const customer = await storeCustomer(subject, owner);
      await fanOut(subject, owner);
      await change(subject, owner, order.id);
      await removeCustomer(subject, owner, customer.id);
      const claimed = await claim(subject, owner);
      const dataOf = (id: string) => claimed.find(({ event }) => event.resource.id === id)?.event.resource.data;
      assert.deepEqual([dataOf(order.id), dataOf(customer.id)], [order, null]);
    });

    it('has the endpoint as it is when it is claimed', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const secrets = [
        { serial: 2, key: 'key-2', expires_at: null },
        { serial: 1, key: 'key-1', expires_at: '2026-01-03T03:04:05.678Z' },
      ];
      const changed = await reconfigure(subject, owner, id, {
        url: 'https://receiver.example/changed',
        include: FEED_INCLUDES,
        secrets,
      });
      const [claimed] = await claim(subject, owner);
      assert.deepEqual(claimed?.endpoint, changed);
      assert.ok(claimed.event.resource.data, 'the endpoint includes the resource');
    });

    it('has the number of its attempt, which counts those that were recorded', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      const first = await fanOutAndClaim(subject, owner);
      assert.deepEqual([versionsOf(first), first.map(({ attempt }) => attempt)], [[`${order.id} v1`], [1]]);
      for (const one of first) await accept(subject, owner, one);
      assert.deepEqual(await claim(subject, owner), []);
    });
  });
}
