import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import {
  accept,
  acceptAll,
  claim,
  claimOne,
  disable,
  enable,
  fanOut,
  fanOutAndClaim,
  logOf,
  type OpenWebhookQueueSubject,
  reject,
  rejectFinally,
  subscribe,
  versionOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

/** A gap that no test reaches. */
const LONG_MS = 1_000_000_000;

export function disabledContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('a disabled endpoint', () => {
    it('gets no deliveries, and no claims of those that it has', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed'] });
      await place(subject, owner);
      await fanOut(subject, owner);
      await disable(subject, owner, id);
      await place(subject, owner);
      assert.deepEqual(await claim(subject, owner), []);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      assert.equal((await logOf(subject, owner, id)).length, 1);
    });

    it('does not stop the other endpoints of its owner', async () => {
      const subject = await open();
      const owner = anOwner();
      const [disabled, enabled] = [await subscribe(subject, owner), await subscribe(subject, owner)];
      await disable(subject, owner, disabled.id);
      const { order } = await place(subject, owner);
      const claimed = await acceptAll(subject, owner);
      assert.ok(
        claimed.every(({ endpoint }) => endpoint.id === enabled.id),
        'a disabled endpoint got a delivery',
      );
      assert.equal(claimed.filter(({ event }) => event.resource.id === order.id).length, 1);
    });

    it('records an attempt that was claimed before, and gets no further one', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await disable(subject, owner, id);
      await accept(subject, owner, claimed);
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
      await enable(subject, owner, id);
      const [next] = await fanOutAndClaim(subject, owner);
      assert.equal(next && versionOf(next), `${order.id} v2`);
    });
  });

  describe('an endpoint that is enabled again', () => {
    it('gets each event that was written before and meanwhile once, in order', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
      const { order } = await place(subject, owner);
      const accepted = [...(await acceptAll(subject, owner))];
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await change(subject, owner, order.id);
      await disable(subject, owner, id);
      await fanOut(subject, owner);
      await change(subject, owner, order.id);
      await enable(subject, owner, id);
      await change(subject, owner, order.id);
      accepted.push(...(await acceptAll(subject, owner)));
      assert.deepEqual(
        accepted.map(versionOf),
        [1, 2, 3, 4, 5].map((version) => `${order.id} v${version}`),
      );
    });

    for (const [isSeen, when] of [
      [true, 'while a fan-out runs'],
      [false, 'while no fan-out runs'],
    ] as const) {
      it(`gets failed deliveries again, before later ones of their resources, if it was disabled ${when}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
        const { order, event: placed } = await place(subject, owner);
        const { order: other } = await place(subject, owner);
        const { event: changed } = await change(subject, owner, order.id);
        for (let version = 3; version < 5; version += 1) await change(subject, owner, order.id);
        for (const one of await fanOutAndClaim(subject, owner)) {
          if (one.event.resource.id === other.id) await accept(subject, owner, one);
          else await rejectFinally(subject, owner, one);
        }
        // Another one fails finally, and the third waits for its next attempt.
        await subject.advance(owner, LONG_MS);
        await rejectFinally(subject, owner, await claimOne(subject, owner));
        await subject.advance(owner, LONG_MS);
        await reject(subject, owner, await claimOne(subject, owner), LONG_MS);
        await disable(subject, owner, id);
        if (isSeen) assert.deepEqual(await fanOutAndClaim(subject, owner), []);
        await enable(subject, owner, id);
        await change(subject, owner, order.id);
        await fanOut(subject, owner);
        const log = await logOf(subject, owner, id);
        const requeued = log.filter(({ event_id }) => event_id === placed.id || event_id === changed.id);
        assert.deepEqual(
          requeued.map(({ status, attempts }) => [status, attempts]),
          [
            ['pending', 0],
            ['pending', 0],
          ],
        );
        for (let version = 1; version < 3; version += 1) {
          const claimed = await claimOne(subject, owner);
          assert.deepEqual([versionOf(claimed), claimed.attempt], [`${order.id} v${version}`, 1]);
          await accept(subject, owner, claimed);
        }
        await subject.advance(owner, LONG_MS);
        assert.deepEqual(
          (await acceptAll(subject, owner)).map(versionOf),
          [3, 4, 5].map((version) => `${order.id} v${version}`),
        );
        for (const { status } of await logOf(subject, owner, id)) assert.equal(status, 'delivered');
      });
    }

    for (const [outcome, isAccepted] of [
      ['is accepted', true],
      ['is lost', false],
    ] as const) {
      it(`gets a failed delivery again before a later one of its resource whose claim ${outcome}`, async () => {
        const subject = await open();
        const owner = anOwner();
        const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
        const { order } = await place(subject, owner);
        await change(subject, owner, order.id);
        await change(subject, owner, order.id);
        await fanOut(subject, owner);
        await rejectFinally(subject, owner, await claimOne(subject, owner));
        await subject.advance(owner, LONG_MS);
        const second = await claimOne(subject, owner);
        await disable(subject, owner, id);
        await enable(subject, owner, id);
        await fanOut(subject, owner);
        const first = await claimOne(subject, owner);
        assert.equal(versionOf(first), `${order.id} v1`);
        if (isAccepted) {
          await accept(subject, owner, second);
          assert.deepEqual(await claim(subject, owner), []);
          await accept(subject, owner, first);
        } else {
          await subject.advance(owner, LEASE_MS);
          const again = await claimOne(subject, owner);
          assert.equal(versionOf(again), `${order.id} v1`);
          await accept(subject, owner, again);
          assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
        }
      });
    }

    it('waits for the lease of a claim that was made before a failed delivery was pending again', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed', 'order.changed'] });
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      await rejectFinally(subject, owner, await claimOne(subject, owner));
      await subject.advance(owner, LONG_MS);
      await claimOne(subject, owner);
      await disable(subject, owner, id);
      await enable(subject, owner, id);
      await fanOut(subject, owner);
      await accept(subject, owner, await claimOne(subject, owner));
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, LEASE_MS);
      assert.equal(versionOf(await claimOne(subject, owner)), `${order.id} v2`);
    });

    it('gets its deliveries at once, however often it failed before', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed'] });
      for (let count = 0; count < 2 * ENDPOINT_IN_FLIGHT_MAX; count += 1) await place(subject, owner);
      for (const one of await fanOutAndClaim(subject, owner)) await rejectFinally(subject, owner, one);
      assert.deepEqual(await claim(subject, owner), []);
      await disable(subject, owner, id);
      await enable(subject, owner, id);
      assert.equal((await fanOutAndClaim(subject, owner)).length, ENDPOINT_IN_FLIGHT_MAX);
    });
  });
}
