import { isTimestamp } from '../../shared/clock.ts';
import type { Page } from '../../shared/page.ts';
import * as assert from '../assertions.ts';
import { type Cases, fails, succeeds } from '../contract-subject.ts';
import { upTo } from '../event-feed-contract/subject.ts';
import type { WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import { LONG_MS, MARGIN_MS, type QueueBench } from './subject.ts';

function timeOf({ next_attempt_at }: WebhookDelivery): number {
  assert.ok(next_attempt_at !== null && isTimestamp(next_attempt_at), `no timestamp: ${next_attempt_at}`);
  return Date.parse(next_attempt_at);
}

export function logContract({ describe, it }: Cases<QueueBench>): void {
  describe('the log of deliveries', () => {
    it('has each delivery with its last attempt', async (bench) => {
      const { id, order, event } = await bench.deliver();
      const created = {
        event_id: event.id,
        position: 1,
        type: 'order.placed',
        status: 'pending',
        attempts: 0,
        last_status: null,
        last_error: null,
        last_duration_ms: null,
      };
      const expectNewest = async (isDue: boolean, members: object) => {
        const [{ next_attempt_at, ...newest } = assert.fail('the log is empty')] = await bench.logOf(id);
        assert.deepEqual(newest, { ...created, ...members });
        assert.equal(next_attempt_at !== null && isTimestamp(next_attempt_at), isDue, 'whether it is due');
      };
      await expectNewest(true, {});
      await bench.reject(await bench.claimOne(), 60_000);
      const rejected = { last_status: 500, last_error: 'status_not_accepted', last_duration_ms: 34 };
      await expectNewest(true, { attempts: 1, ...rejected });
      await bench.advance(60_000);
      const timedOut = { status: null, error: 'timed_out', duration_ms: 15_000, retryAfterMs: null } as const;
      await succeeds(bench.settle(await bench.claimOne(), timedOut, { status: 'failed', retryInMs: null }));
      await expectNewest(false, { status: 'failed', attempts: 2, last_error: 'timed_out', last_duration_ms: 15_000 });
      const { event: changed } = await bench.change(order.id);
      await bench.advance(LONG_MS);
      const [next] = await bench.fanOutAndClaim();
      await bench.accept(next);
      const accepted = { status: 'delivered', attempts: 1, last_status: 204, last_duration_ms: 12 };
      await expectNewest(false, { event_id: changed.id, position: 2, type: 'order.changed', ...accepted });
    });

    it('has the time of the next attempt, and none behind an earlier event of the resource', async (bench) => {
      const { id } = await bench.subscribe();
      await bench.place();
      await bench.placeVersions(2);
      const [first, second] = await bench.fanOutAndClaim();
      await bench.reject(first, 60_000);
      await bench.reject(second, 3_600_000);
      const [behind, later, soon] = await bench.logOf(id);
      assert.equal(behind?.next_attempt_at, null);
      const difference = timeOf(later ?? assert.fail('no delivery')) - timeOf(soon ?? assert.fail('no delivery'));
      assert.ok(Math.abs(difference - 3_540_000) < MARGIN_MS, `the attempts are ${difference} ms apart`);
    });

    it('has the newest event first, in pages that end at a position and its event', async (bench) => {
      const { id } = await bench.deliver(7);
      const events = await bench.readAll();
      for (const limit of [1, 3, 6, 7, 8]) {
        const found: number[] = [];
        let before: number | null = null;
        for (let isOver = false; !isOver;) {
          const page: Page<WebhookDelivery, number> = await bench.log(id, { limit, before });
          found.push(...page.data.map(({ position }) => position));
          const last = page.data.at(-1);
          isOver = found.length === 7;
          assert.deepEqual(page.next, isOver ? null : { value: last?.position, id: last?.event_id }, `limit ${limit}`);
          before = page.next?.value ?? null;
        }
        assert.deepEqual(found, upTo(7).toReversed());
      }
      assert.deepEqual(
        (await bench.logOf(id)).map(({ event_id }) => event_id),
        events.map((event) => event.id).toReversed(),
      );
    });

    it('can be limited to one status', async (bench) => {
      const { id } = await bench.subscribe();
      for (let count = 0; count < 3; count += 1) await bench.place();
      const [first, second] = await bench.fanOutAndClaim();
      await bench.accept(first);
      await bench.rejectFinally(second);
      for (const [status, position] of [
        ['delivered', 1],
        ['failed', 2],
        ['pending', 3],
      ] as const) {
        const page = await bench.log(id, { limit: 1, status });
        assert.deepEqual([page.data.map((one) => one.position), page.next], [[position], null]);
      }
    });

    it('has only deliveries of one endpoint and its owner', async (bench) => {
      const other = bench.ofAnother();
      const { id } = await bench.subscribe();
      const { id: second } = await bench.subscribe({ types: ['order.deleted'] });
      const { event } = await bench.place();
      await other.place();
      await bench.fanOut();
      assert.deepEqual(await bench.logOf(second), []);
      assert.deepEqual(await other.logOf(id), []);
      const notFound = { type: 'delivery_not_found', event_id: event.id };
      assert.deepEqual(await fails(other.tryRedeliver(id, event.id)), notFound);
      assert.deepEqual(await fails(bench.tryRedeliver(second, event.id)), notFound);
    });
  });
}
