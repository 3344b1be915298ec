import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ENDPOINT_IN_FLIGHT_MAX, LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, succeeds, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import {
  accept,
  ACCEPTED,
  anotherServer,
  claim,
  claimOne,
  fanOut,
  fanOutAndClaim,
  MARGIN_MS,
  onlyDelivery,
  type OpenWebhookQueueSubject,
  placeMany,
  reject,
  REJECTED,
  remove,
  settle,
  subscribe,
  versionsOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

export function leasesContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  fixtures: OrderFixtures,
): void {
  const { place } = fixtures;
  describe('the claims of an endpoint', () => {
    it('are at most 8 at a time, by all servers together', async () => {
      const subject = await open();
      const servers = [subject, await anotherServer(subject)];
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, ENDPOINT_IN_FLIGHT_MAX + 3);
      await fanOut(subject, owner);
      const claimed = (await Promise.all(servers.map((server) => claim(server, owner, 5)))).flat();
      // A server may find the endpoint locked by the other one, and then claims nothing of it.
      for (const server of servers) claimed.push(...(await claim(server, owner, 5)));
      assert.equal(claimed.length, ENDPOINT_IN_FLIGHT_MAX);
      assert.equal(new Set(versionsOf(claimed)).size, ENDPOINT_IN_FLIGHT_MAX, 'each is claimed once');
      assert.deepEqual(await claim(subject, owner), []);
      const [first, second] = claimed;
      await accept(subject, owner, first ?? assert.fail('no claim'));
      assert.equal((await claim(subject, owner)).length, 1);
      await reject(subject, owner, second ?? assert.fail('no claim'), LEASE_MS);
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('do not count those of other endpoints', async () => {
      const subject = await open();
      const owner = anOwner();
      for (let count = 0; count < 2; count += 1) await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, ENDPOINT_IN_FLIGHT_MAX + 1);
      assert.equal((await fanOutAndClaim(subject, owner)).length, 2 * ENDPOINT_IN_FLIGHT_MAX);
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('do not count those whose lease has expired', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, ENDPOINT_IN_FLIGHT_MAX + 1);
      assert.equal((await fanOutAndClaim(subject, owner)).length, ENDPOINT_IN_FLIGHT_MAX);
      await subject.advance(owner, LEASE_MS);
      assert.equal((await claim(subject, owner)).length, ENDPOINT_IN_FLIGHT_MAX);
    });
  });

  describe('a claim', () => {
    it('belongs to one worker, also if several claim at a time', async () => {
      const subject = await open();
      const another = await anotherServer(subject);
      const owner = anOwner();
      await subscribe(subject, owner);
      for (let round = 0; round < 5; round += 1) {
        await placeMany(fixtures, subject, owner, 4);
        await fanOut(subject, owner);
        const servers = [subject, another, subject, another];
        const claimed = (await Promise.all(servers.map((server) => claim(server, owner)))).flat();
        claimed.push(...(await claim(subject, owner)));
        assert.equal(claimed.length, 4);
        assert.equal(new Set(versionsOf(claimed)).size, 4);
        for (const one of claimed) await accept(another, owner, one);
      }
    });

    it('can be made again 60 s later and not before, for the same attempt and with another fence', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const first = await claimOne(subject, owner);
      await subject.advance(owner, LEASE_MS - MARGIN_MS);
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, MARGIN_MS);
      const second = await claimOne(subject, owner);
      assert.deepEqual({ ...second, fence: first.fence }, first);
      assert.ok(second.fence !== first.fence, 'two claims have the same fence');
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('records its attempt also after its lease, unless the delivery was claimed again', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await subject.advance(owner, 2 * LEASE_MS);
      await accept(subject, owner, claimed);
      assert.equal((await onlyDelivery(subject, owner, id)).status, 'delivered');
      assert.deepEqual(await claim(subject, owner), []);
    });

    it('records nothing after the delivery was claimed again', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      const lost = await claimOne(subject, owner);
      await subject.advance(owner, LEASE_MS);
      const own = await claimOne(await anotherServer(subject), owner);
      const before = (
        await subject.deliveries.list(owner, id, { limit: 100, before: null, status: null })
      )._unsafeUnwrap();
      for (const [attempt, settlement] of [
        [ACCEPTED, { status: 'delivered', retryInMs: null }],
        [REJECTED, { status: 'pending', retryInMs: 0 }],
        [REJECTED, { status: 'failed', retryInMs: null }],
      ] as const) {
        const settled = await succeeds(settle(subject, owner, lost, attempt, settlement));
        assert.deepEqual([settled.recorded, settled.isDead], [false, false]);
        assert.deepEqual(await claim(subject, owner), []);
      }
      const after = (
        await subject.deliveries.list(owner, id, { limit: 100, before: null, status: null })
      )._unsafeUnwrap();
      assert.deepEqual(after, before);
      await accept(subject, owner, own);
      assert.equal((await claimOne(subject, owner)).event.resource.version, 2);
    });

    it('records one attempt only', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await reject(subject, owner, claimed, LEASE_MS);
      const before = await onlyDelivery(subject, owner, id);
      const settled = await succeeds(
        settle(subject, owner, claimed, ACCEPTED, { status: 'delivered', retryInMs: null }),
      );
      assert.equal(settled.recorded, false);
      assert.deepEqual(await onlyDelivery(subject, owner, id), before);
      await subject.advance(owner, LEASE_MS);
      const second = await claimOne(subject, owner);
      assert.equal(second.attempt, 2);
      assert.ok(second.fence !== claimed.fence, 'two claims have the same fence');
    });

    it('can be settled after its endpoint was deleted', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      const claimed = await claimOne(subject, owner);
      await remove(subject, owner, id);
      await succeeds(settle(subject, owner, claimed, ACCEPTED, { status: 'delivered', retryInMs: null }));
      assert.deepEqual(await fanOutAndClaim(subject, owner), []);
    });
  });
}
