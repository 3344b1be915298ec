import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FRESH_GAPS_MS } from '../../webhooks/settle-attempt.ts';
import { type DueOwners, LEASE_MS } from '../../webhooks/webhook-queue.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { anOwner, succeeds, type TestRunner } from '../contract-subject.ts';
import { change } from '../event-feed-contract/subject.ts';
import {
  accept,
  claim,
  claimOne,
  disable,
  enable,
  fanOut,
  fanOutAndClaim,
  MARGIN_MS,
  type OpenWebhookQueueSubject,
  reject,
  rejectFinally,
  remove,
  subscribe,
  type WebhookServer,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

/** Returns the owners of `among` that are due, in the order in which pages of `limit` endpoints have them. */
async function dueOf(
  { queue }: WebhookServer<OrderDefinition>,
  among: readonly Owner[],
  limit = 100,
): Promise<readonly Owner[]> {
  const due: Owner[] = [];
  for (let after: Owner | null = null; ;) {
    const { owners, next }: DueOwners = await succeeds(queue.findDue(limit, after));
    assert.ok(owners.length <= limit, 'a page has more owners than its limit');
    due.push(...owners);
    if (next === null) return due.filter((owner) => among.includes(owner));
    assert.ok(after === null || (next > after && !owners.includes(after)), 'a page repeats the owner before it');
    after = next;
  }
}

async function isDue(server: WebhookServer<OrderDefinition>, owner: Owner): Promise<boolean> {
  return (await dueOf(server, [owner])).length > 0;
}

export function findDueContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('an owner', () => {
    it('is due while an enabled endpoint has new events or deliveries that can be claimed', async () => {
      const subject = await open();
      const owner = anOwner();
      await place(subject, owner);
      assert.equal(await isDue(subject, owner), false, 'without endpoints');
      await subscribe(subject, owner, { start: 1, types: ['order.placed', 'order.changed'] });
      await fanOut(subject, owner);
      assert.equal(await isDue(subject, owner), false, 'with events before the start alone');
      const { order } = await place(subject, owner);
      assert.equal(await isDue(subject, owner), true, 'with a new event');
      await fanOut(subject, owner);
      assert.equal(await isDue(subject, owner), true, 'with a new delivery');
      const claimed = await claimOne(subject, owner);
      await change(subject, owner, order.id);
      await fanOut(subject, owner);
      assert.equal(await isDue(subject, owner), false, 'while the event before is in flight');
      await accept(subject, owner, claimed);
      assert.equal(await isDue(subject, owner), true, 'after the event before was accepted');
      await accept(subject, owner, await claimOne(subject, owner));
      assert.equal(await isDue(subject, owner), false, 'after the last event');
    });

    it('is due when the next attempt of a delivery is', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      await reject(subject, owner, await claimOne(subject, owner), 60_000);
      await subject.advance(owner, 60_000 - MARGIN_MS);
      assert.equal(await isDue(subject, owner), false);
      await subject.advance(owner, MARGIN_MS);
      assert.equal(await isDue(subject, owner), true);
    });

    it('is due when a lease has expired', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      await fanOutAndClaim(subject, owner);
      await subject.advance(owner, LEASE_MS - MARGIN_MS);
      assert.equal(await isDue(subject, owner), false);
      await subject.advance(owner, MARGIN_MS);
      assert.equal(await isDue(subject, owner), true);
    });

    it('is not due while its endpoint rejects everything and gets nothing new', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      for (let count = 0; count < 3; count += 1) await place(subject, owner);
      await fanOut(subject, owner);
      const [first] = await claim(subject, owner, 1);
      await reject(subject, owner, first ?? assert.fail('no claim'), LEASE_MS);
      assert.equal(await isDue(subject, owner), false);
      await subject.advance(owner, FRESH_GAPS_MS[0] ?? 0);
      assert.equal(await isDue(subject, owner), true);
    });

    it('is not due for events that no endpoint wants, once it has passed them', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner, { types: ['customer.deleted'] });
      await place(subject, owner);
      await fanOut(subject, owner);
      assert.equal(await isDue(subject, owner), false);
    });

    it('is not due for disabled and deleted endpoints', async () => {
      const subject = await open();
      const owner = anOwner();
      const types = ['order.placed'] as const;
      const { id } = await subscribe(subject, owner, { types });
      await place(subject, owner);
      await fanOut(subject, owner);
      await disable(subject, owner, id);
      await place(subject, owner);
      assert.equal(await isDue(subject, owner), false);
      await enable(subject, owner, id);
      assert.equal(await isDue(subject, owner), true);
      await remove(subject, owner, id);
      await place(subject, owner);
      assert.equal(await isDue(subject, owner), false);
    });

    it('is due after its endpoint is enabled again with nothing but failed deliveries', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner, { types: ['order.placed'] });
      await place(subject, owner);
      await fanOut(subject, owner);
      await rejectFinally(subject, owner, await claimOne(subject, owner));
      await disable(subject, owner, id);
      await fanOut(subject, owner);
      await enable(subject, owner, id);
      assert.equal(await isDue(subject, owner), true);
    });
  });

  describe('the owners that are due', () => {
    it('are returned in pages, in the order of their text', async () => {
      const subject = await open();
      const owners = Array.from({ length: 7 }, anOwner).map(
        (owner, index) => `${['b', 'a', 'c', 'e', 'Z', '!', '~'][index]} ${owner}`,
      );
      for (const owner of owners) {
        await subscribe(subject, owner);
        await place(subject, owner);
      }
      const sorted = owners.toSorted();
      for (const limit of [1, 2, 3, 100]) assert.deepEqual(await dueOf(subject, owners, limit), sorted);
    });
  });
}
