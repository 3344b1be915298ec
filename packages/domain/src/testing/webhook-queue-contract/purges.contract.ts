import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { change, oldTime, readAll } from '../event-feed-contract/subject.ts';
import {
  ACCEPTED,
  acceptAll,
  claim,
  claimOne,
  disable,
  enable,
  fanOut,
  fanOutAndClaim,
  logOf,
  type OpenWebhookQueueSubject,
  rejectFinally,
  settle,
  subscribe,
  versionOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

export function deliveryPurgesContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('a purge of events with deliveries', () => {
    it('removes the deliveries with their events', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { event } = await place(subject, owner, { at: oldTime(1) });
      const { order } = await place(subject, owner);
      await fanOut(subject, owner);
      await subject.purge(oldTime(30));
      assert.deepEqual(
        (await logOf(subject, owner, id)).map(({ position }) => position),
        [2],
      );
      const error = await fails(subject.deliveries.redeliver(owner, id, event.id));
      assert.deepEqual(error, { type: 'delivery_not_found', event_id: event.id });
      assert.deepEqual((await claim(subject, owner)).map(versionOf), [`${order.id} v1`]);
    });

    it('lets the later events of the same resource be claimed', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner, { at: oldTime(1) });
      await change(subject, owner, order.id, { at: oldTime(2) });
      await fanOut(subject, owner);
      await change(subject, owner, order.id);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await subject.purge(oldTime(30));
      assert.deepEqual(
        (await acceptAll(subject, owner)).map(versionOf),
        [3, 4].map((version) => `${order.id} v${version}`),
      );
    });

    it('waits for the lease of a later delivery of the same resource', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
      const { order } = await place(subject, owner, { at: oldTime(1) });
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await rejectFinally(subject, owner, await claimOne(subject, owner));
      await subject.advance(owner, LEASE_MS);
      await claimOne(subject, owner);
      await disable(subject, owner, id);
      await enable(subject, owner, id);
      // The first one is pending again, so that the second one waits for it, with its lease.
      await fanOut(subject, owner);
      await subject.purge(oldTime(30));
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, LEASE_MS);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
    });

    it('leaves a claim without effect', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order } = await place(subject, owner, { at: oldTime(1) });
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await subject.purge(oldTime(30));
      const settled = settle(subject, owner, claimed, ACCEPTED, { status: 'delivered', retryInMs: null });
      const { recorded, isDead } = await succeeds(settled);
      assert.deepEqual([recorded, isDead], [false, false]);
      assert.deepEqual((await acceptAll(subject, owner)).map(versionOf), [`${order.id} v2`]);
      assert.equal((await logOf(subject, owner, id)).length, 1);
    });

    it('makes an endpoint continue at the oldest event if it had not got those before', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      for (let minute = 1; minute < 4; minute += 1) await place(subject, owner, { at: oldTime(minute) });
      await readAll(subject, owner);
      await subject.purge(oldTime(30));
      const { order } = await place(subject, owner);
      assert.deepEqual((await fanOutAndClaim(subject, owner)).map(versionOf), [`${order.id} v1`]);
      assert.deepEqual(
        (await logOf(subject, owner, id)).map(({ position }) => position),
        [4],
      );
    });
  });
}
