import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { ENDPOINT_IN_FLIGHT_MAX } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';
import {
  accept,
  claim,
  claimOne,
  fanOut,
  fanOutAndClaim,
  interrupt,
  type OpenWebhookQueueSubject,
  placeMany,
  reject,
  subscribe,
} from './subject.ts';

const GAP_MS = 60_000;

export function furtherDueContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  fixtures: OrderFixtures,
): void {
  const { place } = fixtures;

  describe('a settlement', () => {
    it('says that more is due when the next one of the same resource has waited for it', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      assert.equal((await accept(subject, owner, await claimOne(subject, owner))).isMoreDue, true);
      await claimOne(subject, owner);
    });

    it('says that more is due when there are more than an endpoint may have in flight', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, ENDPOINT_IN_FLIGHT_MAX + 1);
      const claimed = await fanOutAndClaim(subject, owner);
      const settled = await Promise.all(claimed.map((one) => accept(subject, owner, one)));
      assert.ok(
        settled.some(({ isMoreDue }) => isMoreDue),
        'none says it',
      );
      await claimOne(subject, owner);
    });

    it('says that more is due when the endpoint accepts the first one after a rejected one', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 3);
      await fanOut(subject, owner);
      for (const one of await claim(subject, owner, 1)) await reject(subject, owner, one, 10 * GAP_MS);
      await subject.advance(owner, GAP_MS);
      assert.equal((await accept(subject, owner, await claimOne(subject, owner))).isMoreDue, true);
      await claimOne(subject, owner);
    });

    it('says that more is due when its own next attempt is due at once', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      assert.equal((await interrupt(subject, owner, await claimOne(subject, owner))).isMoreDue, true);
      await claimOne(subject, owner);
    });
  });
}
