import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { ReceivedDeliveries, type ReceivingEndpoint } from '../src/webhooks/received-deliveries.ts';

const aSecret = () => `whsec_${randomBytes(32).toString('base64')}`;
const ENDPOINT: ReceivingEndpoint = { path: '/hook', secret: aSecret() };

interface Sent {
  readonly id?: string;
  readonly resourceId?: string;
  readonly version?: number;
  readonly secret?: string;
  readonly at?: Date;
}

/** Returns deliveries of one endpoint that has received signed requests. */
function received(...all: readonly Sent[]): ReceivedDeliveries {
  const deliveries = new ReceivedDeliveries();
  for (const sent of all) {
    const { id = randomUUID(), resourceId = randomUUID(), version = 1, at = new Date() } = sent;
    const data = { id, resource: { type: 'order', id: resourceId, version } };
    const body = JSON.stringify({ type: 'order.placed', timestamp: at.toISOString(), data });
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(sent.secret ?? ENDPOINT.secret).sign(id, at, body),
    };
    deliveries.accept(ENDPOINT, headers, body);
  }
  return deliveries;
}

it('the receiver of the benchmark reports deliveries once, with the time since their events', () => {
  const deliveries = received({ resourceId: 'a' }, { resourceId: 'a', version: 3, at: new Date(Date.now() - 5000) });
  const { lagsMs, wrong } = deliveries.report();
  expect(wrong).toBeUndefined();
  expect(lagsMs[0]).toBeLessThan(5000);
  expect(lagsMs[1]).toBeGreaterThanOrEqual(5000);
  expect(deliveries.report().arrivedAt).toEqual([]);
});

it.each<[string, readonly Sent[], RegExp]>([
  ['a signature by another secret', [{ secret: aSecret() }], /signature/],
  ['an old signature', [{ at: new Date(Date.now() - 600_000) }], /timestamp/],
  ['a repeated delivery', [{ id: 'a' }, { id: 'a', resourceId: 'b' }], /twice/],
  ['an earlier version after a later one', [2, 1].map((version) => ({ resourceId: 'a', version })), /later version/],
])('the receiver of the benchmark finds %s', (_, sent, wrong) => {
  expect(received(...sent).report().wrong).toMatch(wrong);
});
