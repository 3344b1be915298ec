import { FAN_OUT_BATCH_MAX } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { type Cases, succeeds } from '../contract-subject.ts';
import { upTo } from '../event-feed-contract/subject.ts';
import type { QueueBench } from './subject.ts';

const ORDERS = 10;

export function webhookBacklogContract({ describe, it }: Cases<QueueBench>): void {
  describe('an endpoint behind many events', () => {
    it('gets them by several fan-outs, each once and in order', async (bench) => {
      await bench.subscribe();
      await bench.subscribe({ types: ['customer.created'] });
      const versions = (2 * FAN_OUT_BATCH_MAX) / ORDERS + 1;
      const ids = await Promise.all(Array.from({ length: ORDERS }, () => bench.placeVersions(versions)));
      const { webhookQueue: queue } = bench.server;
      for (const isMoreLeft of [true, true, false])
        assert.equal((await succeeds(queue.fanOut(bench.owner))).isMoreLeft, isMoreLeft);
      const accepted = await bench.acceptAll();
      assert.equal(accepted.length, ORDERS * versions);
      for (const id of ids) {
        const found = accepted.filter(({ event }) => event.resource.id === id);
        assert.deepEqual(
          found.map(({ event }) => event.resource.version),
          upTo(versions),
        );
      }
    });
  });
}
