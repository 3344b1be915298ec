import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import {
  accept,
  claim,
  claimOne,
  fanOut,
  fanOutAndClaim,
  onlyDelivery,
  type OpenWebhookQueueSubject,
  reject,
  REJECTED,
  rejectFinally,
  settle,
  subscribe,
  versionOf,
  versionsOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

const UNKNOWN_EVENT = '019b0000-eeee-7000-8000-00000000000e';
/** A gap that no test reaches. */
const LONG_MS = 1_000_000_000;

export function redeliveryContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('a redelivery', () => {
    it('is rejected with delivery_not_found if the event has no delivery', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const error = await fails(subject.deliveries.redeliver(owner, id, UNKNOWN_EVENT));
      assert.deepEqual(error, { type: 'delivery_not_found', event_id: UNKNOWN_EVENT });
    });

    for (const status of ['delivered', 'failed'] as const) {
      it(`is attempted at once, with new attempts, if the delivery was ${status}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const { id } = await subscribe(subject, owner);
        const { event } = await place(subject, owner);
        await fanOut(subject, owner);
        await reject(subject, owner, await claimOne(subject, owner), 0);
        const last = await claimOne(subject, owner);
        if (status === 'delivered') await accept(subject, owner, last);
        else await rejectFinally(subject, owner, last);
        assert.equal((await onlyDelivery(subject, owner, id)).status, status);
        const requested = await succeeds(subject.deliveries.redeliver(owner, id, event.id));
        assert.deepEqual(requested, await onlyDelivery(subject, owner, id));
        assert.deepEqual([requested.status, requested.attempts, requested.event_id], ['pending', 0, event.id]);
        const again = await claimOne(subject, owner);
        assert.deepEqual([again.event.id, again.attempt], [event.id, 1]);
        await reject(subject, owner, again, 60_000);
        assert.deepEqual(await claim(subject, owner), []);
        await subject.advance(owner, 60_000);
        const second = await claimOne(subject, owner);
        assert.equal(second.attempt, 2);
        await accept(subject, owner, second);
        assert.equal((await onlyDelivery(subject, owner, id)).status, 'delivered');
      });
    }

    it('has no effect on the order of other deliveries', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order, event } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await accept(subject, owner, await claimOne(subject, owner));
      const second = await claimOne(subject, owner);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      const again = await claimOne(subject, owner);
      assert.equal(versionOf(again), `${order.id} v1`);
      await change(subject, owner, order.id);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await reject(subject, owner, again, LONG_MS);
      await accept(subject, owner, second);
      const third = await claimOne(subject, owner);
      assert.equal(versionOf(third), `${order.id} v3`);
      await accept(subject, owner, third);
      await change(subject, owner, order.id);
      assert.deepEqual(versionsOf(await fanOutAndClaim(subject, owner)), [`${order.id} v4`]);
    });

    it('settles without a claim of the event that is next in order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order, event } = await place(subject, owner);
      for (let version = 2; version < 4; version += 1) await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await accept(subject, owner, await claimOne(subject, owner));
      const second = await claimOne(subject, owner);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      await accept(subject, owner, await claimOne(subject, owner));
      assert.deepEqual(await claim(subject, owner), []);
      await accept(subject, owner, second);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v3`);
    });

    it('is attempted at once, with new attempts and before its successors, if the delivery is pending', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order, event } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await reject(subject, owner, await claimOne(subject, owner), LONG_MS);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      const again = await claimOne(subject, owner);
      assert.deepEqual([versionOf(again), again.attempt], [`${order.id} v1`, 1]);
      await accept(subject, owner, again);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
    });

    it('stays behind an earlier event if the delivery is pending', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      const { event } = await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const first = await claimOne(subject, owner);
      const requested = await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      assert.equal(requested.next_attempt_at, null);
      assert.deepEqual(await claim(subject, owner), []);
      await accept(subject, owner, first);
      const second = await claimOne(subject, owner);
      assert.equal(versionOf(second), `${order.id} v2`);
      await change(subject, owner, order.id);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await accept(subject, owner, second);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v3`);
    });

    it('does not claim a delivery in flight a second time', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { event } = await place(subject, owner);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      assert.deepEqual(await claim(subject, owner), []);
      await accept(subject, owner, claimed);
      assert.equal((await onlyDelivery(subject, owner, id)).status, 'delivered');
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('is attempted at once if it is requested during the last attempt, which fails', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { event } = await place(subject, owner);
      await fanOut(subject, owner);
      await reject(subject, owner, await claimOne(subject, owner), 0);
      const last = await claimOne(subject, owner);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      const settled = await rejectFinally(subject, owner, last);
      assert.deepEqual(settled, { recorded: true, isDead: false, isMoreDue: true });
      assert.equal((await claimOne(subject, owner)).attempt, 1);
    });

    it('is accepted by the attempt during which it is requested', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { event } = await place(subject, owner);
      await fanOut(subject, owner);
      await reject(subject, owner, await claimOne(subject, owner), 0);
      const second = await claimOne(subject, owner);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      await accept(subject, owner, second);
      const { status, attempts } = await onlyDelivery(subject, owner, id);
      assert.deepEqual({ status, attempts }, { status: 'delivered', attempts: 1 });
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('is attempted at once also while the endpoint rejects everything', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { event } = await place(subject, owner);
      await fanOut(subject, owner);
      await rejectFinally(subject, owner, await claimOne(subject, owner));
      await place(subject, owner);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await succeeds(subject.deliveries.redeliver(owner, id, event.id));
      const again = await claimOne(subject, owner);
      assert.equal(again.event.id, event.id);
      const settled = settle(subject, owner, again, REJECTED, { status: 'failed', retryInMs: null });
      const { recorded, isDead } = await succeeds(settled);
      assert.deepEqual({ recorded, isDead }, { recorded: true, isDead: true });
    });
  });
}
