import type { OrderDefinition } from '../../orders/definition/order-definition.ts';
import { FAN_OUT_BATCH_MAX } from '../../webhooks/webhook-queue.ts';
import * as assert from '../assertions.ts';
import { anOwner, succeeds, type TestRunner } from '../contract-subject.ts';
import { change, upTo } from '../event-feed-contract/subject.ts';
import { acceptAll, type OpenWebhookQueueSubject, subscribe } from './subject.ts';
import type { OrderFixtures } from '../order-fixtures.ts';

const ORDERS = 10;

export function webhookBacklogContract(
  { describe, it }: TestRunner,
  open: OpenWebhookQueueSubject<OrderDefinition>,
  { place }: OrderFixtures,
): void {
  describe('an endpoint behind many events', () => {
    it('gets them by several fan-outs, each once and in order', async () => {
      const subject = await open();
      const owner = anOwner();
      await subscribe(subject, owner);
      await subscribe(subject, owner, { types: ['customer.created'] });
      const versions = (2 * FAN_OUT_BATCH_MAX) / ORDERS + 1;
      const write = async (): Promise<string> => {
        const { id } = (await place(subject, owner)).order;
        for (let version = 2; version <= versions; version += 1) await change(subject, owner, id);
        return id;
      };
      const ids = await Promise.all(Array.from({ length: ORDERS }, write));
      const isMoreLeft: boolean[] = [];
      for (let call = 0; call < 3; call += 1) isMoreLeft.push((await succeeds(subject.queue.fanOut(owner))).isMoreLeft);
      assert.deepEqual(isMoreLeft, [true, true, false]);
      const accepted = await acceptAll(subject, owner);
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
