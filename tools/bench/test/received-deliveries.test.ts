import { randomBytes, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { ReceivedDeliveries } from '../src/webhooks/received-deliveries.ts';

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const PATH = '/hook';

interface Sent {
  readonly id?: string;
  readonly resourceId?: string;
  readonly version?: number;
  readonly secret?: string;
  readonly at?: Date;
}

/** Returns deliveries of one endpoint, and a function that makes a signed request and hands it to them. */
function aReceiver(reported = true) {
  const deliveries = new ReceivedDeliveries();
  deliveries.expect([{ path: PATH, secret: SECRET, behaviour: 'accepts', reported }]);
  const accept = ({ id = randomUUID(), resourceId = randomUUID(), version = 1, secret = SECRET, at }: Sent = {}) => {
    const now = at ?? new Date();
    const data = { id, resource: { type: 'order', id: resourceId, version } };
    const body = JSON.stringify({ type: 'order.placed', timestamp: now.toISOString(), data });
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    };
    deliveries.accept(PATH, { headers, body });
  };
  return { deliveries, accept };
}

describe('the receiver of the benchmark', () => {
  it('reports deliveries once, with the time since their events', () => {
    const { deliveries, accept } = aReceiver();
    accept();
    accept({ at: new Date(Date.now() - 5000) });
    expect(deliveries.unreported).toBe(2);
    const { lagsMs, wrong } = deliveries.report();
    expect(wrong).toBeUndefined();
    expect(lagsMs[0]).toBeLessThan(5000);
    expect(lagsMs[1]).toBeGreaterThanOrEqual(5000);
    expect(deliveries.report().arrivedAt).toEqual([]);
  });

  it('does not report deliveries of an endpoint that is only checked', () => {
    const { deliveries, accept } = aReceiver(false);
    accept();
    expect(deliveries.unreported).toBe(0);
  });

  it('accepts ascending versions of a resource', () => {
    const { deliveries, accept } = aReceiver();
    accept({ resourceId: 'a', version: 1 });
    accept({ resourceId: 'a', version: 3 });
    expect(deliveries.report().wrong).toBeUndefined();
  });

  it.each<[string, readonly Sent[], RegExp]>([
    ['a signature by another secret', [{ secret: `whsec_${randomBytes(32).toString('base64')}` }], /signature/],
    ['an old signature', [{ at: new Date(Date.now() - 600_000) }], /as time/],
    ['a repeated delivery', [{ id: 'a' }, { id: 'a', resourceId: 'b' }], /twice/],
    ['an earlier version after a later one', [2, 1].map((version) => ({ resourceId: 'a', version })), /later version/],
  ])('finds %s', (_, sent, wrong) => {
    const { deliveries, accept } = aReceiver();
    for (const each of sent) accept(each);
    expect(deliveries.isWrong).toBe(true);
    expect(deliveries.report().wrong).toMatch(wrong);
  });

  it('finds a request for an unknown path', () => {
    const { deliveries } = aReceiver();
    expect(deliveries.endpoint('/other')).toBeUndefined();
    expect(deliveries.report().wrong).toContain('/other');
  });
});
