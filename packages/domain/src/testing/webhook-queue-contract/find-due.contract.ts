import type { OwnersPage } from '../../events/checkpoints.ts';
import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import type { Owner } from '../../shared/ids.ts';
import * as assert from '../assertions.ts';
import { anOwner, type Cases, succeeds } from '../contract-subject.ts';
import { FIRST_GAP_MS, MARGIN_MS, type QueueBench } from './subject.ts';

/** Returns the owners of `among` that are due, in the order in which pages of `limit` endpoints have them. */
async function dueOf({ server }: QueueBench, among: readonly Owner[], limit = 100): Promise<readonly Owner[]> {
  const due: Owner[] = [];
  for (let after: Owner | null = null; ;) {
    const { owners, next }: OwnersPage = await succeeds(server.webhookQueue.findDue(limit, after));
    assert.ok(owners.length <= limit, 'a page has more owners than its limit');
    due.push(...owners);
    if (next === null) return due.filter((owner) => among.includes(owner));
    assert.ok(after === null || (next > after && !owners.includes(after)), 'a page repeats the owner before it');
    after = next;
  }
}

async function isDue(bench: QueueBench): Promise<boolean> {
  return (await dueOf(bench, [bench.owner])).length > 0;
}

export function findDueContract({ describe, it }: Cases<QueueBench>): void {
  describe('an owner', () => {
    it('is due while an enabled endpoint has new events or deliveries that can be claimed', async (bench) => {
      await bench.place();
      assert.equal(await isDue(bench), false, 'without endpoints');
      await bench.subscribe({ start: 1, types: ['order.placed', 'order.changed'] });
      await bench.fanOut();
      assert.equal(await isDue(bench), false, 'with events before the start alone');
      const { order } = await bench.place();
      assert.equal(await isDue(bench), true, 'with a new event');
      await bench.fanOut();
      assert.equal(await isDue(bench), true, 'with a new delivery');
      const claimed = await bench.claimOne();
      await bench.change(order.id);
      await bench.fanOut();
      assert.equal(await isDue(bench), false, 'while the event before is in flight');
      await bench.accept(claimed);
      assert.equal(await isDue(bench), true, 'after the event before was accepted');
      await bench.accept(await bench.claimOne());
      assert.equal(await isDue(bench), false, 'after the last event');
    });

    it('is due when the next attempt of a delivery is', async (bench) => {
      await bench.deliver();
      await bench.reject(await bench.claimOne(), 60_000);
      await bench.advance(60_000 - MARGIN_MS);
      assert.equal(await isDue(bench), false);
      await bench.advance(MARGIN_MS);
      assert.equal(await isDue(bench), true);
    });

    it('is due when a lease has expired', async (bench) => {
      await bench.subscribe();
      await bench.place();
      await bench.fanOutAndClaim();
      await bench.advance(LEASE_MS - MARGIN_MS);
      assert.equal(await isDue(bench), false);
      await bench.advance(MARGIN_MS);
      assert.equal(await isDue(bench), true);
    });

    it('is not due while its endpoint rejects everything and gets nothing new', async (bench) => {
      await bench.deliver(3);
      await bench.reject(await bench.claimFirst(), LEASE_MS);
      assert.equal(await isDue(bench), false);
      await bench.advance(FIRST_GAP_MS);
      assert.equal(await isDue(bench), true);
    });

    it('is not due for events that no endpoint wants, once it has passed them', async (bench) => {
      await bench.subscribe({ types: ['customer.deleted'] });
      await bench.place();
      await bench.fanOut();
      assert.equal(await isDue(bench), false);
    });

    it('is not due for disabled and deleted endpoints', async (bench) => {
      const types = ['order.placed'] as const;
      const { id } = await bench.subscribe({ types });
      await bench.place();
      await bench.fanOut();
      await bench.disable(id);
      await bench.place();
      assert.equal(await isDue(bench), false);
      await bench.enable(id);
      assert.equal(await isDue(bench), true);
      await bench.endpoints.remove(id);
      await bench.place();
      assert.equal(await isDue(bench), false);
    });

    it('is due after its endpoint is enabled again with nothing but failed deliveries', async (bench) => {
      const { id } = await bench.deliver();
      await bench.rejectFinally(await bench.claimOne());
      await bench.disable(id);
      await bench.fanOut();
      await bench.enable(id);
      assert.equal(await isDue(bench), true);
    });
  });

  describe('the owners that are due', () => {
    it('are returned in pages, in the order of their text', async (bench) => {
      const owners = ['b', 'a', 'c', 'e', 'Z', '!', '~'].map((first) => `${first} ${anOwner()}`);
      for (const owner of owners) {
        const other = bench.ofAnother(owner);
        await other.subscribe();
        await other.place();
      }
      const sorted = owners.toSorted();
      for (const limit of [1, 2, 3, 100]) assert.deepEqual(await dueOf(bench, owners, limit), sorted);
    });
  });
}
