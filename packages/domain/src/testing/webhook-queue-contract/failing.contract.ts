import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FRESH_GAPS_MS } from '../../webhooks/settle-attempt.ts';
import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, succeeds, type TestRunner } from '../contract-subject.ts';
import {
  accept,
  claim,
  claimOne,
  fanOut,
  fanOutAndClaim,
  interrupt,
  logOf,
  MARGIN_MS,
  type OpenWebhookQueueSubject,
  placeMany,
  reject,
  REJECTED,
  rejectFinally,
  settle,
  subscribe,
  versionOf,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

/** A gap that no test reaches. */
const LONG_MS = 1_000_000_000;

export function failingContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  fixtures: OrderFixtures,
): void {
  const { place } = fixtures;
  describe('an endpoint that rejects everything', () => {
    it('gets deliveries that were not attempted yet one at a time, at growing gaps', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 8);
      await fanOut(subject, owner);
      const [first] = await claim(subject, owner, 1);
      await reject(subject, owner, first ?? assert.fail('no claim'), LONG_MS);
      for (const gap of [...FRESH_GAPS_MS, FRESH_GAPS_MS.at(-1) ?? 0]) {
        assert.deepEqual(await claim(subject, owner), [], 'nothing is due at once');
        await subject.advance(owner, gap - MARGIN_MS);
        assert.deepEqual(await claim(subject, owner), [], `nothing is due before ${gap} ms`);
        await subject.advance(owner, MARGIN_MS);
        const next = await claimOne(subject, owner);
        assert.equal(next.attempt, 1);
        assert.deepEqual(await claim(subject, owner), [], 'one at a time');
        await reject(subject, owner, next, LONG_MS);
      }
    });

    it('waits for the first gap after several deliveries that were rejected together', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 10);
      for (const one of await fanOutAndClaim(subject, owner)) await reject(subject, owner, one, LONG_MS);
      const [first = 0, second = 0] = FRESH_GAPS_MS;
      await subject.advance(owner, first - MARGIN_MS);
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, MARGIN_MS);
      await reject(subject, owner, await claimOne(subject, owner), LONG_MS);
      await subject.advance(owner, first);
      assert.deepEqual(await claim(subject, owner), [], 'the second gap is longer');
      await subject.advance(owner, second - first);
      await claimOne(subject, owner);
    });

    it('is none whose attempts do not count, and keeps their number', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 4);
      const claimed = await fanOutAndClaim(subject, owner);
      for (const one of claimed) await interrupt(subject, owner, one);
      assert.deepEqual(
        (await logOf(subject, owner, id)).map(({ attempts }) => attempts),
        [0, 0, 0, 0],
      );
      const again = await claim(subject, owner);
      assert.deepEqual(
        again.map(({ attempt }) => attempt),
        [1, 1, 1, 1],
      );
      for (const one of again) await reject(subject, owner, one, 0);
      const [second] = await claim(subject, owner);
      await interrupt(subject, owner, second ?? assert.fail('no claim'));
      assert.deepEqual(
        (await claim(subject, owner)).map(({ attempt }) => attempt),
        [2],
      );
    });

    it('gets one delivery at once after an attempt that does not count', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 4);
      await fanOut(subject, owner);
      const [first] = await claim(subject, owner, 1);
      await reject(subject, owner, first ?? assert.fail('no claim'), LONG_MS);
      await subject.advance(owner, FRESH_GAPS_MS[0] ?? 0);
      await interrupt(subject, owner, await claimOne(subject, owner));
      assert.equal((await claimOne(subject, owner)).attempt, 1);
    });

    it('is not attempted earlier for an attempt that does not count, behind one that was rejected', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 4);
      await fanOut(subject, owner);
      const [first, second] = await claim(subject, owner, 2);
      await reject(subject, owner, first ?? assert.fail('no claim'), LONG_MS);
      await interrupt(subject, owner, second ?? assert.fail('no claim'));
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, FRESH_GAPS_MS[0] ?? 0);
      await claimOne(subject, owner);
    });

    it('gets one delivery at a time, also while an attempt takes longer than the gap', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 4);
      await fanOut(subject, owner);
      const [first] = await claim(subject, owner, 1);
      await reject(subject, owner, first ?? assert.fail('no claim'), LONG_MS);
      await subject.advance(owner, FRESH_GAPS_MS[0] ?? 0);
      const second = await claimOne(subject, owner);
      await subject.advance(owner, 3 * (FRESH_GAPS_MS[0] ?? 0));
      assert.deepEqual(await claim(subject, owner), []);
      await accept(subject, owner, second);
      assert.equal((await claim(subject, owner)).length, 2);
    });

    it('gets the further attempts of deliveries when they are due', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const ids = await placeMany(fixtures, subject, owner, 2);
      for (const one of await fanOutAndClaim(subject, owner)) await reject(subject, owner, one, 4000);
      await placeMany(fixtures, subject, owner, 2);
      await fanOut(subject, owner);
      await subject.advance(owner, 4000);
      const due = await claim(subject, owner);
      assert.deepEqual(
        due.map(versionOf),
        ids.map((id) => `${id} v1`),
      );
      for (const one of due) assert.equal(one.attempt, 2);
    });

    it('gets everything again once it has accepted a delivery', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 3);
      for (const one of await fanOutAndClaim(subject, owner)) await reject(subject, owner, one, 1000);
      await placeMany(fixtures, subject, owner, 4);
      await fanOut(subject, owner);
      await subject.advance(owner, 1000);
      const [again] = await claim(subject, owner, 1);
      assert.equal(again?.attempt, 2);
      await accept(subject, owner, again ?? assert.fail('no claim'));
      assert.equal((await claim(subject, owner)).length, 6);
    });

    it('gets everything if it rejects one event alone, at each of its attempts', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      const [poison] = await placeMany(fixtures, subject, owner, 2);
      const [rejected, accepted] = await fanOutAndClaim(subject, owner);
      assert.equal(rejected?.event.resource.id, poison);
      await reject(subject, owner, rejected ?? assert.fail('no claim'), 0);
      await accept(subject, owner, accepted ?? assert.fail('no claim'));
      for (let attempt = 2; attempt < 5; attempt += 1) {
        const again = await claimOne(subject, owner);
        assert.equal(again.attempt, attempt);
        await reject(subject, owner, again, 1000);
        await placeMany(fixtures, subject, owner, 3);
        const others = await fanOutAndClaim(subject, owner);
        assert.equal(others.length, 3);
        for (const other of others) await accept(subject, owner, other);
        await subject.advance(owner, 1000);
      }
    });

    it('does not delay the other endpoints of its owner', async () => {
      const subject = await open();
      const owner = anOwner();
      const [broken, working] = [await subscribe(subject, owner), await subscribe(subject, owner)];
      await place(subject, owner);
      for (const one of await fanOutAndClaim(subject, owner))
        if (one.endpoint.id === broken.id) await reject(subject, owner, one, LONG_MS);
      await placeMany(fixtures, subject, owner, 3);
      const claimed = await fanOutAndClaim(subject, owner);
      assert.deepEqual(
        claimed.map(({ endpoint }) => endpoint.id),
        [working.id, working.id, working.id],
      );
    });
  });

  describe('a delivery that failed finally', () => {
    it('means a dead endpoint if none was accepted since its first attempt', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      await fanOut(subject, owner);
      await accept(subject, owner, await claimOne(subject, owner));
      await subject.advance(owner, 1000);
      await place(subject, owner);
      await fanOut(subject, owner);
      const first = await claimOne(subject, owner);
      assert.equal((await reject(subject, owner, first, 5000)).isDead, false);
      await subject.advance(owner, 5000);
      assert.equal((await rejectFinally(subject, owner, await claimOne(subject, owner))).isDead, true);
    });

    it('keeps its claim and is not recorded while the endpoint is to be disabled first', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await placeMany(fixtures, subject, owner, 2);
      await fanOut(subject, owner);
      const [first] = await claim(subject, owner, 1);
      await reject(subject, owner, first ?? assert.fail('no claim'), LONG_MS);
      await subject.advance(owner, FRESH_GAPS_MS[0] ?? 0);
      const claimed = await claimOne(subject, owner);
      const failed = { status: 'failed', retryInMs: null, unlessDead: true } as const;
      const settled = await succeeds(settle(subject, owner, claimed, REJECTED, failed));
      assert.deepEqual(settled, { recorded: false, isDead: true, isMoreDue: false });
      assert.deepEqual(await claim(subject, owner), []);
      await subject.advance(owner, LEASE_MS);
      const again = await claimOne(subject, owner);
      assert.equal(again.attempt, claimed.attempt);
      assert.equal((await rejectFinally(subject, owner, again)).isDead, true);
    });

    it('does not mean a dead endpoint if another one was accepted since its first attempt', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await place(subject, owner);
      const [poison] = await fanOutAndClaim(subject, owner);
      await reject(subject, owner, poison ?? assert.fail('no claim'), 120_000);
      await subject.advance(owner, 60_000);
      await place(subject, owner);
      const [accepted] = await fanOutAndClaim(subject, owner);
      assert.equal((await accept(subject, owner, accepted ?? assert.fail('no claim'))).isDead, false);
      await subject.advance(owner, 60_000);
      assert.equal((await rejectFinally(subject, owner, await claimOne(subject, owner))).isDead, false);
    });

    it('means a dead endpoint if only other endpoints accepted one', async () => {
      const subject = await open();
      const owner = anOwner();
      const broken = await subscribe(subject, owner);
      await subscribe(subject, owner);
      await place(subject, owner);
      const claimed = await fanOutAndClaim(subject, owner);
      for (const one of claimed) if (one.endpoint.id === broken.id) await reject(subject, owner, one, 1000);
      await subject.advance(owner, 500);
      for (const one of claimed) if (one.endpoint.id !== broken.id) await accept(subject, owner, one);
      await subject.advance(owner, 500);
      assert.equal((await rejectFinally(subject, owner, await claimOne(subject, owner))).isDead, true);
    });
  });
}
