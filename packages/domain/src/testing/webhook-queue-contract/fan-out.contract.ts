import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { type EventType, FEED_INCLUDES } from '../../event-types.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import { positionsOf } from '../event-feed-contract/subject.ts';
import type { QueueBench } from './subject.ts';

/** Returns the types of the deliveries of an endpoint, sorted. */
async function typesOf(bench: QueueBench, id: string): Promise<readonly string[]> {
  return (await bench.logOf(id)).map(({ type }) => type).toSorted();
}

export function fanOutContract({ describe, it }: Cases<QueueBench>): void {
  describe('a fan-out', () => {
    it('creates one delivery of each event after the start of an endpoint', async (bench) => {
      await bench.place();
      await bench.place();
      const { id } = await bench.subscribe({ start: (await bench.end()).position });
      const { order } = await bench.place();
      for (let round = 0; round < 2; round += 1) {
        await bench.fanOut();
        assert.deepEqual(positionsOf(await bench.logOf(id)), [3]);
      }
      await bench.change(order.id);
      await bench.place();
      await bench.fanOut();
      const log = await bench.logOf(id);
      const events = await bench.readAll();
      assert.deepEqual(
        log.map(({ event_id, position, type }) => ({ id: event_id, position, type })),
        events
          .slice(2)
          .toReversed()
          .map(({ id: event, position, type }) => ({ id: event, position, type })),
      );
    });

    it('leaves out events of the types that the endpoint does not want', async (bench) => {
      const { id } = await bench.subscribe({ types: ['order.changed'] });
      const { order } = await bench.place();
      await bench.change(order.id);
      await bench.customers.stored();
      await bench.fanOut();
      assert.deepEqual(await typesOf(bench, id), ['order.changed']);
      const wanted: readonly EventType<OrderDefinition>[] = ['order.placed', 'customer.created'];
      await bench.reconfigure(id, { types: wanted });
      await bench.customers.stored();
      await bench.change(order.id);
      await bench.fanOut();
      assert.deepEqual(await typesOf(bench, id), ['customer.created', 'order.changed']);
      await bench.reconfigure(id, { types: null });
      await bench.change(order.id);
      await bench.fanOut();
      assert.deepEqual(await typesOf(bench, id), ['customer.created', 'order.changed', 'order.changed']);
    });

    it('leaves out imports, unless the types of the endpoint have them', async (bench) => {
      const { id } = await bench.subscribe();
      await bench.place({ event: { type: 'order.imported' } });
      const { order } = await bench.place();
      await bench.fanOut();
      assert.deepEqual(await typesOf(bench, id), ['order.placed']);
      await bench.reconfigure(id, { types: ['order.imported'] });
      await bench.place({ event: { type: 'order.imported' } });
      await bench.change(order.id);
      await bench.fanOut();
      assert.deepEqual(await typesOf(bench, id), ['order.imported', 'order.placed']);
    });

    it('creates only deliveries of its owner', async (bench) => {
      const other = bench.ofAnother();
      const { id } = await bench.subscribe();
      const foreign = await other.subscribe();
      await other.place();
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      assert.deepEqual(await other.claim(), []);
      assert.deepEqual(await other.logOf(foreign.id), []);
      await other.fanOut();
      assert.deepEqual(await bench.logOf(id), []);
      assert.deepEqual(await bench.claim(), []);
      assert.equal((await other.claim()).length, 1);
    });

    it('creates each delivery once, also by two servers at a time', async (bench) => {
      const servers = [bench, await bench.onAnotherServer()];
      const { id } = await bench.subscribe();
      const { order } = await bench.place();
      for (let count = 2; count < 12; count += 1) {
        await bench.change(order.id);
        await Promise.all([...servers, ...servers].map((server) => server.fanOut()));
      }
      const accepted = await bench.acceptAll();
      assert.deepEqual(positionsOf(accepted.map(({ event }) => event)), await bench.positions());
      assert.equal((await bench.logOf(id)).length, 11);
    });

    it('creates nothing for a deleted endpoint, of which nothing can be claimed either', async (bench) => {
      const { id } = await bench.subscribe();
      const kept = await bench.deliver();
      await bench.endpoints.remove(id);
      await bench.place();
      const claimed = await bench.fanOutAndClaim();
      const endpoints = claimed.map(({ endpoint }) => endpoint.id);
      assert.deepEqual(endpoints, [kept.id, kept.id]);
    });
  });

  describe('a claimed delivery', () => {
    it('has the event as the feed has it, with its resource only if the endpoint includes it', async (bench) => {
      const plain = await bench.subscribe();
      const full = await bench.subscribe({ include: FEED_INCLUDES });
      await bench.place({ metadata: { colour: 'blue' }, event: { actor: 'api_key:ord_4fT9' } });
      await bench.customers.stored();
      const claimed = await bench.fanOutAndClaim();
      for (const [{ id }, include] of [
        [plain, []],
        [full, FEED_INCLUDES],
      ] as const) {
        const events = claimed.filter(({ endpoint }) => endpoint.id === id).map(({ event }) => event);
        const expected = await bench.readAll({ include });
        assert.deepEqual(
          events.toSorted((left, right) => left.position - right.position),
          expected,
        );
      }
    });

    it('has the resource at the version of the event, and `null` once it was erased', async (bench) => {
      await bench.subscribe({ include: FEED_INCLUDES });
      const { order } = await bench.place();
      const customer = await bench.customers.stored();
      await bench.fanOut();
      await bench.change(order.id);
      await bench.customers.remove(customer.id);
      const claimed = await bench.claim();
      const dataOf = (id: string) => claimed.find(({ event }) => event.resource.id === id)?.event.resource.data;
      assert.deepEqual([dataOf(order.id), dataOf(customer.id)], [order, null]);
    });

    it('has the endpoint as it is when it is claimed', async (bench) => {
      const { id } = await bench.deliver();
      const secrets = [
        { serial: 2, key: 'key-2', expires_at: null },
        { serial: 1, key: 'key-1', expires_at: '2026-01-03T03:04:05.678Z' },
      ];
      const changed = await bench.reconfigure(id, {
        url: 'https://receiver.example/changed',
        include: FEED_INCLUDES,
        secrets,
      });
      const [claimed] = await bench.claim();
      assert.deepEqual(claimed?.endpoint, changed);
      assert.ok(claimed.event.resource.data, 'the endpoint includes the resource');
    });
  });
}
