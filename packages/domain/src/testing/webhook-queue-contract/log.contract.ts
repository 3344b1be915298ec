import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { isTimestamp } from '../../shared/clock.ts';
import type { Page } from '../../shared/page.ts';
import * as assert from '../assertions.ts';
import { anOwner, fails, succeeds, type TestRunner } from '../contract-subject.ts';
import { change, readAll, upTo } from '../event-feed-contract/subject.ts';
import type { WebhookDelivery } from '../../webhooks/webhook-delivery.ts';
import {
  accept,
  ACCEPTED,
  claimOne,
  fanOut,
  fanOutAndClaim,
  logOf,
  MARGIN_MS,
  onlyDelivery,
  type OpenWebhookQueueSubject,
  reject,
  rejectFinally,
  settle,
  subscribe,
} from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

/** A gap that no test reaches. */
const LONG_MS = 1_000_000_000;

function timeOf({ next_attempt_at }: WebhookDelivery<OrderDefinition>): number {
  assert.ok(next_attempt_at !== null && isTimestamp(next_attempt_at), `no timestamp: ${next_attempt_at}`);
  return Date.parse(next_attempt_at);
}

export function logContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('the log of deliveries', () => {
    it('has each delivery with its last attempt', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      const { order, event } = await place(subject, owner);
      await fanOut(subject, owner);
      const { next_attempt_at: dueAt, ...created } = await onlyDelivery(subject, owner, id);
      assert.ok(dueAt !== null && isTimestamp(dueAt), 'a new delivery is due');
      assert.deepEqual(created, {
        event_id: event.id,
        position: 1,
        type: 'order.placed',
        status: 'pending',
        attempts: 0,
        last_status: null,
        last_error: null,
        last_duration_ms: null,
      });
      await reject(subject, owner, await claimOne(subject, owner), 60_000);
      const rejected = await onlyDelivery(subject, owner, id);
      const last = { last_status: 500, last_error: 'status_not_accepted', last_duration_ms: 34 };
      assert.deepEqual(
        { ...rejected, next_attempt_at: null },
        { ...created, ...last, attempts: 1, next_attempt_at: null },
      );
      await subject.advance(owner, 60_000);
      const timedOut = { status: null, error: 'timed_out', duration_ms: 15_000, retryAfterMs: null } as const;
      const claimed = await claimOne(subject, owner);
      await succeeds(settle(subject, owner, claimed, timedOut, { status: 'failed', retryInMs: null }));
      assert.deepEqual(await onlyDelivery(subject, owner, id), {
        ...created,
        status: 'failed',
        attempts: 2,
        last_status: null,
        last_error: 'timed_out',
        last_duration_ms: 15_000,
        next_attempt_at: null,
      });
      await change(subject, owner, order.id);
      await subject.advance(owner, LONG_MS);
      const [next] = await fanOutAndClaim(subject, owner);
      await accept(subject, owner, next ?? assert.fail('no claim'));
      const [newest] = await logOf(subject, owner, id);
      assert.deepEqual(
        { ...newest, event_id: '' },
        {
          ...created,
          event_id: '',
          type: 'order.changed',
          position: 2,
          status: 'delivered',
          attempts: 1,
          last_status: ACCEPTED.status,
          last_duration_ms: ACCEPTED.duration_ms,
          next_attempt_at: null,
        },
      );
    });

    it('has the time of the next attempt, and none behind an earlier event of the resource', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      await place(subject, owner);
      const { order } = await place(subject, owner);
      await change(subject, owner, order.id);
      const [first, second] = await fanOutAndClaim(subject, owner);
      await reject(subject, owner, first ?? assert.fail('no claim'), 60_000);
      await reject(subject, owner, second ?? assert.fail('no claim'), 3_600_000);
      const [behind, later, soon] = await logOf(subject, owner, id);
      assert.equal(behind?.next_attempt_at, null);
      const difference = timeOf(later ?? assert.fail('no delivery')) - timeOf(soon ?? assert.fail('no delivery'));
      assert.ok(Math.abs(difference - 3_540_000) < MARGIN_MS, `the attempts are ${difference} ms apart`);
    });

    it('has the newest event first, in pages that end at a position and its event', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      for (let count = 0; count < 7; count += 1) await place(subject, owner);
      await fanOut(subject, owner);
      const events = await readAll(subject, owner);
      for (const limit of [1, 3, 6, 7, 8]) {
        const found: number[] = [];
        let before: number | null = null;
        for (let isOver = false; !isOver;) {
          const page: Page<WebhookDelivery<OrderDefinition>, number> = await succeeds(
            subject.deliveries.list(owner, id, { limit, before, status: null }),
          );
          found.push(...page.data.map(({ position }) => position));
          const last = page.data.at(-1);
          isOver = found.length === 7;
          assert.deepEqual(page.next, isOver ? null : { value: last?.position, id: last?.event_id }, `limit ${limit}`);
          before = page.next?.value ?? null;
        }
        assert.deepEqual(found, upTo(7).toReversed());
      }
      assert.deepEqual(
        (await logOf(subject, owner, id)).map(({ event_id }) => event_id),
        events.map((event) => event.id).toReversed(),
      );
    });

    it('can be limited to one status', async () => {
      const subject = await open();
      const owner = anOwner();
      const { id } = await subscribe(subject, owner);
      for (let count = 0; count < 3; count += 1) await place(subject, owner);
      const [first, second] = await fanOutAndClaim(subject, owner);
      await accept(subject, owner, first ?? assert.fail('no claim'));
      await rejectFinally(subject, owner, second ?? assert.fail('no claim'));
      for (const [status, position] of [
        ['delivered', 1],
        ['failed', 2],
        ['pending', 3],
      ] as const) {
        const page = await succeeds(subject.deliveries.list(owner, id, { limit: 1, before: null, status }));
        assert.deepEqual([page.data.map((one) => one.position), page.next], [[position], null]);
      }
    });

    it('has only deliveries of one endpoint and its owner', async () => {
      const subject = await open();
      const [owner, otherOwner] = [anOwner(), anOwner()];
      const { id } = await subscribe(subject, owner);
      const { id: second } = await subscribe(subject, owner, { types: ['order.deleted'] });
      const { event } = await place(subject, owner);
      await place(subject, otherOwner);
      await fanOut(subject, owner);
      assert.deepEqual(await logOf(subject, owner, second), []);
      assert.deepEqual(await logOf(subject, otherOwner, id), []);
      const notFound = { type: 'delivery_not_found', event_id: event.id };
      assert.deepEqual(await fails(subject.deliveries.redeliver(otherOwner, id, event.id)), notFound);
      assert.deepEqual(await fails(subject.deliveries.redeliver(owner, second, event.id)), notFound);
    });
  });
}
