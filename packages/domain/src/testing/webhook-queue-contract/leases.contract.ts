import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import { ACCEPTED, MARGIN_MS, type QueueBench, REJECTED, versionsOf } from './subject.ts';

export function leasesContract({ describe, it }: Cases<QueueBench>): void {
  describe('the claims of an endpoint', () => {
    it('are at most 8 at a time, by all servers together', async (bench) => {
      const servers = [bench, await bench.onAnotherServer()];
      await bench.deliver(ENDPOINT_IN_FLIGHT_MAX + 3);
      const claimed = (await Promise.all(servers.map((server) => server.claim(5)))).flat();
      // A server may find the endpoint locked by the other one, and then claims nothing of it.
      for (const server of servers) claimed.push(...(await server.claim(5)));
      assert.equal(claimed.length, ENDPOINT_IN_FLIGHT_MAX);
      assert.equal(new Set(versionsOf(claimed)).size, ENDPOINT_IN_FLIGHT_MAX, 'each is claimed once');
      assert.deepEqual(await bench.claim(), []);
      const [first, second] = claimed;
      assert.equal((await bench.accept(first)).isMoreDue, true);
      assert.equal((await bench.claim()).length, 1);
      await bench.reject(second, LEASE_MS);
      assert.deepEqual(await bench.claim(), []);
    });

    it('do not count those of other endpoints', async (bench) => {
      for (let count = 0; count < 2; count += 1) await bench.subscribe();
      await bench.placeMany(ENDPOINT_IN_FLIGHT_MAX + 1);
      assert.equal((await bench.fanOutAndClaim()).length, 2 * ENDPOINT_IN_FLIGHT_MAX);
      assert.deepEqual(await bench.claim(), []);
    });

    it('do not count those whose lease has expired', async (bench) => {
      await bench.subscribe();
      await bench.placeMany(ENDPOINT_IN_FLIGHT_MAX + 1);
      assert.equal((await bench.fanOutAndClaim()).length, ENDPOINT_IN_FLIGHT_MAX);
      await bench.advance(LEASE_MS);
      assert.equal((await bench.claim()).length, ENDPOINT_IN_FLIGHT_MAX);
    });
  });

  describe('a claim', () => {
    it('belongs to one worker, also if several claim at a time', async (bench) => {
      const another = await bench.onAnotherServer();
      await bench.subscribe();
      for (let round = 0; round < 5; round += 1) {
        await bench.placeMany(4);
        await bench.fanOut();
        const servers = [bench, another, bench, another];
        const claimed = (await Promise.all(servers.map((server) => server.claim()))).flat();
        claimed.push(...(await bench.claim()));
        assert.equal(claimed.length, 4);
        assert.equal(new Set(versionsOf(claimed)).size, 4);
        for (const one of claimed) await another.accept(one);
      }
    });

    it('can be made again 60 s later and not before, for the same attempt and with another fence', async (bench) => {
      await bench.deliver();
      const first = await bench.claimOne();
      await bench.advance(LEASE_MS - MARGIN_MS);
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(MARGIN_MS);
      const second = await bench.claimOne();
      assert.deepEqual({ ...second, fence: first.fence }, first);
      assert.ok(second.fence !== first.fence, 'two claims have the same fence');
      assert.deepEqual(await bench.claim(), []);
    });

    it('records its attempt also after its lease, unless the delivery was claimed again', async (bench) => {
      const { id } = await bench.deliver();
      const claimed = await bench.claimOne();
      await bench.advance(2 * LEASE_MS);
      await bench.accept(claimed);
      assert.equal((await bench.onlyDelivery(id)).status, 'delivered');
      assert.deepEqual(await bench.claim(), []);
    });

    it('records nothing after the delivery was claimed again', async (bench) => {
      const { id } = await bench.deliverVersions(2);
      const lost = await bench.claimOne();
      await bench.advance(LEASE_MS);
      const own = await (await bench.onAnotherServer()).claimOne();
      const before = await bench.log(id);
      for (const [attempt, settlement] of [
        [ACCEPTED, { status: 'delivered', retryInMs: null }],
        [REJECTED, { status: 'pending', retryInMs: 0 }],
        [REJECTED, { status: 'failed', retryInMs: null }],
      ] as const) {
        const settled = await succeeds(bench.settle(lost, attempt, settlement));
        assert.deepEqual([settled.recorded, settled.isDead], [false, false]);
        assert.deepEqual(await bench.claim(), []);
      }
      assert.deepEqual(await bench.log(id), before);
      await bench.accept(own);
      assert.equal((await bench.claimOne()).event.resource.version, 2);
    });

    it('records one attempt only', async (bench) => {
      const { id } = await bench.deliver();
      const claimed = await bench.claimOne();
      await bench.reject(claimed, LEASE_MS);
      const before = await bench.onlyDelivery(id);
      const settled = await succeeds(bench.settle(claimed, ACCEPTED, { status: 'delivered', retryInMs: null }));
      assert.equal(settled.recorded, false);
      assert.deepEqual(await bench.onlyDelivery(id), before);
      await bench.advance(LEASE_MS);
      const second = await bench.claimOne();
      assert.equal(second.attempt, 2);
      assert.ok(second.fence !== claimed.fence, 'two claims have the same fence');
    });

    it('can be settled after its endpoint was deleted', async (bench) => {
      const { id } = await bench.deliver();
      const claimed = await bench.claimOne();
      await bench.endpoints.remove(id);
      await succeeds(bench.settle(claimed, ACCEPTED, { status: 'delivered', retryInMs: null }));
      assert.deepEqual(await bench.fanOutAndClaim(), []);
    });
  });
}
