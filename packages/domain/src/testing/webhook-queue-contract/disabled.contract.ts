import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import { LONG_MS, type QueueBench, versionOf, versions } from './subject.ts';

export function disabledContract({ describe, it }: Cases<QueueBench>): void {
  describe('a disabled endpoint', () => {
    it('gets no deliveries, and no claims of those that it has, unlike the others of its owner', async (bench) => {
      const { id } = await bench.deliver();
      await bench.disable(id);
      const { position: start } = await bench.end();
      const enabled = await bench.subscribe({ start, types: ['order.placed'] });
      await bench.place();
      assert.deepEqual(await bench.claim(), []);
      assert.deepEqual(
        (await bench.fanOutAndClaim()).map(({ endpoint }) => endpoint.id),
        [enabled.id],
      );
      assert.equal((await bench.logOf(id)).length, 1);
    });

    it('records an attempt that was claimed before, and gets no further one', async (bench) => {
      const { id, order } = await bench.deliverVersions(2);
      const claimed = await bench.claimOne();
      await bench.disable(id);
      await bench.accept(claimed);
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      await bench.enable(id);
      const [next] = await bench.fanOutAndClaim();
      assert.equal(next && versionOf(next), `${order.id} v2`);
    });
  });

  describe('an endpoint that is enabled again', () => {
    it('gets each event that was written before and meanwhile once, in order', async (bench) => {
      const { id } = await bench.subscribe({ types: ['order.placed', 'order.changed'] });
      const { order } = await bench.place();
      const accepted = [...(await bench.acceptAll())];
      await bench.change(order.id);
      await bench.fanOut();
      await bench.change(order.id);
      await bench.disable(id);
      await bench.fanOut();
      await bench.change(order.id);
      await bench.enable(id);
      await bench.change(order.id);
      accepted.push(...(await bench.acceptAll()));
      assert.deepEqual(accepted.map(versionOf), versions(order.id, 1, 2, 3, 4, 5));
    });

    for (const [isSeen, when] of [
      [true, 'while a fan-out runs'],
      [false, 'while no fan-out runs'],
    ] as const) {
      it(`gets failed deliveries again, before later ones of their resources, if it was disabled ${when}`, async (bench) => {
        const { id } = await bench.subscribe({ types: ['order.placed', 'order.changed'] });
        const { order, event: placed } = await bench.place();
        const { order: other } = await bench.place();
        const { event: changed } = await bench.change(order.id);
        for (let version = 3; version < 5; version += 1) await bench.change(order.id);
        for (const one of await bench.fanOutAndClaim()) {
          if (one.event.resource.id === other.id) await bench.accept(one);
          else await bench.rejectFinally(one);
        }
        // Another one fails finally, and the third waits for its next attempt.
        await bench.advance(LONG_MS);
        await bench.rejectFinally(await bench.claimOne());
        await bench.advance(LONG_MS);
        await bench.reject(await bench.claimOne(), LONG_MS);
        await bench.disable(id);
        if (isSeen) assert.deepEqual(await bench.fanOutAndClaim(), []);
        await bench.enable(id);
        await bench.change(order.id);
        await bench.fanOut();
        const log = await bench.logOf(id);
        const requeued = log.filter(({ event_id }) => event_id === placed.id || event_id === changed.id);
        assert.equal(requeued.length, 2);
        for (const { status, attempts } of requeued) assert.deepEqual([status, attempts], ['pending', 0]);
        for (let version = 1; version < 3; version += 1) {
          const claimed = await bench.claimOne();
          assert.deepEqual([versionOf(claimed), claimed.attempt], [`${order.id} v${version}`, 1]);
          await bench.accept(claimed);
        }
        await bench.advance(LONG_MS);
        assert.deepEqual((await bench.acceptAll()).map(versionOf), versions(order.id, 3, 4, 5));
        for (const { status } of await bench.logOf(id)) assert.equal(status, 'delivered');
      });
    }

    for (const outcome of ['is accepted', 'is lost', 'goes on'] as const) {
      it(`gets a failed delivery again before a later one of its resource whose claim ${outcome}`, async (bench) => {
        const { id, order } = await bench.deliverVersions(3);
        await bench.rejectFinally(await bench.claimOne());
        await bench.advance(LONG_MS);
        const second = await bench.claimOne();
        await bench.disableAndEnable(id);
        let first = await bench.claimOne();
        if (outcome === 'is accepted') {
          await bench.accept(second);
          assert.deepEqual(await bench.claim(), []);
        } else if (outcome === 'is lost') {
          await bench.advance(LEASE_MS);
          first = await bench.claimOne();
        }
        assert.equal(versionOf(first), `${order.id} v1`);
        await bench.accept(first);
        if (outcome === 'goes on') {
          assert.deepEqual(await bench.claim(), []);
          await bench.advance(LEASE_MS);
        }
        assert.equal(versionOf(await bench.claimOne()), `${order.id} v${outcome === 'is accepted' ? 3 : 2}`);
      });
    }

    it('gets its deliveries at once, however often it failed before', async (bench) => {
      const { id } = await bench.subscribe({ types: ['order.placed'] });
      for (let count = 0; count < 2 * ENDPOINT_IN_FLIGHT_MAX; count += 1) await bench.place();
      for (const one of await bench.fanOutAndClaim()) await bench.rejectFinally(one);
      assert.deepEqual(await bench.claim(), []);
      await bench.disable(id);
      await bench.enable(id);
      assert.equal((await bench.fanOutAndClaim()).length, ENDPOINT_IN_FLIGHT_MAX);
    });
  });
}
