import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import { oldTime, positionsOf } from '../event-feed-contract/subject.ts';
import { ACCEPTED, type QueueBench, versionOf } from './subject.ts';

export function deliveryPurgesContract({ describe, it }: Cases<QueueBench>): void {
  describe('a purge of events with deliveries', () => {
    it('removes the deliveries with their events', async (bench) => {
      const { id } = await bench.subscribe();
      const { event } = await bench.place({ at: oldTime(1) });
      const { order } = await bench.place();
      await bench.fanOut();
      await bench.purge(oldTime(30));
      assert.deepEqual(positionsOf(await bench.logOf(id)), [2]);
      const error = await fails(bench.tryRedeliver(id, event.id));
      assert.deepEqual(error, { type: 'delivery_not_found', event_id: event.id });
      assert.deepEqual((await bench.claim()).map(versionOf), [`${order.id} v1`]);
    });

    it('waits for the lease of a later delivery of the same resource', async (bench) => {
      const { id } = await bench.subscribe({ types: ['order.placed', 'order.changed'] });
      const { order } = await bench.place({ at: oldTime(1) });
      await bench.change(order.id);
      await bench.fanOut();
      await bench.rejectFinally(await bench.claimOne());
      await bench.advance(LEASE_MS);
      await bench.claimOne();
      await bench.disable(id);
      await bench.enable(id);
      // The first one is pending again, so that the second one waits for it, with its lease.
      await bench.fanOut();
      await bench.purge(oldTime(30));
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(LEASE_MS);
      assert.equal(versionOf(await bench.claimOne()), `${order.id} v2`);
    });

    it('leaves a claim without effect', async (bench) => {
      const { id } = await bench.subscribe();
      const { order } = await bench.place({ at: oldTime(1) });
      await bench.change(order.id);
      await bench.fanOut();
      const claimed = await bench.claimOne();
      await bench.purge(oldTime(30));
      const settled = bench.settle(claimed, ACCEPTED, { status: 'delivered', retryInMs: null });
      const { recorded, isDead } = await succeeds(settled);
      assert.deepEqual([recorded, isDead], [false, false]);
      assert.deepEqual((await bench.acceptAll()).map(versionOf), [`${order.id} v2`]);
      assert.equal((await bench.logOf(id)).length, 1);
    });

    it('makes an endpoint continue at the oldest event if it had not got those before', async (bench) => {
      const { id } = await bench.subscribe();
      for (let minute = 1; minute < 4; minute += 1) await bench.place({ at: oldTime(minute) });
      await bench.readAll();
      await bench.purge(oldTime(30));
      const { order } = await bench.place();
      assert.deepEqual((await bench.fanOutAndClaim()).map(versionOf), [`${order.id} v1`]);
      assert.deepEqual(positionsOf(await bench.logOf(id)), [4]);
    });
  });
}
