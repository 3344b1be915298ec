import { ENDPOINT_IN_FLIGHT_MAX } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import type { Cases } from '../contract-subject.ts';
import type { QueueBench } from './subject.ts';

const GAP_MS = 60_000;

export function furtherDueContract({ describe, it }: Cases<QueueBench>): void {
  describe('a settlement', () => {
    it('says that more is due when the next one of the same resource has waited for it', async (bench) => {
      await bench.deliverVersions(2);
      assert.equal((await bench.accept(await bench.claimOne())).isMoreDue, true);
      await bench.claimOne();
    });

    it('says that more is due when there are more than an endpoint may have in flight', async (bench) => {
      await bench.deliver(ENDPOINT_IN_FLIGHT_MAX + 1);
      const claimed = await bench.claim();
      const settled = await Promise.all(claimed.map((one) => bench.accept(one)));
      assert.ok(
        settled.some(({ isMoreDue }) => isMoreDue),
        'none says it',
      );
      await bench.claimOne();
    });

    it('says that more is due when the endpoint accepts the first one after a rejected one', async (bench) => {
      await bench.deliver(3);
      for (const one of await bench.claim(1)) await bench.reject(one, 10 * GAP_MS);
      await bench.advance(GAP_MS);
      assert.equal((await bench.accept(await bench.claimOne())).isMoreDue, true);
      await bench.claimOne();
    });

    it('says that more is due when its own next attempt is due at once', async (bench) => {
      await bench.deliver();
      assert.equal((await bench.interrupt(await bench.claimOne())).isMoreDue, true);
      await bench.claimOne();
    });
  });
}
