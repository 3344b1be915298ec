import * as assert from '../assertions.ts';
import { aCustomer } from '../builders.ts';
import type { Cases } from '../contract-subject.ts';
import { MARGIN_MS, type QueueBench, versionOf, versions, versionsOf } from './subject.ts';

const GAP_MS = 60_000;

export function orderContract({ describe, it }: Cases<QueueBench>): void {
  describe('deliveries of one resource', () => {
    it('are claimed after the one before was accepted', async (bench) => {
      const { order } = await bench.deliverVersions(4);
      for (let version = 1; version <= 4; version += 1) {
        const claimed = await bench.claimOne();
        assert.equal(versionOf(claimed), `${order.id} v${version}`);
        assert.deepEqual(await bench.claim(), []);
        assert.equal((await bench.accept(claimed)).isMoreDue, version < 4);
      }
      assert.deepEqual(await bench.claim(), []);
    });

    it('are not claimed while the one before waits for its next attempt', async (bench) => {
      const { order } = await bench.deliverVersions(2);
      const first = await bench.claimOne();
      await bench.reject(first, GAP_MS);
      await bench.advance(GAP_MS - MARGIN_MS);
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(MARGIN_MS);
      const again = await bench.claimOne();
      assert.deepEqual([versionOf(again), again.attempt], [`${order.id} v1`, 2]);
      await bench.accept(again);
      assert.equal(versionOf(await bench.claimOne()), `${order.id} v2`);
    });

    it('are claimed after the one before has failed finally', async (bench) => {
      const { order } = await bench.deliverVersions(2);
      const first = await bench.claimOne();
      await bench.reject(first, 0);
      await bench.rejectFinally(await bench.claimOne());
      await bench.advance(GAP_MS);
      assert.equal(versionOf(await bench.claimOne()), `${order.id} v2`);
    });

    it('are in the same order if they were created later', async (bench) => {
      await bench.subscribe();
      const { order } = await bench.place();
      const [first] = await bench.fanOutAndClaim();
      await bench.change(order.id);
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      await bench.reject(first, GAP_MS);
      await bench.change(order.id);
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      await bench.advance(GAP_MS);
      const accepted = await bench.acceptAll();
      assert.deepEqual(accepted.map(versionOf), versions(order.id, 1, 2, 3));
      await bench.change(order.id);
      assert.deepEqual(versionsOf(await bench.fanOutAndClaim()), [`${order.id} v4`]);
    });
  });

  describe('deliveries of several resources', () => {
    it('do not block one another', async (bench) => {
      await bench.subscribe();
      const [first, second] = [(await bench.place()).order, (await bench.place()).order];
      await bench.change(first.id);
      await bench.change(second.id);
      const claimed = await bench.fanOutAndClaim();
      assert.deepEqual(versionsOf(claimed), [`${first.id} v1`, `${second.id} v1`].toSorted());
      for (const one of claimed) {
        if (one.event.resource.id === first.id) await bench.reject(one, GAP_MS);
      }
      for (const one of claimed) {
        if (one.event.resource.id === second.id) await bench.accept(one);
      }
      const { order: third } = await bench.place();
      assert.deepEqual(versionsOf(await bench.fanOutAndClaim()), [`${second.id} v2`, `${third.id} v1`].toSorted());
    });

    it('do not block one another if an order and a customer have the same id', async (bench) => {
      await bench.subscribe();
      const { order } = await bench.place();
      await bench.customers.stored(aCustomer({ id: order.id }));
      assert.deepEqual(versionsOf(await bench.fanOutAndClaim()), [`${order.id} v1`, `${order.id} v1`]);
    });

    it('do not block those of another endpoint', async (bench) => {
      const [broken, working] = [await bench.subscribe(), await bench.subscribe()];
      const order = await bench.placeVersions(2);
      for (const one of await bench.fanOutAndClaim()) {
        if (one.endpoint.id === broken.id) await bench.reject(one, GAP_MS);
        else await bench.accept(one);
      }
      const next = await bench.claimOne();
      assert.deepEqual([next.endpoint.id, versionOf(next)], [working.id, `${order} v2`]);
    });

    it('are claimed up to the limit, those that have been due for longest first', async (bench) => {
      await bench.subscribe();
      const orders = [];
      for (let count = 0; count < 4; count += 1) orders.push((await bench.place()).order.id);
      await bench.fanOut();
      const [first, three] = [await bench.claim(1), await bench.claim(3)];
      assert.deepEqual([first.length, three.length], [1, 3]);
      const claimed = [...first, ...three];
      assert.deepEqual(
        claimed.map(versionOf),
        orders.map((id) => `${id} v1`),
      );
      const [late, soon, ...others] = claimed;
      await bench.reject(late, 2 * GAP_MS);
      await bench.reject(soon, GAP_MS);
      for (const one of others) await bench.accept(one);
      await bench.advance(GAP_MS / 2);
      const { order } = await bench.place();
      await bench.fanOut();
      await bench.advance(2 * GAP_MS);
      const next: string[] = [];
      for (let count = 0; count < 3; count += 1) next.push(...(await bench.claim(1)).map(versionOf));
      assert.deepEqual(
        next,
        [order.id, orders[1], orders[0]].map((id) => `${id} v1`),
      );
      assert.deepEqual(await bench.claim(1), []);
    });
  });
}
