import { FRESH_GAPS_MS } from '../../webhooks/attempt-delays.ts';
import { LEASE_MS } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import { attemptsOf, FIRST_GAP_MS, LONG_MS, MARGIN_MS, type QueueBench, REJECTED, versionOf } from './subject.ts';

export function failingContract({ describe, it }: Cases<QueueBench>): void {
  describe('an endpoint that rejects everything', () => {
    it('gets deliveries that were not attempted yet one at a time, at growing gaps', async (bench) => {
      await bench.deliverToFailing(8);
      for (const gap of [...FRESH_GAPS_MS, FRESH_GAPS_MS.at(-1) ?? 0]) {
        assert.deepEqual(await bench.claim(), [], 'nothing is due at once');
        await bench.advance(gap - MARGIN_MS);
        assert.deepEqual(await bench.claim(), [], `nothing is due before ${gap} ms`);
        await bench.advance(MARGIN_MS);
        const next = await bench.claimOne();
        assert.equal(next.attempt, 1);
        assert.deepEqual(await bench.claim(), [], 'one at a time');
        await bench.reject(next, LONG_MS);
      }
    });

    it('waits for the first gap after several deliveries that were rejected together', async (bench) => {
      await bench.deliver(10);
      for (const one of await bench.claim()) await bench.reject(one, LONG_MS);
      const [first = 0, second = 0] = FRESH_GAPS_MS;
      await bench.advance(first - MARGIN_MS);
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(MARGIN_MS);
      await bench.reject(await bench.claimOne(), LONG_MS);
      await bench.advance(first);
      assert.deepEqual(await bench.claim(), [], 'the second gap is longer');
      await bench.advance(second - first);
      await bench.claimOne();
    });

    it('is none whose attempts do not count, and keeps their number', async (bench) => {
      const { id } = await bench.deliver(4);
      const claimed = await bench.claim();
      for (const one of claimed) assert.equal((await bench.interrupt(one)).isMoreDue, true);
      assert.deepEqual(
        (await bench.logOf(id)).map(({ attempts }) => attempts),
        [0, 0, 0, 0],
      );
      const again = await bench.claim();
      assert.deepEqual(attemptsOf(again), [1, 1, 1, 1]);
      for (const one of again) await bench.reject(one, 0);
      const [second] = await bench.claim();
      await bench.interrupt(second);
      assert.deepEqual(attemptsOf(await bench.claim()), [2]);
    });

    it('gets one delivery at once after an attempt that does not count', async (bench) => {
      await bench.deliverToFailing(4);
      await bench.advance(FIRST_GAP_MS);
      await bench.interrupt(await bench.claimOne());
      assert.equal((await bench.claimOne()).attempt, 1);
    });

    it('is not attempted earlier for an attempt that does not count, behind one that was rejected', async (bench) => {
      await bench.deliver(4);
      const [first, second] = await bench.claim(2);
      await bench.reject(first, LONG_MS);
      await bench.interrupt(second);
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(FIRST_GAP_MS);
      await bench.claimOne();
    });

    it('gets one delivery at a time, also while an attempt takes longer than the gap', async (bench) => {
      await bench.deliverToFailing(4);
      await bench.advance(FIRST_GAP_MS);
      const second = await bench.claimOne();
      await bench.advance(3 * FIRST_GAP_MS);
      assert.deepEqual(await bench.claim(), []);
      await bench.accept(second);
      assert.equal((await bench.claim()).length, 2);
    });

    it('gets the further attempts of deliveries when they are due', async (bench) => {
      await bench.subscribe();
      const ids = await bench.placeMany(2);
      for (const one of await bench.fanOutAndClaim()) await bench.reject(one, 4000);
      await bench.placeMany(2);
      await bench.fanOut();
      await bench.advance(4000);
      const due = await bench.claim();
      assert.deepEqual(
        due.map(versionOf),
        ids.map((id) => `${id} v1`),
      );
      for (const one of due) assert.equal(one.attempt, 2);
    });

    it('gets everything again once it has accepted a delivery', async (bench) => {
      await bench.deliver(3);
      for (const one of await bench.claim()) await bench.reject(one, 1000);
      await bench.placeMany(4);
      await bench.fanOut();
      await bench.advance(1000);
      const [again] = await bench.claim(1);
      assert.equal(again?.attempt, 2);
      assert.equal((await bench.accept(again)).isMoreDue, true);
      assert.equal((await bench.claim()).length, 6);
    });

    it('gets everything if it rejects one event alone, at each of its attempts', async (bench) => {
      await bench.subscribe();
      const [poison] = await bench.placeMany(2);
      const [rejected, accepted] = await bench.fanOutAndClaim();
      assert.equal(rejected?.event.resource.id, poison);
      await bench.reject(rejected, 0);
      await bench.accept(accepted);
      for (let attempt = 2; attempt < 5; attempt += 1) {
        const again = await bench.claimOne();
        assert.equal(again.attempt, attempt);
        await bench.reject(again, 1000);
        await bench.placeMany(3);
        const others = await bench.fanOutAndClaim();
        assert.equal(others.length, 3);
        for (const other of others) await bench.accept(other);
        await bench.advance(1000);
      }
    });

    it('gets all that waits for it once it is resumed, with new attempts', async (bench) => {
      const { id } = await bench.subscribe({ types: ['order.placed', 'order.changed'] });
      await bench.resume(id);
      const [order = ''] = await bench.placeMany(1);
      await bench.change(order);
      await bench.placeMany(3);
      await bench.fanOut();
      await bench.reject(await bench.claimFirst(), LONG_MS);
      assert.deepEqual(await bench.claim(), []);
      await bench.resume(id);
      const claimed = await bench.claim();
      assert.equal(
        claimed.filter(({ event }) => event.resource.id === order).length,
        1,
        'in the order of its resource',
      );
      assert.deepEqual(attemptsOf(claimed), [1, 1, 1, 1]);
    });

    it('gets a delivery again at once if it is resumed during an attempt, which fails', async (bench) => {
      const { id } = await bench.deliver(1);
      await bench.reject(await bench.claimOne(), 0);
      const second = await bench.claimOne();
      await bench.resume(id);
      assert.deepEqual(await bench.claim(), [], 'one attempt at a time');
      await bench.reject(second, LONG_MS);
      assert.equal((await bench.claimOne()).attempt, 1);
    });

    it('gets nothing again that has failed finally or that others wait for, once it is resumed', async (bench) => {
      const [resumed, other] = [await bench.subscribe(), await bench.subscribe()];
      await bench.placeMany(1);
      for (const one of await bench.fanOutAndClaim()) {
        if (one.endpoint.id === other.id) await bench.reject(one, LONG_MS);
        else await bench.rejectFinally(one);
      }
      await bench.resume(resumed.id);
      assert.deepEqual(await bench.claim(), []);
    });
  });

  describe('a delivery that failed finally', () => {
    it('means a dead endpoint if only others accepted one since its first attempt, or it did so before', async (bench) => {
      const broken = await bench.subscribe();
      await bench.place();
      await bench.accept((await bench.fanOutAndClaim())[0]);
      await bench.subscribe();
      await bench.fanOut();
      await bench.advance(1000);
      await bench.accept(await bench.claimOne());
      await bench.place();
      const isBroken = ({ endpoint }: { readonly endpoint: { readonly id: string } }) => endpoint.id === broken.id;
      const claimed = await bench.fanOutAndClaim();
      assert.equal((await bench.reject(claimed.find(isBroken), 1000)).isDead, false);
      await bench.advance(500);
      await bench.accept(claimed.find((one) => !isBroken(one)));
      await bench.advance(500);
      assert.equal((await bench.rejectFinally(await bench.claimOne())).isDead, true);
    });

    it('keeps its claim and is not recorded while the endpoint is to be disabled first', async (bench) => {
      await bench.deliverToFailing(2);
      await bench.advance(FIRST_GAP_MS);
      const claimed = await bench.claimOne();
      const failed = { status: 'failed', retryInMs: null, unlessDead: true } as const;
      const settled = await succeeds(bench.settle(claimed, REJECTED, failed));
      assert.deepEqual(settled, { recorded: false, isDead: true, isMoreDue: false });
      assert.deepEqual(await bench.claim(), []);
      await bench.advance(LEASE_MS);
      const again = await bench.claimOne();
      assert.equal(again.attempt, claimed.attempt);
      assert.equal((await bench.rejectFinally(again)).isDead, true);
    });

    it('does not mean a dead endpoint if another one was accepted since its first attempt', async (bench) => {
      await bench.subscribe();
      await bench.place();
      const [poison] = await bench.fanOutAndClaim();
      await bench.reject(poison, 120_000);
      await bench.advance(60_000);
      await bench.place();
      const [accepted] = await bench.fanOutAndClaim();
      assert.equal((await bench.accept(accepted)).isDead, false);
      await bench.advance(60_000);
      assert.equal((await bench.rejectFinally(await bench.claimOne())).isDead, false);
    });
  });
}
