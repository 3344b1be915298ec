import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import * as assert from '../assertions.ts';
import { aCustomer } from '../builders.ts';
import { anOwner, storeCustomer, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import {
  accept,
  acceptAll,
  claim,
  claimOne,
  fanOut,
  fanOutAndClaim,
  MARGIN_MS,
  type OpenWebhookQueueSubject,
  reject,
  rejectFinally,
  subscribe,
  versionOf,
  versionsOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

const GAP_MS = 60_000;

export function orderContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('deliveries of one resource', () => {
    it('are claimed after the one before was accepted', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      for (let version = 2; version <= 4; version += 1) await change(subject, owner, order.id);
      await fanOut(subject, owner);
      for (let version = 1; version <= 4; version += 1) {
        const claimed = await claimOne(subject, owner);
        assert.equal(versionOf(claimed), `${order.id} v${version}`);
        assert.deepEqual(await claim(subject, owner), []);
        await accept(subject, owner, claimed);
      }
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('are not claimed while the one before waits for its next attempt', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const first = await claimOne(subject, owner);
      await reject(subject, owner, first, GAP_MS);
      await subject.advance(owner, GAP_MS - MARGIN_MS);
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, MARGIN_MS);
      const again = await claimOne(subject, owner);
      assert.deepEqual([versionOf(again), again.attempt], [`${order.id} v1`, 2]);
      await accept(subject, owner, again);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
    });

    it('are claimed after the one before has failed finally', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const first = await claimOne(subject, owner);
      await reject(subject, owner, first, 0);
      await rejectFinally(subject, owner, await claimOne(subject, owner));
      await subject.advance(owner, GAP_MS);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
    });

    it('are in the same order if they were created later', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      const [first] = await fanOutAndClaim(subject, owner);
      await change(subject, owner, order.id);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await reject(subject, owner, first ?? assert.fail('no claim'), GAP_MS);
      await change(subject, owner, order.id);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await subject.advance(owner, GAP_MS);
      const accepted = await acceptAll(subject, owner);
      assert.deepEqual(
        accepted.map(versionOf),
        [1, 2, 3].map((version) => `${order.id} v${version}`),
      );
      await change(subject, owner, order.id);
      assert.deepEqual(versionsOf(await fanOutAndClaim(subject, owner)), [`${order.id} v4`]);
    });

    it('stay in order after the lease of the one before has expired', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOutAndClaim(subject, owner);
      await subject.advance(owner, LEASE_MS);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v1`);
    });
  });

  describe('deliveries of several resources', () => {
    it('do not block one another', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const [first, second] = [(await place(subject, owner)).order, (await place(subject, owner)).order];
      await change(subject, owner, first.id);
      await change(subject, owner, second.id);
      const claimed = await fanOutAndClaim(subject, owner);
      assert.deepEqual(versionsOf(claimed), [`${first.id} v1`, `${second.id} v1`].toSorted());
      for (const one of claimed) {
        if (one.event.resource.id === first.id) await reject(subject, owner, one, GAP_MS);
      }
      for (const one of claimed) {
        if (one.event.resource.id === second.id) await accept(subject, owner, one);
      }
      const { order: third } = await place(subject, owner);
      assert.deepEqual(
        versionsOf(await fanOutAndClaim(subject, owner)),
        [`${second.id} v2`, `${third.id} v1`].toSorted(),
      );
    });

    it('do not block one another if an order and a customer have the same id', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await storeCustomer(subject, owner, aCustomer({ id: order.id }));
      assert.deepEqual(versionsOf(await fanOutAndClaim(subject, owner)), [`${order.id} v1`, `${order.id} v1`]);
    });

    it('do not block those of another endpoint', async () => {
      const subject = await open();
      const owner = anOwner();
      const [broken, working] = [await subscribe(subject, owner), await subscribe(subject, owner)];
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      for (const one of await fanOutAndClaim(subject, owner)) {
        if (one.endpoint.id === broken.id) await reject(subject, owner, one, GAP_MS);
        else await accept(subject, owner, one);
      }
      const next = await claimOne(subject, owner);
      assert.deepEqual([next.endpoint.id, versionOf(next)], [working.id, `${order.id} v2`]);
    });

    it('are claimed up to the limit, those that have been due for longest first', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const orders = [];
      for (let count = 0; count < 4; count += 1) orders.push((await place(subject, owner)).order.id);
      await fanOut(subject, owner);
      const [first, three] = [await claim(subject, owner, 1), await claim(subject, owner, 3)];
      assert.deepEqual([first.length, three.length], [1, 3]);
      const claimed = [...first, ...three];
      assert.deepEqual(
        claimed.map(versionOf),
        orders.map((id) => `${id} v1`),
      );
      const [late, soon, ...others] = claimed;
      await reject(subject, owner, late ?? assert.fail('no claim'), 2 * GAP_MS);
      await reject(subject, owner, soon ?? assert.fail('no claim'), GAP_MS);
      for (const one of others) await accept(subject, owner, one);
      await subject.advance(owner, GAP_MS / 2);
      const { order } = await place(subject, owner);
      await fanOut(subject, owner);
      await subject.advance(owner, 2 * GAP_MS);
      const next: string[] = [];
      for (let count = 0; count < 3; count += 1) next.push(...(await claim(subject, owner, 1)).map(versionOf));
      assert.deepEqual(
        next,
        [order.id, orders[1], orders[0]].map((id) => `${id} v1`),
      );
      assert.deepEqual(await claim(subject, owner, 1), []);
    });
  });
}
