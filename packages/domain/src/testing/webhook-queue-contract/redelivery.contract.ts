import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import { LONG_MS, type QueueBench, REJECTED, versionOf, versionsOf } from './subject.ts';

export function redeliveryContract({ describe, it }: Cases<QueueBench>): void {
  describe('a redelivery', () => {
    for (const status of ['delivered', 'failed'] as const) {
      it(`is attempted at once, with new attempts, if the delivery was ${status}`, async (bench) => {
        const { id, event } = await bench.deliver();
        await bench.reject(await bench.claimOne(), 0);
        const last = await bench.claimOne();
        if (status === 'delivered') await bench.accept(last);
        else await bench.rejectFinally(last);
        assert.equal((await bench.onlyDelivery(id)).status, status);
        const requested = await bench.redeliver(id, event.id);
        assert.deepEqual(requested, await bench.onlyDelivery(id));
        assert.deepEqual([requested.status, requested.attempts, requested.event_id], ['pending', 0, event.id]);
        const again = await bench.claimOne();
        assert.deepEqual([again.event.id, again.attempt], [event.id, 1]);
        await bench.reject(again, 60_000);
        assert.deepEqual(await bench.claim(), []);
        await bench.advance(60_000);
        const second = await bench.claimOne();
        assert.equal(second.attempt, 2);
        await bench.accept(second);
        assert.equal((await bench.onlyDelivery(id)).status, 'delivered');
      });
    }

    for (const isAccepted of [true, false]) {
      it(`has no effect on the order of other deliveries when it is ${isAccepted ? 'accepted' : 'rejected'}`, async (bench) => {
        const { id, order, event } = await bench.deliverVersions(2);
        await bench.accept(await bench.claimOne());
        const second = await bench.claimOne();
        await bench.redeliver(id, event.id);
        const again = await bench.claimOne();
        assert.equal(versionOf(again), `${order.id} v1`);
        await bench.change(order.id);
        assert.deepEqual(await bench.fanOutAndClaim(), []);
        if (isAccepted) await bench.accept(again);
        else await bench.reject(again, LONG_MS);
        assert.deepEqual(await bench.claim(), []);
        await bench.accept(second);
        const third = await bench.claimOne();
        assert.equal(versionOf(third), `${order.id} v3`);
        await bench.accept(third);
        await bench.change(order.id);
        assert.deepEqual(versionsOf(await bench.fanOutAndClaim()), [`${order.id} v4`]);
      });
    }

    it('is attempted at once, with new attempts and before its successors, if the delivery is pending', async (bench) => {
      const { id, order, event } = await bench.deliverVersions(2);
      await bench.reject(await bench.claimOne(), LONG_MS);
      await bench.redeliver(id, event.id);
      const again = await bench.claimOne();
      assert.deepEqual([versionOf(again), again.attempt], [`${order.id} v1`, 1]);
      await bench.accept(again);
      assert.equal(versionOf(await bench.claimOne()), `${order.id} v2`);
    });

    it('stays behind an earlier event if the delivery is pending', async (bench) => {
      const { id } = await bench.subscribe();
      const { order } = await bench.place();
      const { event } = await bench.change(order.id);
      await bench.fanOut();
      const first = await bench.claimOne();
      const requested = await bench.redeliver(id, event.id);
      assert.equal(requested.next_attempt_at, null);
      assert.deepEqual(await bench.claim(), []);
      await bench.accept(first);
      const second = await bench.claimOne();
      assert.equal(versionOf(second), `${order.id} v2`);
      await bench.change(order.id);
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      await bench.accept(second);
      assert.equal(versionOf(await bench.claimOne()), `${order.id} v3`);
    });

    it('is attempted at once if it is requested during the last attempt, which fails', async (bench) => {
      const { id, event } = await bench.deliver();
      await bench.reject(await bench.claimOne(), 0);
      const last = await bench.claimOne();
      await bench.redeliver(id, event.id);
      const settled = await bench.rejectFinally(last);
      assert.deepEqual(settled, { recorded: true, isDead: false, isMoreDue: true });
      assert.equal((await bench.claimOne()).attempt, 1);
    });

    it('is accepted by the attempt during which it is requested', async (bench) => {
      const { id, event } = await bench.deliver();
      await bench.reject(await bench.claimOne(), 0);
      const second = await bench.claimOne();
      await bench.redeliver(id, event.id);
      assert.deepEqual(await bench.claim(), [], 'one attempt at a time');
      await bench.accept(second);
      const { status, attempts } = await bench.onlyDelivery(id);
      assert.deepEqual({ status, attempts }, { status: 'delivered', attempts: 1 });
      assert.deepEqual(await bench.claim(), []);
    });

    it('is attempted at once also while the endpoint rejects everything', async (bench) => {
      const { id, event } = await bench.deliver();
      await bench.rejectFinally(await bench.claimOne());
      await bench.place();
      assert.deepEqual(await bench.fanOutAndClaim(), []);
      await bench.redeliver(id, event.id);
      const again = await bench.claimOne();
      assert.equal(again.event.id, event.id);
      const settled = bench.settle(again, REJECTED, { status: 'failed', retryInMs: null });
      const { recorded, isDead } = await succeeds(settled);
      assert.deepEqual({ recorded, isDead }, { recorded: true, isDead: true });
    });
  });
}
